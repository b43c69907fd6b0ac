#include "features/login/social_accounts.hpp"

#include "base/errors.hpp"
#include "features/passwords/new_owner.hpp"
#include "features/sessions/grants.hpp"
#include "features/users/username.hpp"

namespace consentry {
namespace {

SignUpFrom sign_up_from(LoginFrom from) { return from == LoginFrom::mobile ? SignUpFrom::mobile : SignUpFrom::website; }

}  // namespace

awaitable<std::expected<SocialEntry, SocialRefusal>> SocialAccounts::find(const Identity& identity,
                                                                          const SocialRequest& request,
                                                                          const Origin& origin, const Cause& cause) {
    const auto refused = [&](std::string_view reason, std::optional<UserId> account = std::nullopt) {
        return std::unexpected(SocialRefusal{Error{facts_of(identity.provider).invalid}, reason, account});
    };
    SocialEntry entry;
    entry.use = {.provider = identity.provider, .subject = identity.subject, .email = identity.email};

    std::optional<User> user;
    if (const auto owner = co_await repository_.find_owner(identity.provider, identity.subject)) {
        user = co_await users_.find(*owner);
        if (!user) co_return refused("deleted", *owner);  // a moment ago
        entry.use.is_linked = true;
    } else {
        if (!identity.email) co_return refused("email");
        if (!identity.email_verified) co_return refused("email_verified");
        user = co_await users_.find_by_email(*identity.email);
        if (!user) {
            entry.user.email = *identity.email;
            co_return co_await sign_up(std::move(entry), request, origin, cause);
        }
        const auto known = co_await repository_.find_subject(user->id, identity.provider);
        // If the account's address is unproven, a different linked subject does not stop the owner of the address.
        if (known && known->subject != identity.subject && user->is_verified)
            co_return refused("otherIdentity", user->id);
        // If it is removed from the account, the provider's word is no longer enough.
        if (user->is_verified) {
            const bool is_removed = co_await repository_.is_removed(user->id, identity.provider, identity.subject);
            if (is_removed) co_return refused("unlinked", user->id);
        }
        // Linked a moment ago.
        entry.use.is_linked = known && known->subject == identity.subject && known->is_current;
        entry.use.joins = !entry.use.is_linked;
    }
    entry.user = std::move(*user);
    if (!entry.user.is_verified && identity.vouches_for(entry.user.email))
        co_return co_await take_over(std::move(entry), request, origin, cause);
    co_return entry;
}

awaitable<SocialEntry> SocialAccounts::take_over(SocialEntry entry, const SocialRequest& request, const Origin& origin,
                                                 const Cause& cause) {
    User& user = entry.user;
    const TimePoint now = clock_.now();
    SocialRepository::add_take_over(entry.writes, user.id, user.security_version, now);
    const TimePoint handed_over = co_await add_new_owner(entry.writes, consents_, user, cause, Asker::owner, now);
    if (request.name) SocialRepository::add_name(entry.writes, user.id, *request.name);
    entry.is_from_stranger = may_be_strangers(user);
    if (entry.is_from_stranger) {
        SocialRepository::add_language(entry.writes, user.id, request.language);
        user.language = request.language;
        user.name.reset();
    }
    if (request.name) user.name = request.name;
    entry = co_await with_acceptances(std::move(entry), request, origin, handed_over);
    user.is_verified = true;
    user.security_version += 1;
    user.password_hash.reset();
    user.password_created_at.reset();
    user.password_expires_at.reset();
    user.password_locked_until.reset();
    user.must_change_password = false;
    entry.is_taken_over = true;
    entry.use.is_linked = false;  // the take-over has unlinked every identity
    co_return entry;
}

awaitable<std::expected<SocialEntry, SocialRefusal>> SocialAccounts::sign_up(SocialEntry entry,
                                                                             const SocialRequest& request,
                                                                             const Origin& origin, const Cause& cause) {
    const auto& facts = facts_of(entry.use.provider);
    const bool allowed = co_await flags_.allows(std::string(facts.sign_up_flag));
    if (!allowed) co_return std::unexpected(SocialRefusal{Error{errors::sign_up_forbidden}});
    const TimePoint now = clock_.now();
    User& user = entry.user;
    user.id = UserId::make(now);
    user.username = new_username(username_prefix_);
    user.name = request.name;
    user.is_verified = true;
    user.language = request.language;
    user.sign_up_from = sign_up_from(origin.from);
    user.sign_up_with = facts.with;
    user.created_at = now;
    entry.is_new = true;
    UserRepository::add_insert(entry.writes, user, now);
    Audit::add(entry.writes, user.id, ActivityAction::user_signed_up, cause, now, {{"with", name_of(facts.with)}});
    mails_.add_notice(entry.writes, user.id, MailKind::welcome, cause, now);
    entry = co_await with_acceptances(std::move(entry), request, origin, now);
    co_return entry;
}

awaitable<SocialEntry> SocialAccounts::with_acceptances(SocialEntry entry, const SocialRequest& request,
                                                        const Origin& origin, TimePoint now) {
    if (request.accepted.empty()) co_return entry;
    GivenConsent consent{.user = entry.user.id,
                         .types = request.accepted,
                         .ip_address = origin.ip_address,
                         .user_agent = origin.user_agent,
                         .language = request.language};
    co_await consents_.add_acceptances(entry.writes, std::move(consent), now);
    co_return entry;
}

void SocialAccounts::add_use(storage::Transaction& transaction, UserId user, const IdentityUse& use, const Cause& cause,
                             TimePoint now) {
    const auto& facts = facts_of(use.provider);
    SocialRepository::add_use(transaction, user, use, now);
    if (!use.joins) return;
    Audit::add(transaction, user, facts.join, cause, now);
    mails_.add_notice(transaction, user, MailKind::identity_joined, cause, now,
                      {{"provider", std::string(facts.owner)}});
}

awaitable<Result<bool>> SocialAccounts::unlink(Actor by, UserId user, SocialProvider provider, Cause cause) {
    const auto& facts = facts_of(provider);
    const auto known = co_await repository_.find_subject(user, provider);
    if (!known) co_return false;
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now, user);
    SocialRepository::add_removal(transaction, user, provider, known->subject, now);
    // Sessions that began with it end as well.
    Grants::add_rise(transaction, user, {.identities = true}, "identityUnlinked", now);
    Audit::add(transaction, user, ActivityAction::admin_user_unlink_identity, cause, now, {{"provider", facts.name}});
    // The notice omits the origin: it is the administrator's, and not the owner's concern.
    mails_.add(transaction, user, MailKind::identity_unlinked, {{"provider", std::string(facts.owner)}}, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) throw Unavailable("unlinking an identity: the account changed at the same moment");
    audit_.tell("identity.unlinked", Outcome::success, user, cause, {{"provider", std::string(facts.name)}});
    co_return true;
}

void SocialAccounts::tell_of_use(UserId user, const IdentityUse& use, const Cause& cause) const {
    if (use.joins)
        audit_.tell("identity.joined", Outcome::success, user, cause,
                    {{"provider", std::string(facts_of(use.provider).name)}});
}

void SocialAccounts::tell_of_entry(const SocialEntry& entry, const Cause& cause) const {
    if (entry.is_new) audit_.tell("account.signed_up", Outcome::success, entry.user.id, cause);
    if (entry.is_from_stranger) audit_.tell("account.taken_over", Outcome::success, entry.user.id, cause);
    tell_of_use(entry.user.id, entry.use, cause);
}

}  // namespace consentry
