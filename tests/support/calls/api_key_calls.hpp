// A super admin who creates API keys, and calls that present them.
#pragma once

#include <string>
#include <utility>

#include "tests/support/calls/role_calls.hpp"

namespace consentry::tests {

struct Issued {
    std::string id;
    std::string key;
    std::string secret;
    std::string text() const { return key + ":" + secret; }
};

inline Headers with_key(const std::string& text, Headers more = {}) {
    more.emplace_back("x-api-key", text);
    return more;
}

struct Keys : Staff {
    using Staff::Staff;

    Answer create(const json::object& body) const { return call(chief, "POST", "api-key/create", body); }
    Issued make(const std::string& type = "default", json::object more = {}) const {
        more["name"] = "made for a test";
        more["type"] = type;
        return issued_in(create(more), 201);
    }
    static Issued issued_in(const Answer& answer, unsigned status) {
        EXPECT_EQ(answer.status, status) << answer.body;
        return {answer.text("data.id"), answer.text("data.key"), answer.text("data.secret")};
    }
    // `what` is "reset", "date" or "status"; empty changes the name.
    Answer update(const std::string& id, const std::string& what, const json::object& body = {}) const {
        const bool is_patch = what == "reset" || what == "status";
        return call(chief, is_patch ? "PATCH" : "PUT", "api-key/update/" + id + (what.empty() ? "" : "/" + what), body);
    }
    Answer switch_to(const std::string& id, bool on) const { return update(id, "status", {{"isActive", on}}); }
    Answer erase(const std::string& id) const { return call(chief, "DELETE", "api-key/delete/" + id); }

    // Calls an endpoint that needs no key.
    Answer show(const std::string& text) const { return service.get("/api/hello", with_key(text)); }
    // Calls an endpoint for signed-in callers that may require a key of type default.
    Answer show_signed_in(const std::string& text) const {
        return service.get("/api/admin/api-key/list", with_key(text, bearer(chief)));
    }
    // Calls an endpoint for system keys.
    Answer show_as_system(const std::string& text) const {
        return service.get("/api/system/role/list", with_key(text));
    }
};

}  // namespace consentry::tests
