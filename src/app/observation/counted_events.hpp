// Security events on their way to where they are kept, counted by name and outcome for the metrics.
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
    // `next` outlives it.
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
    // Names are the program's own, so there are few.
    std::map<std::pair<std::string, Outcome>, std::uint64_t> counts_;
};

}  // namespace consentry
