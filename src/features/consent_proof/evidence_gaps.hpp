// Which entries lack the evidence about them although the log does not say that it was erased. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "features/consent_log/entry.hpp"

namespace consentry {

// An entry without evidence, or one that says that all evidence before it was erased.
struct EvidenceEvent {
    std::uint64_t index = 0;
    SubjectTag subject{};
    bool is_erasure = false;
};

// Memory grows by one account whose erasure was not seen yet.
class EvidenceGaps {
public:
    // In the order of the log.
    void add(const std::vector<EvidenceEvent>& events) {
        for (const EvidenceEvent& event : events)
            if (event.is_erasure)
                note_erasure(event.subject);
            else
                first_.try_emplace(event.subject, event.index);
    }
    void note_erasure(const SubjectTag& subject) { first_.erase(subject); }

    bool are_none() const { return first_.empty(); }
    // The first entry of those that nothing explains; nullopt if there is none.
    std::optional<std::uint64_t> first() const {
        std::optional<std::uint64_t> out;
        for (const auto& [subject, index] : first_)
            if (!out || index < *out) out = index;
        return out;
    }

private:
    std::map<SubjectTag, std::uint64_t> first_;  // of each subject
};

}  // namespace consentry
