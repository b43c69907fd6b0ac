// What the entries of a log say that cannot all be true. The log's owner can sign such entries, but an honest service
// adds none, unless a clock is wrong or it was held up: so they are named, and the rest is up to the reader. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "features/consent_log/entry.hpp"

namespace consentry {

class DoubtfulEntries {
public:
    void add(std::uint64_t index);
    std::uint64_t count() const { return count_; }
    // "2 (entries 5, 9)"
    std::string text() const;

private:
    std::uint64_t count_ = 0;
    std::set<std::uint64_t> first_;  // a few of them
};

// None of these entries was recorded late, and the times differ by more than a log may take to add an entry.
struct EntryDoubts {
    DoubtfulEntries out_of_order;        // older than an entry before them
    DoubtfulEntries before_publication;  // older than the publication of their version
    DoubtfulEntries before_stamp;        // older than a timestamp on a state of the log that lacks them
};

// Lines that say what is wrong and what it means, each with a line break in front. Empty if there is nothing to say.
std::string describe(const EntryDoubts& doubts);

class EntryDoubtCheck {
public:
    // Before the entries.
    void note_stamp(std::uint64_t size, std::chrono::sys_seconds time) { stamp_ = {size, time}; }
    // In the order of the log.
    void note(std::uint64_t index, const LogEntry& entry);
    const EntryDoubts& found() const { return out_; }

private:
    using Time = std::chrono::sys_seconds;
    using VersionKey = std::pair<PolicyType, std::uint32_t>;
    struct Version {
        std::optional<Time> published_at;                     // by the first publication in the log
        std::vector<std::pair<std::uint64_t, Time>> earlier;  // indices and times of entries before that
    };
    void note_time(std::uint64_t index, const LogEntry& entry);
    void note_consent(std::uint64_t index, const ConsentEntry& entry);
    void note_publication(const PublicationEntry& entry);

    EntryDoubts out_;
    std::optional<std::pair<std::uint64_t, Time>> stamp_;
    std::optional<Time> greatest_;  // of all but publications and what was recorded late
    std::map<VersionKey, Version> versions_;
};

}  // namespace consentry
