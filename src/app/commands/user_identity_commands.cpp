// The commands about the Google and Apple accounts that log in to an account.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/commands/user_commands.hpp"
#include "app/terminal/results.hpp"
#include "base/json_values.hpp"
#include "base/standard_error.hpp"

namespace consentry {
namespace {

// The table of commands admits only the names of providers.
SocialProvider chosen_provider(const UserOptions& options) {
    return *std::ranges::find(all_social_providers, options.provider,
                              [](SocialProvider one) { return facts_of(one).name; });
}

}  // namespace

int list_identities(const UserOptions& options) {
    return with_account(options.account, [&](Services& services, const User& user) -> int {
        ResultList rows({{.name = "provider", .heading = "PROVIDER"},
                         {.name = "subject", .heading = "SUBJECT"},
                         {.name = "email", .heading = "EMAIL"},
                         {.name = "createdAt", .heading = "LINKED"},
                         {.name = "lastUsedAt", .heading = "LAST USED"},
                         {.name = "unlinkedAt", .heading = "UNLINKED"}},
                        options.json);
        for (const LinkedIdentity& one : run(services.social_accounts.list(user.id)))
            rows.add({one.provider, one.subject, json_or_null(one.email), to_iso8601(one.created_at),
                      json_or_null(one.last_used_at.transform(to_iso8601)),
                      json_or_null(one.unlinked_at.transform(to_iso8601))});
        rows.end();
        return 0;
    });
}

int unlink_identity(const UserOptions& options) {
    const SocialProvider provider = chosen_provider(options);
    const auto& facts = facts_of(provider);
    return with_account(options.account, [&](Services& services, const User& user) -> int {
        const auto question = fmt::format(
            "You cannot undo this: the {0} account will never log in to {1} again. Type the address to confirm:",
            facts.owner, user.email);
        if (const int refused = options.yes ? 0 : confirm(question, user.email, "--yes"); refused != 0) return refused;
        const auto done = run(services.social_accounts.unlink(Actor::operator_at_the_machine(), user.id, provider, {}));
        if (!done) return tell(services, done.error());
        if (!*done) {
            say("consentry: no {} account is linked to this account; nothing was changed\n", facts.owner);
            return failed;
        }
        tell_done(fmt::format("{} is unlinked. All sessions of the account have ended.", facts.owner),
                  {{"id", user.id.text()}, {"provider", facts.name}, {"unlinked", true}}, options.json);
        return 0;
    });
}

}  // namespace consentry
