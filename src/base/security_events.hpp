// The security event stream (LOG-4): who did what to which account, from where, and the outcome. Recorded regardless of
// the LOGGER settings. docs/guides/logging.md lists the events.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace consentry {

enum class Outcome { success, failure, refused };

constexpr std::string_view text_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::success:
            return "success";
        case Outcome::failure:
            return "failure";
        case Outcome::refused:
            return "refused";
    }
    return {};
}

// Origin of a request. All fields come from the client and are therefore bounded and escaped on output.
struct EventOrigin {
    std::string address;
    std::string user_agent;
    std::string request_id;
    std::string correlation_id;
    std::string trace_id;
};

struct SecurityEvent {
    std::string_view name;  // "login.password"
    Outcome outcome = Outcome::success;
    std::string actor{};                  // id of the acting user or API key; empty: unknown
    std::string target{};                 // the affected user or object, if not the actor itself
    const EventOrigin* origin = nullptr;  // null: a command run by the operator
    std::vector<std::pair<std::string_view, std::string>> detail{};  // a few names and values; never a secret
};

class SecurityEvents {
public:
    virtual ~SecurityEvents() = default;
    // Thread-safe and non-blocking.
    virtual void record(const SecurityEvent& event) noexcept = 0;
};

}  // namespace consentry
