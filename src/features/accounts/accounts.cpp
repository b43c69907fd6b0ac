#include "features/accounts/accounts.hpp"

#include <algorithm>
#include <exception>
#include <span>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace consentry {
namespace {

constexpr std::int64_t erased_at_once = 250;  // of each large table: a few milliseconds together
// A look-up passes over rows that earlier portions have changed, so that one per portion would take ever longer.
constexpr std::int64_t listed_at_once = 80 * erased_at_once;

template <class T>
std::span<const T> first_of(std::span<const T> listed) {
    return listed.first(std::min<std::size_t>(listed.size(), erased_at_once));
}

}  // namespace

Accounts::Accounts(storage::Database& database, const Clock& clock, TwoFactor& two_factor, Passwords& passwords,
                   Consents& consents, Mails& mails, Audit audit, AccountSettings settings)
    : database_(database),
      erasure_(database),
      acts_(database),
      consent_erasure_(database),
      tokens_(database),
      users_(database),
      clock_(clock),
      two_factor_(two_factor),
      passwords_(passwords),
      consents_(consents),
      mails_(mails),
      audit_(audit),
      settings_(std::move(settings)) {}

awaitable<Result<void>> Accounts::sign_up(NewAccount wanted, Cause cause) {
    User described;
    described.email = std::move(wanted.email);
    described.name = std::move(wanted.name);
    described.language = wanted.language;
    described.sign_up_from = wanted.from;
    // Hashes before looking up the address, so that a taken address takes as long as a free one.
    auto user =
        co_await passwords_.prepare_account(std::move(described), std::move(wanted.password), network_of(cause));
    if (!user) co_return fail(std::move(user.error()));
    storage::Transaction transaction;
    passwords_.add_account(transaction, *user, PasswordType::sign_up);
    const TimePoint now = clock_.now();
    const std::string token =
        AccountTokens::add(transaction, user->id, TokenPurpose::verify_email, settings_.verification, now);
    mails_.add(transaction, user->id, MailKind::verify_email, {{"token", token}}, now);
    Audit::add(transaction, user->id, ActivityAction::user_signed_up, cause, now);
    Audit::add(transaction, user->id, ActivityAction::user_send_verification_email, cause, now);
    GivenConsent consent{.user = user->id, .types = std::move(wanted.accepted), .language = wanted.language};
    if (cause.origin) {
        consent.ip_address = cause.origin->address;
        consent.user_agent = cause.origin->user_agent;
    }
    co_await consents_.add_acceptances(transaction, std::move(consent), now);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (outcome.committed) {
        audit_.tell("account.signed_up", Outcome::success, user->id, cause);
        co_return Result<void>{};
    }
    if (outcome.failed_at != 0) throw Unavailable("sign-up: its policies changed at the same moment");
    auto error = co_await passwords_.account_exists(user->email);
    audit_.tell("account.signed_up", Outcome::refused, std::nullopt, cause,
                {{"reason", std::string(error.kind().name)}});
    co_return fail(std::move(error));
}

awaitable<Result<void>> Accounts::verify(std::string token, Cause cause) {
    const TimePoint now = clock_.now();
    constexpr auto purpose = TokenPurpose::verify_email;
    const auto user = co_await tokens_.find(token, purpose, now);
    if (!user) co_return fail(errors::token_invalid);
    storage::Transaction transaction;
    // As in every change of an account, its row comes first: two such changes then wait instead of deadlocking.
    UserRepository::add_lock(transaction, *user);
    AccountTokens::add_spend(transaction, token, purpose, now);
    AccountRepository::add_verified(transaction, *user, now);
    Audit::add(transaction, *user, ActivityAction::user_verified_email, cause, now);
    mails_.add_notice(transaction, *user, MailKind::welcome, cause, now);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) co_return fail(errors::token_invalid);
    audit_.tell("account.verified", Outcome::success, user, cause);
    co_return Result<void>{};
}

awaitable<Result<void>> Accounts::update_profile(Actor by, UserId user, ProfileChange change, Cause cause) {
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    AccountRepository::add_profile_change(transaction, user, change, now);
    Audit::add(transaction, user, ActivityAction::user_update_profile, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::user_not_found);
    co_return Result<void>{};
}

void Accounts::add_deletion(PrivilegedTransaction& transaction, UserId user, ActivityAction action, const Cause& cause,
                            TimePoint now) {
    // The notice must come before add_delete(), which removes the address.
    mails_.add_notice(transaction, user, MailKind::account_deleted, cause, now);
    AccountRepository::add_delete(transaction, user, now);
    Audit::add(transaction, user, action, cause, now);
}

