// The commands that show accounts and change whether their owners may log in.
#include <array>
#include <string_view>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "app/commands/user_commands.hpp"
#include "app/terminal/results.hpp"
#include "base/errors.hpp"
#include "base/json_values.hpp"

namespace consentry {
namespace {

constexpr std::array shown_columns{
    ResultColumn{.name = "id", .heading = "ID"},
    ResultColumn{.name = "email", .heading = "Email"},
    ResultColumn{.name = "isVerified", .heading = "Email verified"},
    ResultColumn{.name = "name", .heading = "Name"},
    ResultColumn{.name = "username", .heading = "Username"},
    ResultColumn{.name = "role", .heading = "Role"},
    ResultColumn{.name = "roleType", .heading = "Role type"},
    ResultColumn{.name = "status", .heading = "Status", .is_state = true},
    ResultColumn{.name = "language", .heading = "Language"},
    ResultColumn{.name = "signedUpAt", .heading = "Signed up"},
    ResultColumn{.name = "signUpFrom", .heading = "Signed up from"},
    ResultColumn{.name = "lastLoginAt", .heading = "Last login"},
    ResultColumn{.name = "lastLoginWith", .heading = "Last login with"},
    ResultColumn{.name = "lastIpAddress", .heading = "Last address"},
    ResultColumn{.name = "hasPassword", .heading = "Password"},
    ResultColumn{.name = "mustChangePassword", .heading = "Must change password"},
    ResultColumn{.name = "passwordExpiresAt", .heading = "Password expires"},
    ResultColumn{.name = "wrongPasswords", .heading = "Wrong passwords"},
    ResultColumn{.name = "passwordLockedUntil", .heading = "Password locked until"},
    ResultColumn{.name = "twoFactor", .heading = "Two-factor", .is_state = true},
    ResultColumn{.name = "twoFactorSetupUntil", .heading = "Two-factor setup until"},
    ResultColumn{.name = "twoFactorLockedUntil", .heading = "Two-factor locked until"},
    ResultColumn{.name = "backupCodes", .heading = "Backup codes left"},
    ResultColumn{.name = "liveSessions", .heading = "Live sessions"},
};

std::string_view name_of(const TwoFactorRecord& factor) {
    if (!factor.enabled) return "off";
    return factor.required_setup ? "setup-required" : "on";
}

boost::json::value time_of(const std::optional<TimePoint>& time) { return json_or_null(time.transform(to_iso8601)); }
boost::json::value lock_of(const std::optional<TimePoint>& until, TimePoint now) {
    return until && *until > now ? time_of(until) : boost::json::value();
}

// What the owner of an account that has become active meets at the login, in the order in which the login checks it.
std::string_view active_says(Services& services, const User& before) {
    const auto found = run(services.users.find(before.id));  // the change may have lifted a lock
    if (!found) return "The account is active.";             // and was deleted since
    const User& user = *found;
    const TimePoint lock_time = services.clock.lock_time();
    const TwoFactorRecord factor = run(services.two_factor.state(user.id));
    const auto set_up_until = services.two_factor.end_of_set_up(factor);
    if (user.password_locked(lock_time))
        return "The account is active. Wrong passwords have locked it: consentry user unlock lifts the lock.";
    if (user.password_expired(services.clock.now()))
        return "The account is active. Its password has expired: its owner must request a link with "
               "\"Forgot your password?\".";
    if (!user.is_verified)
        return "The account is active. Its address is not verified yet: its owner must request a new link.";
    if (set_up_until && *set_up_until <= services.clock.now())
        return "The account is active. The time to set up two-factor authentication is over: "
               "consentry user two-factor reset starts it again.";
    if (factor.locked_until && *factor.locked_until > lock_time)
        return "The account is active. Wrong codes have locked its second factor: consentry user unlock lifts the "
               "lock.";
    return "The account is active: its owner can log in.";
}

using Says = std::string_view (*)(Services& services, const User& user);

int set_status(const UserOptions& options, UserStatus status, Says says) {
    return with_account(options.account, [&](Services& services, const User& user) -> int {
        const auto done = run(services.administration.set_status(
            {.actor = Actor::operator_at_the_machine(), .cause = {}}, user.id, status));
        if (!done) return tell(services, done.error());
        tell_done(says(services, user), {{"id", user.id.text()}, {"status", consentry::name_of(status)}}, options.json);
        return 0;
    });
}

int show(Services& services, const User& found, bool as_json) {
    const auto profile = run(services.profiles.find(found.id));
    if (!profile) return tell(services, Error{errors::user_not_found});
    const User& user = profile->user;
    const TimePoint now = services.clock.lock_time();
    const auto factor = run(services.two_factor.state(user.id));
    ListQuery live;
    live.limit = 1;  // only their number is shown
    const auto sessions = run(services.sessions.list(user.id, live));
    print_result(shown_columns,
                 {user.id.text(),
                  user.email,
                  user.is_verified,
                  json_or_null(user.name),
                  user.username,
                  profile->role_name,
                  consentry::name_of(user.role),
                  consentry::name_of(user.status),
                  consentry::name_of(user.language),
                  to_iso8601(profile->sign_up_at),
                  consentry::name_of(user.sign_up_from),
                  time_of(profile->last_login_at),
                  json_or_null(profile->last_login_with.transform(consentry::name_of<LoginWith>)),
                  json_or_null(profile->last_ip_address),
                  user.password_hash.has_value(),
                  user.must_change_password,
                  time_of(user.password_expires_at),
                  user.password_attempt,
                  lock_of(user.password_locked_until, now),
                  name_of(factor),
                  time_of(services.two_factor.end_of_set_up(factor)),
                  lock_of(factor.locked_until, now),
                  factor.backup_codes,
                  sessions.count.value_or(0)},
                 as_json);
    return 0;
}

}  // namespace

int list_users(const UserOptions& options) {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    constexpr std::int64_t portion = 500;
    ResultList list({{.name = "id", .heading = "ID"},
                     {.name = "email", .heading = "EMAIL"},
                     {.name = "roleType", .heading = "ROLE TYPE"},
                     {.name = "status", .heading = "STATUS", .is_state = true},
                     {.name = "twoFactor", .heading = "TWO-FACTOR", .is_state = true}},
                    options.json);
    std::optional<UserId> last;
    for (;;) {
        const auto users = run(services->users.list(last, portion));
        if (users.empty()) break;
        last = users.back().id;
        auto factors = run(services->two_factor.states(users.front().id, *last));
        for (const User& user : users)
            list.add({user.id.text(), user.email, consentry::name_of(user.role), consentry::name_of(user.status),
                      name_of(factors[user.id])});
    }
    list.end();
    return 0;
}

int show_user(const UserOptions& options) {
    return with_account(options.account,
                        [&](Services& services, const User& user) { return show(services, user, options.json); });
}

int block_user(const UserOptions& options) {
    return set_status(options, UserStatus::blocked, [](Services&, const User&) -> std::string_view {
        return "The account is blocked, and all its sessions have ended.";
    });
}

int unblock_user(const UserOptions& options) { return set_status(options, UserStatus::active, active_says); }

int unlock_user(const UserOptions& options) {
    return with_account(options.account, [&](Services& services, const User& user) -> int {
        const auto done =
            run(services.administration.unlock({.actor = Actor::operator_at_the_machine(), .cause = {}}, user.id));
        if (!done) return tell(services, done.error());
        tell_done("All locks are lifted. The counts of wrong passwords and codes are zero again.",
                  {{"id", user.id.text()}, {"unlocked", true}}, options.json);
        return 0;
    });
}

int delete_user(const UserOptions& options) {
    return with_account(options.account, [&](Services& services, const User& user) -> int {
        const auto question =
            fmt::format("You cannot undo the deletion of {}. Type the address to confirm:", user.email);
        if (const int refused = options.yes ? 0 : confirm(question, user.email, "--yes"); refused != 0) return refused;
        const auto done = run(services.accounts.delete_by(Actor::operator_at_the_machine(), user.id, {}));
        if (!done) return tell(services, done.error());
        const auto days = services.config.account.erase_after.count();
        tell_done(fmt::format("The account is deleted. Its personal data will be erased in {} days.", days),
                  {{"id", user.id.text()}, {"deleted", true}, {"erasedInDays", days}}, options.json);
        return 0;
    });
}

}  // namespace consentry
