// The door for other applications: a proxy in front of one asks here who is calling, and hands the answer on.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/report.hpp"
#include "features/users/caller.hpp"
#include "features/users/consent.hpp"
#include "http/endpoint.hpp"

namespace consentry {

// What the application wants of its callers besides a live session.
struct Demand {
    std::vector<std::vector<Role>> roles;  // of each of these lists one
    std::vector<PolicyType> policies;      // all
    void add(Demand other) {
        std::ranges::move(other.roles, std::back_inserter(roles));
        std::ranges::move(other.policies, std::back_inserter(policies));
    }
};

// The types of a list between commas. An empty or unknown name is a broken rule of `property`: who may come in is
// nothing to guess at.
template <class Type>
std::vector<Type> read_types(std::string_view list, std::string_view property, Report& report) {
    std::vector<Type> out;
    for (bool more = true; more;) {
        const auto comma = list.find(',');
        more = comma != std::string_view::npos;
        if (const auto type = find_enum<Type>(trim(list.substr(0, comma)))) {
            out.push_back(*type);
        } else {
            report.add("isEnum", property, http::detail::type_placeholders<Type>());
            break;
        }
        if (more) list.remove_prefix(comma + 1);
    }
    return out;
}

class ForwardAuth {
public:
    explicit ForwardAuth(Consents& consents) : consents_(consents) {}

    // Headers that tell the application who is calling.
    storage::awaitable<Result<http::Done>> admit(SignedIn caller, Demand demand);

private:
    Consents& consents_;
};

void add_forward_auth_endpoints(http::Router& router, ForwardAuth& forward_auth);

}  // namespace consentry
