#include "app/observation/bounded_events.hpp"

#include "http/steps/networks.hpp"

namespace consentry {
namespace {

// These events also leave an entry in the administrator's activity log. They require privileges with which an attacker
// has no need to flood the stream.
bool is_always_told(const SecurityEvent& event) {
    return event.origin == nullptr || event.name == "admin.change" || event.name == "admin.export";
}

std::string client_of(const EventOrigin& origin) {
    const auto address = http::parse_address(origin.address);
    return address ? http::client_key(http::canonical(*address)) : origin.address;
}

}  // namespace

BoundedEvents::BoundedEvents(SecurityEvents& next, const Clock& clock, Options options)
    : next_(next), clock_(clock), options_(options) {}

BoundedEvents::~BoundedEvents() {
    const std::lock_guard lock(mutex_);
    while (!windows_.empty()) end(windows_.begin());
}

void BoundedEvents::record(const SecurityEvent& event) noexcept {
    bool is_told = true;
    try {
        is_told = is_always_told(event) || admit(event, clock_.now());
    } catch (...) {  // out of memory: one line too many is better than one too few
    }
    if (is_told) next_.record(event);
}

void BoundedEvents::settle() noexcept {
    const std::lock_guard lock(mutex_);
    settle(clock_.now());
}

std::size_t BoundedEvents::windows() const {
    const std::lock_guard lock(mutex_);
    return windows_.size();
}

bool BoundedEvents::admit(const SecurityEvent& event, TimePoint now) {
    std::string client = client_of(*event.origin);
    std::string key(event.name);
    key.append(1, ' ').append(text_of(event.outcome)).append(1, ' ').append(client);
    const std::lock_guard lock(mutex_);
    settle(now);
    auto known = known_.find(key);
    if (known != known_.end() && is_over(*known->second, now)) {
        end(known->second);
        known = known_.end();
    }
    if (known == known_.end()) {
        if (windows_.size() >= options_.windows_max) end(windows_.begin());
        windows_.push_back({.key = std::move(key),
                            .name = std::string(event.name),
                            .outcome = event.outcome,
                            .client = std::move(client),
                            .begun = now});
        try {
            known = known_.emplace(windows_.back().key, std::prev(windows_.end())).first;
        } catch (...) {
            windows_.pop_back();
            throw;
        }
    }
    Window& window = *known->second;
    const std::uint64_t most = event.outcome == Outcome::success ? options_.successes_max : options_.refusals_max;
    ++(window.told < most ? window.told : window.suppressed);
    return window.suppressed == 0;
}

// Setting the clock back must not keep a window open (RAC-6).
bool BoundedEvents::is_over(const Window& window, TimePoint now) const {
    return now < window.begun || now - window.begun >= options_.window;
}

void BoundedEvents::settle(TimePoint now) {
    while (!windows_.empty() && is_over(windows_.front(), now)) end(windows_.begin());
}

void BoundedEvents::end(Windows::iterator window) {
    if (window->suppressed > 0) try {
            EventOrigin origin;
            origin.address = window->client;
            next_.record({.name = "securityEvents.suppressed",
                          .outcome = window->outcome,
                          .origin = &origin,
                          .detail = {{"event", window->name},
                                     {"suppressed", std::to_string(window->suppressed)},
                                     {"told", std::to_string(window->told)},
                                     {"since", to_iso8601(window->begun)}}});
        } catch (...) {  // out of memory
        }
    known_.erase(window->key);
    windows_.erase(window);
}

}  // namespace consentry
