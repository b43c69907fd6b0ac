#include "features/forward_auth/forward_auth.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace consentry {

storage::awaitable<Result<http::Done>> ForwardAuth::admit(SignedIn caller, Demand demand) {
    const bool has_role =
        caller.role() == Role::super_admin || std::ranges::all_of(demand.roles, [&](const std::vector<Role>& roles) {
            return std::ranges::find(roles, caller.role()) != roles.end();
        });
    if (!has_role) co_return fail(errors::role_forbidden);
    std::string graces;
    if (!demand.policies.empty()) {
        auto accepted = co_await consents_.admit(caller.grounds(), demand.policies);
        if (!accepted) co_return fail(std::move(accepted.error()));
        graces = grace_line(*accepted);
    }
    // Addresses are ASCII without blanks (rule Email), so none needs escaping.
    co_return http::Done{fmt::format("X-User-Id: {}\r\nX-User-Email: {}\r\nX-User-Role: {}\r\nX-Session-Id: {}\r\n{}",
                                     caller.user().text(), caller.email(), name_of(caller.role()),
                                     caller.session().text(), graces)};
}

}  // namespace consentry