awaitable<Result<void>> Accounts::delete_self(Actor by, UserId user, Proof proof, Cause cause) {
    const auto factor = co_await two_factor_.state(user);
    auto right = co_await two_factor_.verify_if(factor.enabled, user, std::move(proof), cause);
    if (!right) co_return fail(std::move(right.error()));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    two_factor_.spend(transaction, *right, cause);
    if (!*right) TwoFactorRepository::add_still_off(transaction, user);
    const std::size_t proven = transaction.size();
    add_deletion(transaction, user, ActivityAction::user_delete_self, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed && outcome->failed_at < proven) {
        if (*right) co_return fail(co_await two_factor_.lost(std::move(**right), std::move(cause)));
        co_return fail(errors::two_factor_method_required);
    }
    if (!outcome->committed) co_return fail(errors::user_not_found);
    two_factor_.tell_spent(*right, cause);
    audit_.tell("account.deleted", Outcome::success, user, cause);
    co_return Result<void>{};
}

awaitable<Result<void>> Accounts::delete_by(Actor by, UserId user, Cause cause) {
    const auto seen = co_await users_.find(user);
    if (!seen) co_return fail(errors::user_not_found);
    const bool is_super_admin = seen->role == Role::super_admin;
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now, user);
    if (is_super_admin) SuperAdmins::add_lock(transaction);
    UserRepository::add_same_generation(transaction, *seen);  // another role raises the version
    AccountRepository::add_same_role_type(transaction, *seen);
    add_deletion(transaction, user, ActivityAction::admin_user_delete, cause, now);
    const std::size_t changes = transaction.size();
    if (is_super_admin) SuperAdmins::add_remains(transaction);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) {
        if (outcome->failed_at == changes) co_return fail(errors::last_super_admin);
        throw Unavailable("deleting an account: others changed it at the same moment");
    }
    audit_.tell("account.deleted", Outcome::success, user, cause);
    co_return Result<void>{};
}

// An account that cannot be erased, for whatever reason, holds up no other one.
awaitable<void> Accounts::erase_deleted() {
    constexpr std::int64_t accounts_at_once = 100;
    const ErasureTerms terms{.deleted_before = clock_.now() - settings_.erase_after,
                             .acts_are_logged = settings_.acts_are_logged};
    std::int64_t failures = 0;
    std::string first_failure;
    DeletedAccount after;
    for (std::int64_t found = accounts_at_once; found == accounts_at_once;) {
        const auto due = co_await erasure_.list_due(after, terms, accounts_at_once);
        for (const DeletedAccount& account : due) {
            try {
                co_await erase(account.id);
            } catch (const std::exception& error) {
                if (failures++ == 0) first_failure = error.what();
            }
        }
        found = std::ssize(due);
        if (!due.empty()) after = due.back();
    }
    if (failures > 0)
        throw Unavailable(fmt::format("{} {} could not be erased, the first one because of: {}", failures,
                                      failures == 1 ? "account" : "accounts", first_failure));
}

awaitable<void> Accounts::erase(UserId user) {
    bool is_whole = false;
    while (!is_whole) {
        const auto acts = co_await acts_.list_about(user, listed_at_once);
        const auto on_others = co_await erasure_.list_on_others(user, listed_at_once);
        is_whole = std::ssize(acts) < listed_at_once && std::ssize(on_others) < listed_at_once;
        co_await erase_portions(user, {.acts = acts, .on_others = on_others});
    }
}

awaitable<void> Accounts::erase_portions(UserId user, ListedForErasure listed) {
    constexpr int refusals_max = 5;
    for (int refusals = 0;;) {
        const TimePoint now = clock_.now();
        const ListedForErasure some{.acts = first_of(listed.acts), .on_others = first_of(listed.on_others)};
        storage::Transaction transaction;
        ErasureRepository::add_mark(transaction, user, now);
        const std::size_t consents = co_await consent_erasure_.add_erase(transaction, user, now, erased_at_once);
        ErasureRepository::add_erase(transaction, user, erased_at_once, some);
        const auto outcome = co_await database_.commit(std::move(transaction));
        if (!outcome.committed) {
            // Since its tag was looked up, a log has given the account one, or another process has erased it.
            if (++refusals == refusals_max) throw Unavailable("erasing an account: the log kept changing its tag");
            continue;
        }
        listed.acts = listed.acts.subspan(some.acts.size());
        listed.on_others = listed.on_others.subspan(some.on_others.size());
        erased_consents_ += outcome.results.at(consents).affected();
        if (outcome.results.front().affected() == 1) {
            ++erased_accounts_;
            audit_.tell("account.erased", Outcome::success, user, {});
        }
        if (listed.acts.empty() && listed.on_others.empty() &&
            std::ranges::none_of(outcome.results,
                                 [](const storage::Rows& rows) { return rows.affected() >= erased_at_once; }))
            co_return;
    }
}

}  // namespace consentry
