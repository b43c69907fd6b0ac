// Helpers for the tests of lists: a person with many sessions, and their session list.
#pragma once

#include <string>
#include <vector>

#include "tests/support/service.hpp"

namespace consentry::tests {

inline constexpr std::string_view session_list = "/api/shared/user/session/list";

// A person with any number of sessions, created directly in the database.
class Reader {
public:
    explicit Reader(Service& service) : service_(service), person_(service.make_person()) {
        token_ = service.tokens_of(person_).access;
    }

    const Person& person() const { return person_; }
    Headers headers() const { return bearer(token_); }
    Answer list(const std::string& query = {}) const {
        return service_.get(std::string(session_list) + (query.empty() ? "" : "?" + query), headers());
    }
    // Adds a copy of the person's first session, created at `created_at`.
    SessionId add_session(TimePoint created_at) const {
        const auto id = SessionId::make(created_at);
        const std::string time = std::to_string(epoch_ms(created_at));
        service_.sql(
            "INSERT INTO sessions (id, user_id, jti, access_digest, refresh_digest, login_from, login_with, login_at, "
            "ip_address, user_agent, created_at, updated_at, issued_at, last_active_at, expires_at) SELECT '" +
            id.text() + "', user_id, '" + id.text() +
            "', access_digest, refresh_digest, login_from, login_with, login_at, ip_address, user_agent, " + time +
            ", " + time + ", issued_at, last_active_at, expires_at FROM sessions WHERE user_id = '" +
            person_.id.text() + "' AND device_fingerprint IS NULL ORDER BY id LIMIT 1");
        return id;
    }
    void end_session(SessionId id) const {
        service_.sql("UPDATE sessions SET revoked_at = 1 WHERE id = '" + id.text() + "'");
    }

private:
    Service& service_;
    Person person_;
    std::string token_;
};

inline std::vector<std::string> ids_of(const Answer& page) {
    std::vector<std::string> out;
    for (const auto& item : page.json.at("data").as_array()) out.emplace_back(item.at("id").as_string());
    return out;
}

}  // namespace consentry::tests
