// A super admin who creates roles, and admins who hold them.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

// For example {"user", {"read", "update"}}.
using Abilities = std::vector<std::pair<std::string, std::vector<std::string>>>;

inline json::array as_json(const Abilities& abilities) {
    json::array out;
    for (const auto& [subject, actions] : abilities)
        out.push_back({{"subject", subject}, {"action", json::array(actions.begin(), actions.end())}});
    return out;
}
inline json::object role_change(const std::string& type, const Abilities& abilities) {
    return {{"type", type}, {"abilities", as_json(abilities)}};
}

inline const Abilities everything{{"all", {"manage"}}};

// On a service of its own with these settings, or on one that tests share: `Staff staff(suite_service());`.
struct Staff {
    explicit Staff(Environment settings = {}) : own(std::in_place, std::move(settings)), service(*own) {}
    explicit Staff(Service& shared) : service(shared) {}

    Answer call(const std::string& token, const std::string& method, const std::string& path,
                const json::object& body = {}) const {
        const std::string text = body.empty() ? std::string() : json::serialize(body);
        return service.call(method, "/api/admin/" + path, text, bearer(token));
    }
    Answer create(const std::string& token, const std::string& name, const std::string& type,
                  const Abilities& abilities) const {
        json::object body = role_change(type, abilities);
        body["name"] = name;
        return call(token, "POST", "role/create", body);
    }
    Answer update(const std::string& token, const std::string& role, const std::string& type,
                  const Abilities& abilities) const {
        return call(token, "PUT", "role/update/" + role, role_change(type, abilities));
    }
    Answer erase(const std::string& token, const std::string& role) const {
        return call(token, "DELETE", "role/delete/" + role);
    }
    // Creates a role with a new name and returns its id.
    std::string make_role(const std::string& type, const Abilities& abilities) {
        const Answer made = create(chief, "made" + std::to_string(++roles_made), type, abilities);
        EXPECT_EQ(made.status, 201U) << made.body;
        return made.text("data.id");
    }
    void give(const Person& person, const std::string& role) const {
        service.sql("UPDATE users SET role_id = '" + role + "' WHERE id = '" + person.id.text() + "'");
    }
    // Creates a person with this role and returns their access token.
    std::string member_of(const std::string& role) {
        const Person person = service.make_person();
        give(person, role);
        return service.tokens_of(person).access;
    }
    std::string admin_with(const Abilities& abilities) { return member_of(make_role("admin", abilities)); }
    // Returns the actions in the super admin's activity log whose metadata holds `id` under `name`.
    std::multiset<std::string> logged(const std::string& name, const std::string& id) const {
        std::multiset<std::string> out;
        const Answer log = service.get("/api/shared/user/activity-log/list?perPage=100", bearer(chief));
        for (const auto& entry : log.json.at("data").as_array()) {
            const json::value* metadata = entry.as_object().if_contains("metadata");
            const json::value* found = metadata == nullptr ? nullptr : metadata->as_object().if_contains(name);
            if (found != nullptr && *found == json::value(id)) out.emplace(entry.at("action").as_string());
        }
        return out;
    }

    std::optional<Service> own;  // empty on a shared service
    Service& service;
    std::string chief = service.tokens_of(service.make_person(Role::super_admin)).access;

private:
    inline static int roles_made = 0;  // of all: a shared service keeps the roles of earlier tests
};

inline std::string built_in(Role type) { return built_in_role(type).text(); }
inline constexpr const char* absent_id = "01890000-0000-7000-8000-000000000000";

inline void expect_refused(const Answer& answer, const ErrorKind& kind, const std::string& what = {}) {
    EXPECT_EQ(answer.status, kind.http_status) << what << answer.body;
    EXPECT_EQ(answer.number("statusCode"), kind.service_code) << what << answer.body;
}

}  // namespace consentry::tests
