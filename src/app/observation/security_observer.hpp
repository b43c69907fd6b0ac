// Security events that the answers themselves tell of, for every operation alike: callers that were refused, what
// administrators changed, clients that send much nonsense (LOG-4). What only a feature knows it tells itself.
#pragma once

#include "base/security_events.hpp"
#include "base/sliding_windows.hpp"
#include "http/observer.hpp"

namespace consentry {

class SecurityObserver final : public http::Observer {
public:
    // `events` outlives it.
    explicit SecurityObserver(SecurityEvents& events) : events_(events) {}
    void on_answer(const http::Exchange& exchange) noexcept override;

private:
    void tell_of_refusal(const http::Exchange& exchange);
    void tell_of_change(const http::Exchange& exchange);
    void record(std::string_view name, Outcome outcome, const http::Exchange& exchange,
                std::vector<std::pair<std::string_view, std::string>> detail);

    SecurityEvents& events_;
    // Both per client.
    SlidingWindows nonsense_;
    SlidingWindows told_;  // a burst is told of once
};

}  // namespace consentry
