// Shapes of forward auth on the wire.
#pragma once

#include <optional>
#include <string>

#include "features/forward_auth/forward_auth.hpp"

namespace consentry {

struct ForwardAuthQuery {
    std::optional<std::string> roles;
    std::optional<std::string> policies;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("roles", &ForwardAuthQuery::roles,
                                "Types of role between commas: user, admin, superAdmin. One of them lets in; "
                                "superAdmin always does"),
                          field("policies", &ForwardAuthQuery::policies,
                                "Types of policy between commas: termsOfService, privacy, marketing, cookies. All of "
                                "them must be accepted in their latest version; one that has none is not asked for")};
    }
    static void check(const ForwardAuthQuery& query, http::Report& report) { demand(query, report); }
    static Demand demand(const ForwardAuthQuery& query, http::Report& report) {
        Demand out;
        if (query.roles) out.roles.push_back(read_types<Role>(*query.roles, "roles", report));
        if (query.policies) out.policies = read_types<PolicyType>(*query.policies, "policies", report);
        return out;
    }
};

struct ForwardedPath {
    std::optional<std::string> path;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("path", &ForwardedPath::path, "The path that the application is asked for, slashes included")};
    }
};

}  // namespace consentry
