#include "app/observation/counted_events.hpp"

namespace consentry {

void CountedEvents::record(const SecurityEvent& event) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        ++counts_[{std::string(event.name), event.outcome}];
    } catch (...) {
        // Out of memory: skip the count, but forward the event.
    }
    next_.record(event);
}

std::vector<CountedEvents::Count> CountedEvents::counts() const {
    std::vector<Count> out;
    const std::lock_guard lock(mutex_);
    for (const auto& [key, count] : counts_) out.push_back({key.first, key.second, count});
    return out;
}

}  // namespace consentry
