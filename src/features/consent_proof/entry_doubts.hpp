// What the entries of a log say that cannot all be true. The log's owner can sign such entries, but an honest service
// adds none, unless a clock is wrong or it was held up: so they are named, and the rest is up to the reader. Pure.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "features/consent_log/entry.hpp"

namespace consentry {

class DoubtfulEntries {
public:
    void add(std::uint64_t index);
    void add(const DoubtfulEntries& more);  // none of which was added before
    std::uint64_t count() const { return count_; }
    // "2 (entries 5, 9)"
    std::string text() const;

private:
    std::uint64_t count_ = 0;
    std::set<std::uint64_t> first_;  // a few of them
};

struct EntryDoubts {
    // None of these was recorded late, and the times differ by more than a log may take to add an entry.
    DoubtfulEntries out_of_order;        // older than an entry before them
    DoubtfulEntries before_publication;  // older than the publication of their version
    DoubtfulEntries before_stamp;        // older than a timestamp on a state of the log that lacks them
    // Acceptances and withdrawals.
    DoubtfulEntries unpublished;   // of versions whose publication is not in the log
    DoubtfulEntries other_text;    // of another text than the one that was published as their version
    DoubtfulEntries not_compared;  // it is unknown which text was published
};

// Lines that say what is wrong and what it means, each with a line break in front. Empty if there is nothing to say.
std::string describe(const EntryDoubts& doubts);

class EntryDoubtCheck {
public:
    // Before the entries.
    void note_stamp(std::uint64_t size, std::chrono::sys_seconds time) { stamp_ = {size, time}; }
    // In the order of the log.
    void note(std::uint64_t index, const LogEntry& entry);
    // The text of a publication record, which is the one with this digest.
    void note_record(const crypto::Sha256& digest, std::string_view text);
    // After the last entry. `has_publications`: those of all versions that entries name should be among the entries.
    EntryDoubts finish(bool has_publications) &&;

private:
    using Time = std::chrono::sys_seconds;
    using Digest = std::array<std::uint8_t, sizeof(crypto::Sha256)>;  // in an order: none is secret
    using VersionKey = std::pair<PolicyType, std::uint32_t>;
    struct Version {
        std::optional<Time> published_at;  // by the first publication in the log
        crypto::Sha256 record{};
        std::vector<std::pair<std::uint64_t, Time>> earlier;  // indices and times of entries before that
    };
    using Claim = std::tuple<PolicyType, std::uint32_t, Language, Digest>;  // that this was the version's text
    void note_time(std::uint64_t index, const LogEntry& entry);
    void note_consent(std::uint64_t index, const ConsentEntry& entry);
    void note_publication(const PublicationEntry& entry);

    EntryDoubts out_;
    std::optional<std::pair<std::uint64_t, Time>> stamp_;
    std::optional<Time> greatest_;  // of all but publications and what was recorded late
    std::map<VersionKey, Version> versions_;
    std::map<Claim, DoubtfulEntries> claims_;
    std::map<Digest, std::map<std::string, std::string, std::less<>>> records_;  // texts by languages
};

}  // namespace consentry
