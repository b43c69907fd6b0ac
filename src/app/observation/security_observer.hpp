// Derives security events from the responses, uniformly for all operations: refused callers, changes by administrators,
// clients that send many malformed requests (LOG-4). Features record the events that only they know of.
#pragma once

#include "base/security_events.hpp"
#include "base/sliding_windows.hpp"
#include "http/observer.hpp"

namespace consentry {

class SecurityObserver final : public http::Observer {
public:
    // `events` must outlive this object.
    explicit SecurityObserver(SecurityEvents& events) : events_(events) {}
    void on_answer(const http::Exchange& exchange) noexcept override;

private:
    void tell_of_refusal(const http::Exchange& exchange);
    void tell_of_act(const http::Exchange& exchange);
    void record(std::string_view name, Outcome outcome, const http::Exchange& exchange,
                std::vector<std::pair<std::string_view, std::string>> detail);

    SecurityEvents& events_;
    // Both per client.
    SlidingWindows nonsense_;
    SlidingWindows told_;  // records a burst only once
};

}  // namespace consentry
