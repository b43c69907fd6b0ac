// What lists show of a session, for the repositories that list sessions.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "features/users/stored.hpp"
#include "features/users/user.hpp"

namespace consentry {

struct SessionSummary {
    SessionId id;
    LoginFrom from = LoginFrom::website;
    LoginWith with = LoginWith::credential;
    std::string ip_address;
    std::string user_agent;
    std::optional<std::string> device_name;
    std::optional<std::string> device_platform;
    TimePoint created_at;
    TimePoint updated_at;
    TimePoint last_active_at;
    TimePoint expires_at;
};

inline constexpr auto session_columns = storage::columns<SessionSummary>(
    storage::column<"id", &SessionSummary::id>, storage::column<"login_from", &SessionSummary::from>,
    storage::column<"login_with", &SessionSummary::with>, storage::column<"ip_address", &SessionSummary::ip_address>,
    storage::column<"user_agent", &SessionSummary::user_agent>,
    storage::column<"device_name", &SessionSummary::device_name>,
    storage::column<"device_platform", &SessionSummary::device_platform>,
    storage::column<"created_at", &SessionSummary::created_at>,
    storage::column<"updated_at", &SessionSummary::updated_at>,
    storage::column<"last_active_at", &SessionSummary::last_active_at>,
    storage::column<"expires_at", &SessionSummary::expires_at>);

}  // namespace consentry
