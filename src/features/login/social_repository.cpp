#include "features/login/social_repository.hpp"

#include "features/sessions/grants.hpp"
#include "features/users/generations.hpp"
#include "features/users/password_attempts.hpp"
#include "storage/columns.hpp"
#include "storage/portions.hpp"

namespace consentry {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::sql;

namespace {

constexpr auto linked_columns = columns<LinkedIdentity>(
    column<"provider", &LinkedIdentity::provider>, column<"subject", &LinkedIdentity::subject>,
    column<"email", &LinkedIdentity::email>, column<"created_at", &LinkedIdentity::created_at>,
    column<"last_used_at", &LinkedIdentity::last_used_at>, column<"unlinked_at", &LinkedIdentity::unlinked_at>);

}  // namespace

awaitable<std::optional<UserId>> SocialRepository::find_owner(SocialProvider provider, std::string subject) {
    const auto rows =
        co_await database_.query(sql<"SELECT i.user_id FROM identities i JOIN users u ON u.id = i.user_id "
                                     "WHERE i.provider = $1 AND i.subject = $2 AND ",
                                     of_this_version_sql<"i", "u">>,
                                 facts_of(provider).name, subject);
    if (rows.empty()) co_return std::nullopt;
    co_return rows[0].id<UserId>(0);
}

awaitable<std::optional<SocialRepository::Subject>> SocialRepository::find_subject(UserId user,
                                                                                   SocialProvider provider) {
    const auto rows = co_await database_.query(
        sql<"SELECT i.subject, ", of_this_version_sql<"i", "u">,
            " FROM identities i JOIN users u ON u.id = i.user_id WHERE i.user_id = $1 AND i.provider = $2">,
        user, facts_of(provider).name);
    if (rows.empty()) co_return std::nullopt;
    co_return Subject{.subject = rows[0].text(0), .is_current = rows[0].boolean(1)};
}

awaitable<std::vector<LinkedIdentity>> SocialRepository::list(UserId user) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", linked_columns,
            " FROM (SELECT provider, subject, email, created_at, last_used_at, NULL AS unlinked_at FROM identities "
            "WHERE user_id = $1 AND security_version = ",
            version_sql<"$1">,
            " UNION ALL SELECT provider, subject, NULL, created_at, NULL, unlinked_at FROM unlinked_identities "
            "WHERE user_id = $1) AS i ORDER BY provider, created_at, subject">,
        user);
    co_return linked_columns.read_all(rows);
}

awaitable<bool> SocialRepository::is_removed(UserId user, SocialProvider provider, std::string subject) {
    const auto rows = co_await database_.query(
        "SELECT EXISTS (SELECT 1 FROM unlinked_identities WHERE user_id = $1 AND provider = $2 AND subject = $3)", user,
        facts_of(provider).name, subject);
    co_return rows[0].boolean(0);
}

awaitable<bool> SocialRepository::is_spent(Identity identity) {
    const auto rows = co_await database_.query(
        "SELECT EXISTS (SELECT 1 FROM spent_identity_tokens WHERE digest = $1) "
        "OR EXISTS (SELECT 1 FROM epochs e WHERE e.raised_at > $2)",
        BytesView(identity.digest), identity.issued_at);
    co_return rows[0].boolean(0);
}

awaitable<void> SocialRepository::erase_spent(TimePoint before) {
    return storage::execute_in_portions(
        database_,
        "DELETE FROM spent_identity_tokens WHERE digest IN (SELECT digest FROM spent_identity_tokens "
        "WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
        before);
}

void SocialRepository::add_spending(storage::Transaction& transaction, const Identity& identity) {
    transaction.add(Expect::one,
                    "INSERT INTO spent_identity_tokens (digest, expires_at) SELECT $1, $2 "
                    "WHERE (SELECT e.raised_at FROM epochs e) <= $3 ON CONFLICT (digest) DO NOTHING",
                    BytesView(identity.digest), identity.expires_at, identity.issued_at);
}

void SocialRepository::add_use(storage::Transaction& transaction, UserId user, const IdentityUse& use, TimePoint now) {
    if (use.is_linked) {
        // Not an upsert: in PostgreSQL, an upsert concurrent with another update of the row can miss it, insert, and
        // violate identities_user, a unique index that ON CONFLICT does not name.
        transaction.add(Expect::one,
                        sql<"UPDATE identities SET email = $4, last_used_at = $5 "
                            "WHERE provider = $1 AND subject = $2 AND user_id = $3 AND security_version = ",
                            version_sql<"$3">>,
                        facts_of(use.provider).name, use.subject, user, use.email, now);
        return;
    }
    transaction.add(
        Expect::one,
        sql<"INSERT INTO identities (provider, subject, user_id, email, created_at, last_used_at, security_version) "
            "VALUES ($1, $2, $3, $4, $5, $5, ",
            version_sql<"$3">,
            ") ON CONFLICT (provider, subject) DO UPDATE SET email = $4, last_used_at = $5, "
            "security_version = excluded.security_version WHERE identities.user_id = $3 "
            "AND ($6 OR identities.security_version = excluded.security_version)">,
        facts_of(use.provider).name, use.subject, user, use.email, now, use.joins);
}

void SocialRepository::add_removal(PrivilegedTransaction& transaction, UserId user, SocialProvider provider,
                                   const std::string& subject, TimePoint now) {
    transaction.add(Expect::any,
                    "INSERT INTO unlinked_identities (user_id, provider, subject, created_at, unlinked_at) "
                    "SELECT user_id, provider, subject, created_at, $4 FROM identities "
                    "WHERE user_id = $1 AND provider = $2 AND subject = $3 "
                    "ON CONFLICT (user_id, provider, subject) DO NOTHING",
                    user, facts_of(provider).name, subject, now);
    transaction.add(Expect::one, "DELETE FROM identities WHERE user_id = $1 AND provider = $2 AND subject = $3", user,
                    facts_of(provider).name, subject);
}

void SocialRepository::add_take_over(storage::Transaction& transaction, UserId user, std::int64_t expected,
                                     TimePoint now) {
    transaction.add(Expect::one,
                    sql<"UPDATE users SET password_hash = NULL, password_created_at = NULL, "
                        "password_expires_at = NULL, must_change_password = FALSE, "
                        "security_version = security_version + 1, updated_at = $3, ",
                        clear_attempts_sql,
                        " WHERE id = $1 AND security_version = $2 AND is_verified = FALSE AND deleted_at IS NULL">,
                    user, expected, now);
    Grants::add_end(transaction, user, {}, "takenOver", now);
}

void SocialRepository::add_name(storage::Transaction& transaction, UserId user, const std::string& name) {
    transaction.add(Expect::any, "UPDATE users SET name = $2 WHERE id = $1", user, name);
}

void SocialRepository::add_language(storage::Transaction& transaction, UserId user, Language language) {
    transaction.add(Expect::any, "UPDATE users SET language = $2 WHERE id = $1", user, name_of(language));
}

}  // namespace consentry
