#include "features/passwords/passwords.hpp"

#include <algorithm>
#include <exception>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "base/text_rules.hpp"
#include "crypto/random.hpp"
#include "features/passwords/form.hpp"
#include "features/passwords/new_owner.hpp"
#include "features/roles/repository.hpp"
#include "features/users/username.hpp"

namespace consentry {
namespace {

// What an administrator does here, as both logs name it.
constexpr AccountAction new_account{ActivityAction::admin_user_create, ActivityAction::user_created};
constexpr AccountAction new_password{ActivityAction::admin_user_update_password,
                                     ActivityAction::user_update_password_by_admin};

constexpr std::size_t waiting_checks_max = 4'096;
// Each costs one hash, a hundred of them about a second of one core. More passwords within the period than users choose
// of their own accord: with fewer, a user who wants the former password back would change it a few times in a row.
constexpr std::int64_t history_rows_max = 100;
// Longer than an attacker is likely to wait. A known account never forgets its count.
constexpr std::chrono::days unknown_address_memory{30};

// How long a check waits for other checks of the account to finish, and the interval before its first retry.
constexpr std::chrono::seconds reservation_patience{1};
constexpr std::chrono::milliseconds reservation_pause{10};

// When the owner of an address without an account last logged in, if it had one. The correct password clears the count
// of an account, so a count that is never cleared would tell that there is none. Owners differ: some log in every day,
// others once in months, and so do these, each in a rhythm of its own (docs/decisions/0004).
TimePoint made_up_login(const crypto::Sha256& address, TimePoint now) {
    constexpr int rhythms = 8;  // from a day to 128 days, about as often as each other
    const auto period = std::chrono::duration_cast<milliseconds>(std::chrono::days{1 << (address.front() % rhythms)});
    for (std::int64_t index = now.time_since_epoch() / period;; --index) {
        const auto drawn = crypto::hmac_sha256(address, as_bytes("made-up login " + std::to_string(index)));
        std::uint64_t offset = 0;
        for (std::size_t i = 0; i < sizeof(offset); ++i) offset = offset << 8 | drawn[i];
        const TimePoint at{index * period + milliseconds{offset % static_cast<std::uint64_t>(period.count())}};
        if (at <= now) return at;  // at the latest in the previous period
    }
}

Error attempts_exhausted(milliseconds wait) { return retry_later(errors::password_attempt_max, wait); }

}  // namespace

Passwords::Passwords(storage::Database& database, const Clock& clock, PasswordHasher& hasher, TwoFactor& two_factor,
                     Consents& consents, Mails& mails, Audit audit, PasswordSettings settings)
    : database_(database),
      repository_(database),
      users_(database),
      clock_(clock),
      hasher_(hasher),
      tokens_(database),
      two_factor_(two_factor),
      consents_(consents),
      mails_(mails),
      audit_(audit),
      settings_(std::move(settings)),
      policy_(settings_.service_name),
      turns_(settings_.checks_at_once, waiting_checks_max),
      history_turns_(settings_.history_checks_at_once, waiting_checks_max),
      lock_notices_(database, clock, mails),
      floor_(database, clock, hasher) {}

crypto::Sha256 Passwords::address_digest(std::string_view email) const {
    return crypto::hmac_sha256(as_bytes(settings_.address_key), as_bytes(email));
}

awaitable<Result<Passwords::Checked>> Passwords::check(std::optional<User> user, std::string email,
                                                       std::string password, Cause cause) {
    // Known and unknown addresses take the same path, statement by statement.
    const Counted counted{.user = user ? std::optional(user->id) : std::nullopt, .address = address_digest(email)};
    const bool known = user && user->password_hash;
    std::chrono::steady_clock::time_point began;
    {
        auto turn = co_await turns_.take(user ? user->id.text() : email);
        auto place = co_await reserve(counted, network_of(cause));
        if (!place) co_return fail(std::move(place.error()));
        const auto verified = co_await compare(counted, std::move(*place), std::move(password),
                                               known ? user->password_hash : std::nullopt);
        if (known && verified.verdict != crypto::PasswordVerdict::mismatch)
            co_return Checked{.needs_rehash = verified.verdict == crypto::PasswordVerdict::match_needs_rehash,
                              .turn = std::move(turn)};
        began = verified.began;
        co_await count_failure(counted, std::move(cause));
    }
    co_await floor_.wait(began);
    co_return fail(errors::password_not_match);
}

awaitable<Result<WorkerPool::Place>> Passwords::reserve(Counted counted, ClientNetwork network) {
    if (!settings_.count_attempts) co_return hasher_.place(network);
    asio::steady_timer timer(co_await asio::this_coro::executor);
    const auto give_up_at = std::chrono::steady_clock::now() + reservation_patience;
    const TimePoint cleared = made_up_login(counted.address, clock_.lock_time());  // accounts need the same time
    for (auto pause = reservation_pause;; pause *= 2) {
        const TimePoint now = clock_.lock_time();
        const auto locked = counted.user ? co_await repository_.locked_until(*counted.user)
                                         : co_await repository_.unknown_locked_until(counted.address);
        if (locked && *locked > now) co_return consentry::fail(attempts_exhausted(*locked - now));
        {
            // Reserve the place before counting the attempt: a caller turned away by a full pool has not guessed.
            auto place = hasher_.place(network);
            const bool reserved =
                counted.user ? co_await repository_.reserve(*counted.user, settings_.ladder, now)
                             : co_await repository_.reserve_unknown(counted.address, settings_.ladder, now, cleared);
            if (reserved) co_return std::move(place);
        }
        // Other checks of the account are in progress, here or on another instance; none has failed yet.
        if (std::chrono::steady_clock::now() >= give_up_at)
            throw Unavailable("password checks: too many of one account at once");
        timer.expires_after(pause);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

awaitable<PasswordHasher::Verified> Passwords::compare(Counted counted, WorkerPool::Place place, std::string password,
                                                       std::optional<std::string> stored) {
    std::exception_ptr trouble;
    try {
        if (stored && floor_.is_new(*stored)) co_await floor_.notice(*stored);
        std::string hash = std::move(stored).value_or(hasher_.dummy());
        co_return co_await hasher_.verify(std::move(place), std::move(password), std::move(hash));
    } catch (...) {
        trouble = std::current_exception();
    }
    co_await best_effort([&] { return release(counted); });
    std::rethrow_exception(trouble);
}

awaitable<void> Passwords::release(Counted counted) {
    if (!settings_.count_attempts) co_return;
    if (counted.user)
        co_await repository_.release(*counted.user);
    else
        co_await repository_.release_unknown(counted.address);
}

awaitable<void> Passwords::count_failure(Counted counted, Cause cause) {
    PasswordFailure failure;
    if (settings_.count_attempts) {
        const TimePoint now = clock_.lock_time();
        failure = counted.user ? co_await repository_.fail(*counted.user, settings_.ladder, now)
                               : co_await repository_.fail_unknown(counted.address, settings_.ladder, now);
    }
    const std::string attempt = std::to_string(failure.attempt);
    audit_.tell("password.failed", Outcome::failure, counted.user, cause, {{"attempt", attempt}});
    if (!settings_.count_attempts || failure.attempt < settings_.ladder.attempts_max) co_return;
    audit_.tell("password.locked", Outcome::refused, counted.user, cause, {{"attempt", attempt}});
    // Notify the owner once per run of failures.
    if (counted.user && failure.is_first_lock) lock_notices_.add(*counted.user, std::move(cause));
}

awaitable<void> Passwords::clear(UserId user) { return repository_.clear(user); }

awaitable<void> Passwords::was_wrong(UserId user, Cause cause) {
    return count_failure({.user = user, .address = {}}, std::move(cause));
}

awaitable<void> Passwords::rehash(User user, std::string password) {
    auto hash = co_await best_effort([&] { return hasher_.hash(std::move(password)); });
    if (!hash) co_return;
    co_await best_effort([&] { return repository_.rehash(user.id, *user.password_hash, std::move(*hash)); });
}

std::optional<TimePoint> Passwords::expiry(TimePoint now) const {
    if (settings_.expiry.count() == 0) return std::nullopt;
    return now + settings_.expiry;
}

void Passwords::check_choice(std::string_view password, std::string_view email, std::string_view property,
                             Report& report) const {
    // A body may hold any text. What is empty or far too long breaks other rules, and looking it up would be dear.
    constexpr std::int64_t utf8_bytes_max = 4;
    if (password.empty() || std::ssize(password) > utf8_bytes_max * password_characters_max()) return;
    policy_.check(password, email, property, report);
}

awaitable<Result<void>> Passwords::check_new(std::string password, std::string email, std::string property) {
    Report report;
    policy_.check(password, email, property, report);
    if (!report.empty()) co_return fail(Error{errors::validation, report.take()});
    co_return Result<void>{};
}

awaitable<Result<void>> Passwords::check_history(UserId user, std::optional<std::string> current,
                                                 const std::string& password, ClientNetwork network) {
    auto hashes = co_await repository_.history(user, clock_.now(), history_rows_max);
    // A password that is older than the period is still the one in use, perhaps an expired one.
    if (current && std::ranges::find(hashes, *current) == hashes.end()) hashes.push_back(std::move(*current));
    for (const std::string& hash : hashes) {
        // One hash after another, and for few accounts at once, so that logins of others still get threads. A turn for
        // each, so that an account with many former passwords keeps no other one waiting.
        const auto turn = co_await history_turns_.take({});
        const auto verdict = co_await hasher_.verify(password, hash, network);
        if (verdict == crypto::PasswordVerdict::mismatch) continue;
        // At least one, because the password in use is barred without a period, too.
        const auto days = std::max(std::chrono::days{1}, std::chrono::ceil<std::chrono::days>(settings_.reuse_barred));
        co_return fail(errors::password_must_new, {{"period", days.count()}});
    }
    co_return Result<void>{};
}

void Passwords::add_password(storage::Transaction& transaction, const User& owner, const NewPassword& password,
                             TimePoint now) const {
    PasswordRepository::add_change(transaction,
                                   {.user = owner.id,
                                    .expected = owner.security_version,
                                    .hash = password.hash,
                                    .expires_at = password.expires_at,
                                    .reason = password.reason},
                                   {.identities = true}, now);
    PasswordRepository::add_history(transaction, owner.id, password.hash, password.type, now + settings_.reuse_barred,
                                    now);
}

awaitable<Result<void>> Passwords::change(Actor by, UserId id, PasswordChange change, Cause cause) {
    auto user = co_await users_.find(id);
    if (!user) co_return fail(errors::jwt_access_token_invalid);
    auto acceptable = co_await check_new(change.new_password, user->email, "newPassword");
    if (!acceptable) co_return fail(std::move(acceptable.error()));
    // An account without a password has nothing here that could prove more than the session does.
    if (!user->password_hash) co_return fail(errors::password_not_set);
    // Check the old password first, so that the thief of a session learns nothing about codes (PWD-5).
    auto checked = co_await check(user, user->email, std::move(change.old_password), cause);
    if (!checked && checked.error().is(errors::password_not_match))
        co_return fail(std::move(checked.error()).with_message("auth.error.oldPasswordNotMatch"));
    if (!checked) co_return fail(std::move(checked.error()));
    co_await clear(id);
    // Held to the end, because the following steps cost more hashes than a login.
    const AccountTurns::Turn turn = std::move(checked->turn);
    const auto factor = co_await two_factor_.state(id);
    auto proof = co_await two_factor_.verify_if(factor.enabled, id, std::move(change.proof), cause);
    if (!proof) co_return fail(std::move(proof.error()));
    auto is_new = co_await check_history(id, user->password_hash, change.new_password, network_of(cause));
    if (!is_new) co_return fail(std::move(is_new.error()));
    const std::string hash = co_await hasher_.hash(std::move(change.new_password), network_of(cause));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    two_factor_.spend(transaction, *proof, cause);
    const std::size_t spent = transaction.size();
    add_password(transaction, *user,
                 {.hash = hash, .type = PasswordType::profile, .reason = "passwordChanged", .expires_at = expiry(now)},
                 now);
    Audit::add(transaction, id, ActivityAction::user_change_password, cause, now);
    mails_.add_notice(transaction, id, MailKind::password_changed, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (outcome->committed) {
        two_factor_.tell_spent(*proof, cause);
        audit_.tell("password.changed", Outcome::success, id, cause);
        co_return Result<void>{};
    }
    if (outcome->failed_at < spent) co_return fail(co_await two_factor_.lost(std::move(**proof), std::move(cause)));
    throw Unavailable("change of password: the account changed at the same moment");
}

awaitable<Result<void>> Passwords::set(User user, std::string password) {
    auto acceptable = co_await check_new(password, user.email, "password");
    if (!acceptable) co_return fail(std::move(acceptable.error()));
    const std::string hash = co_await hasher_.hash(std::move(password));
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    add_password(transaction, user,
                 {.hash = hash, .type = PasswordType::admin, .reason = "passwordSet", .expires_at = expiry(now)}, now);
    Audit::add(transaction, user.id, new_password, {}, now);
    mails_.add(transaction, user.id, MailKind::password_changed, {}, now);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) throw Unavailable("setting a password: the account changed at the same moment");
    audit_.tell("password.set", Outcome::success, user.id, {});
    co_return Result<void>{};
}

awaitable<Result<User>> Passwords::prepare_account(User user, std::string password, ClientNetwork network) {
    auto acceptable = co_await check_new(password, user.email, "password");
    if (!acceptable) co_return fail(std::move(acceptable.error()));
    user.password_hash = co_await hasher_.hash(std::move(password), network);
    const TimePoint now = clock_.now();
    user.id = UserId::make(now);
    user.username = new_username(settings_.username_prefix);
    user.password_created_at = now;
    user.password_expires_at = user.must_change_password ? now + settings_.temporary_expiry : expiry(now);
    co_return user;
}

void Passwords::add_account(storage::Transaction& transaction, const User& user, PasswordType type) const {
    const TimePoint now = user.password_created_at.value();
    UserRepository::add_insert(transaction, user, now);
    PasswordRepository::add_history(transaction, user.id, user.password_hash.value(), type,
                                    now + settings_.reuse_barred, now);
}

awaitable<Error> Passwords::account_exists(std::string email) {
    const auto owner = co_await users_.find_by_email(std::move(email));
    if (!owner) throw Unavailable("new account: its user name is taken");
    co_return Error{errors::email_exist};
}

awaitable<Result<UserId>> Passwords::create(User wanted, std::string password) {
    auto user = co_await prepare_account(std::move(wanted), std::move(password));
    if (!user) co_return fail(std::move(user.error()));
    storage::Transaction transaction;
    RoleRepository::add_hold(transaction, user->role_id);
    const std::size_t held = transaction.statements().size();
    add_account(transaction, *user, PasswordType::admin);
    Audit::add(transaction, user->id, new_account, {}, user->password_created_at.value(),
               {{"roleId", user->role_id.text()}});
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed && outcome.failed_at < held) co_return fail(errors::role_not_found);
    if (!outcome.committed) co_return fail(co_await account_exists(user->email));
    audit_.tell("account.created", Outcome::success, user->id, {});
    co_return user->id;
}

std::string Passwords::temporary_password(const std::string& email) const {
    // 95 bits. One in ten candidates lacks a character class, and by chance one may contain a rejected word.
    constexpr std::size_t length = 16;
    for (;;) {
        std::string drawn = crypto::random_text(length, crypto::alphanumerics);
        Report report;
        policy_.check(drawn, email, "password", report);
        if (report.empty() && has_all_classes(drawn)) return drawn;
    }
}

awaitable<Result<void>> Passwords::give_temporary(Actor by, User user, Cause cause) {
    const std::string password = temporary_password(user.email);
    const std::string hash = co_await hasher_.hash(password, network_of(cause));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now, user.id);
    add_password(transaction, user,
                 {.hash = hash,
                  .type = PasswordType::admin,
                  .reason = "temporaryPassword",
                  .expires_at = now + settings_.temporary_expiry},
                 now);
    PasswordRepository::add_must_change(transaction, user.id);
    // Only a reader of the mailbox can use the password, so a login with it proves the address.
    co_await add_new_owner(transaction, consents_, user, cause, Asker::administrator, now);
    Audit::add(transaction, user.id, new_password, cause, now);
    mails_.add(transaction, user.id, MailKind::temporary_password, {{"password", password}}, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) throw Unavailable("temporary password: the account changed at the same moment");
    audit_.tell("password.temporary", Outcome::success, user.id, cause);
    if (may_be_strangers(user)) audit_.tell("account.taken_over", Outcome::success, user.id, cause);
    co_return Result<void>{};
}

awaitable<Result<UserId>> Passwords::create_with_temporary(Actor by, User wanted, Cause cause) {
    const std::string password = temporary_password(wanted.email);
    wanted.is_verified = true;
    wanted.must_change_password = true;
    auto user = co_await prepare_account(std::move(wanted), password, network_of(cause));
    if (!user) co_return fail(std::move(user.error()));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    RoleRepository::add_hold(transaction, user->role_id);
    const std::size_t held = transaction.size();
    add_account(transaction, *user, PasswordType::admin);
    Audit::add(transaction, user->id, new_account, cause, now, {{"roleId", user->role_id.text()}});
    mails_.add(transaction, user->id, MailKind::temporary_password, {{"password", password}}, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed && outcome->failed_at < held) co_return fail(errors::role_not_found);
    if (!outcome->committed) co_return fail(co_await account_exists(user->email));
    audit_.tell("account.created", Outcome::success, user->id, cause);
    co_return user->id;
}

awaitable<void> Passwords::forget_old() {
    // Counts and locks are written with lock_time(), so their age is measured by it, too (RAC-6).
    co_await repository_.forget_unknown(clock_.lock_time() - unknown_address_memory);
    co_await floor_.forget_unused();
}

awaitable<void> Passwords::forget_former() { return repository_.erase_history(clock_.now() - clock_error_max); }

}  // namespace consentry
