// Request and response types of forward auth.
#pragma once

#include <optional>
#include <string>

#include "features/forward_auth/forward_auth.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

enum class DenyAs { unauthorized };

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::DenyAs> {
    static constexpr std::array names{std::pair{consentry::DenyAs::unauthorized, std::string_view{"401"}}};
};

namespace consentry {

// Describes what read_types() takes.
template <class Type>
struct TypeList : http::NoCheck {
    void describe(boost::json::object& schema) const {
        std::string name;
        for (const auto& [value, text] : EnumNames<Type>::names) name.append(name.empty() ? "(" : "|").append(text);
        name = "[ \\t]*" + name + ")[ \\t]*";
        schema["pattern"] = "^" + name + "(," + name + ")*$";
    }
};

struct ForwardAuthQuery {
    std::optional<std::string> roles;
    std::optional<std::string> policies;
    std::optional<DenyAs> deny;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("roles", &ForwardAuthQuery::roles,
                  "Role types, separated by commas: user, admin, superAdmin. The caller needs one of them; superAdmin "
                  "always passes",
                  TypeList<Role>{}),
            field(
                "policies", &ForwardAuthQuery::policies,
                "Policy types, separated by commas: termsOfService, privacy, marketing, cookies. The caller must "
                "have accepted the required version of each: the newest one whose change was material. A type without "
                "a published version is not required",
                TypeList<PolicyType>{}),
            field("deny", &ForwardAuthQuery::deny,
                  "`401`: a browser that has to log in, or to accept a policy, gets 401 instead of 302, with the same "
                  "`Location`, for proxies whose checks cannot redirect")};
    }
    static void check(const ForwardAuthQuery& query, Report& report) { demand(query, report); }
    static Demand demand(const ForwardAuthQuery& query, Report& report) {
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
            field("path", &ForwardedPath::path, "Path requested from the application; may contain slashes")};
    }
};

}  // namespace consentry
