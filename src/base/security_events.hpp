// The security event stream (LOG-4): who did what to which account, from where, and what came of it. Recorded whatever
// the LOGGER settings say. docs/guides/logging.md lists the events.
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

// Where a request came from. All of it is what clients sent, hence bounded and escaped when it is written.
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
    std::string actor{};                  // the id of the user or API key who acts; empty: nobody is known
    std::string target{};                 // whom or what it is done to, where that is somebody else
    const EventOrigin* origin = nullptr;  // null: a command of the operator
    std::vector<std::pair<std::string_view, std::string>> detail{};  // a few names and values; never a secret
};

class SecurityEvents {
public:
    virtual ~SecurityEvents() = default;
    // From any thread, without waiting.
    virtual void record(const SecurityEvent& event) noexcept = 0;
};

}  // namespace consentry
