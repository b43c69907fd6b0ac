// Counts security events by name and outcome for the metrics, and forwards them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/security_events.hpp"

namespace consentry {

class CountedEvents final : public SecurityEvents {
public:
    // `next` must outlive this object.
    explicit CountedEvents(SecurityEvents& next) : next_(next) {}

    void record(const SecurityEvent& event) noexcept override;

    struct Count {
        std::string name;
        Outcome outcome;
        std::uint64_t count;
    };
    std::vector<Count> counts() const;

private:
    SecurityEvents& next_;
    mutable std::mutex mutex_;
    // Bounded, because event names are constants of the program.
    std::map<std::pair<std::string, Outcome>, std::uint64_t> counts_;
};

}  // namespace consentry
