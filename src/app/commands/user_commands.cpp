#include "app/commands/user_commands.hpp"

#include <cstdio>
#include <expected>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "app/terminal/password_prompt.hpp"
#include "app/terminal/results.hpp"
#include "app/terminal/terminal.hpp"
#include "base/errors.hpp"
#include "base/json_values.hpp"
#include "base/shown_time.hpp"
#include "base/standard_error.hpp"
#include "base/text_rules.hpp"
#include "crypto/digest.hpp"
#include "features/passwords/form.hpp"

namespace consentry {
namespace {

constexpr std::int64_t account_name_length_max = 100;  // as in the API

// Some editors begin a file with a byte order mark. It is no part of the first line.
std::string read_line() {
    constexpr std::string_view byte_order_mark = "\uFEFF";
    std::string line;
    std::getline(std::cin, line);
    if (line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
}

// Reads one line of standard input, or asks at a terminal. Returns nullopt if that failed, and has then reported it.
std::optional<std::string> read_password() {
    auto password = is_terminal(stdin) ? ask_for_password() : std::expected<std::string, std::string>(read_line());
    if (!password) {
        say("consentry: {}; nothing was changed\n", password.error());
        return std::nullopt;
    }
    // The API takes no text with one, so the owner could never log in.
    if (password->contains('\0')) {
        say("consentry: the password must not contain a zero byte, as text in UTF-16 does; nothing was changed\n");
        crypto::wipe(*password);
        return std::nullopt;
    }
    return std::move(*password);
}

std::optional<Error> form_of(std::string_view password) {
    Report report;
    check_password_form(password, "password", report);
    if (report.empty()) return std::nullopt;
    return Error{errors::validation, report.take()};
}

}  // namespace

int create_user(const UserOptions& options) {
    auto email = canonical_email(options.email);
    if (!email) {
        say("consentry: --email must be a valid email address\n");
        return wrong_use;
    }
    if (!options.name.empty() &&
        (!is_one_line_name(options.name) || !is_at_most(options.name, account_name_length_max))) {
        say("consentry: --name must be one line of visible text, of at most {} characters\n", account_name_length_max);
        return wrong_use;
    }
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    const auto role = run(services->roles.find(options.role));
    if (!role) {
        say("consentry: --role must be user, admin, superAdmin or the name of a custom role\n");
        return wrong_use;
    }
    auto password = read_password();
    if (!password) return failed;
    if (const auto form = form_of(*password)) return tell(*services, *form);
    User user;
    user.email = std::move(*email);
    if (!options.name.empty()) user.name = options.name;
    user.role_id = role->id;
    user.is_verified = true;
    const auto created = run(services->passwords.create(std::move(user), *password));
    crypto::wipe(*password);
    if (!created) return tell(*services, created.error());
    if (options.json)
        print_json({{"id", created->text()}});
    else
        fmt::print("{}\n", created->text());
    say("The account has been created.\n");
    return 0;
}

int set_password(const UserOptions& options) {
    return with_account(options.account, [&](Services& services, User user) -> int {
        auto password = read_password();
        if (!password) return failed;
        if (const auto form = form_of(*password)) return tell(services, *form);
        const std::string id = user.id.text();
        const auto set = run(services.passwords.set(std::move(user), *password));
        crypto::wipe(*password);
        if (!set) return tell(services, set.error());
        tell_done("The password has been set. All sessions of the account have ended.",
                  {{"id", id}, {"passwordSet", true}}, options.json);
        return 0;
    });
}

int reset_two_factor(const UserOptions& options) {
    return with_account(options.account, [&](Services& services, User user) -> int {
        const auto after = options.disable ? TwoFactor::After::off : TwoFactor::After::set_up_required;
        const UserId owner = user.id;
        const std::string id = owner.text();
        const auto done = run(services.two_factor.reset(Actor::operator_at_the_machine(), std::move(user), after, {}));
        if (!done) return tell(services, done.error());
        if (*done == TwoFactor::Removed::set_up_lock) {
            tell_done(
                "Two-factor authentication was not on. Failed attempts and the lock of a setup have been cleared.",
                {{"id", id}, {"twoFactor", "setup-unlocked"}}, options.json);
            return 0;
        }
        if (options.disable) {
            tell_done("Two-factor authentication is off. All sessions of the account have ended.",
                      {{"id", id}, {"twoFactor", "off"}}, options.json);
            return 0;
        }
        const auto until = services.two_factor.end_of_set_up(run(services.two_factor.state(owner)));
        tell_done(fmt::format("The account must set up two-factor authentication again at the next login{}. All "
                              "sessions of the account have ended.",
                              until ? ", by " + shown_time(*until) : ""),
                  {{"id", id},
                   {"twoFactor", "setup-required"},
                   {"twoFactorSetupUntil", json_or_null(until.transform(to_iso8601))}},
                  options.json);
        return 0;
    });
}

}  // namespace consentry
