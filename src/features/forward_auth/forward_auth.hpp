// Forward authentication for other applications: their reverse proxy asks here who the caller is and passes the answer
// on.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/report.hpp"
#include "base/text.hpp"
#include "features/users/caller.hpp"
#include "features/users/consent.hpp"
#include "http/endpoint.hpp"

namespace consentry {

// What the application requires of a caller besides a live session.
struct Demand {
    std::vector<std::vector<Role>> roles;  // the caller needs one role of each list
    std::vector<PolicyType> policies;      // all of them
    void add(Demand other) {
        std::ranges::move(other.roles, std::back_inserter(roles));
        std::ranges::move(other.policies, std::back_inserter(policies));
    }
};

// Parses a comma-separated list. An empty or unknown name is reported as a violation of `property`: an access rule must
// not be guessed at.
template <class Type>
std::vector<Type> read_types(std::string_view list, std::string_view property, Report& report) {
    std::vector<Type> out;
    for (const std::string_view name : split(list, ',')) {
        const auto type = find_enum<Type>(trim(name));
        if (!type) {
            report.add("isEnum", property, http::detail::type_placeholders<Type>());
            break;
        }
        out.push_back(*type);
    }
    return out;
}

class ForwardAuth {
public:
    explicit ForwardAuth(Consents& consents) : consents_(consents) {}

    // Returns headers that tell the application who the caller is.
    storage::awaitable<Result<http::Done>> admit(SignedIn caller, Demand demand);

private:
    Consents& consents_;
};

void add_forward_auth_endpoints(http::Router& router, ForwardAuth& forward_auth);

}  // namespace consentry
