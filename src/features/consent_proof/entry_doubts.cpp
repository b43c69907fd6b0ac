#include "features/consent_proof/entry_doubts.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "features/consent_log/consent_log.hpp"

namespace consentry {
namespace {

constexpr std::size_t named_max = 10;

bool is_older(std::chrono::sys_seconds time, std::chrono::sys_seconds than) { return than - time > merge_delay; }

std::string line(const DoubtfulEntries& entries, std::string_view what, std::string_view meaning) {
    return entries.count() == 0 ? "" : fmt::format("\n{}: {}. {}", what, entries.text(), meaning);
}

}  // namespace

void DoubtfulEntries::add(std::uint64_t index) {
    ++count_;
    first_.insert(index);
    if (first_.size() > named_max) first_.erase(std::prev(first_.end()));
}

std::string DoubtfulEntries::text() const {
    return fmt::format("{} ({} {}{})", count_, count_ == 1 ? "entry" : "entries", fmt::join(first_, ", "),
                       count_ > first_.size() ? ", and so on" : "");
}

std::string describe(const EntryDoubts& doubts) {
    constexpr std::string_view backdated =
        "They were backdated, or a clock of the service was wrong. Ask the operator.";
    return line(doubts.out_of_order, "Entries that are more than 60 seconds older than one before them", backdated) +
           line(doubts.before_publication,
                "Acceptances and withdrawals that are more than 60 seconds older than the publication of their version",
                backdated) +
           line(doubts.before_stamp,
                "Entries that are more than 60 seconds older than the timestamp, which is about a state of the log "
                "without them",
                "They were backdated, or the service added them later than it promises, for example after an outage, "
                "or a clock was wrong. Ask the operator.");
}

void EntryDoubtCheck::note(std::uint64_t index, const LogEntry& entry) {
    note_time(index, entry);
    if (const auto* consent = std::get_if<ConsentEntry>(&entry)) note_consent(index, *consent);
    if (const auto* publication = std::get_if<PublicationEntry>(&entry)) note_publication(*publication);
}

void EntryDoubtCheck::note_time(std::uint64_t index, const LogEntry& entry) {
    const auto time = added_at(entry);
    if (!time) return;
    if (greatest_ && is_older(*time, *greatest_)) out_.out_of_order.add(index);
    if (stamp_ && index >= stamp_->first && is_older(*time, stamp_->second)) out_.before_stamp.add(index);
    // An outage may put a publication before acceptances of earlier times: its position follows that of its draft.
    if (!std::holds_alternative<PublicationEntry>(entry)) greatest_ = std::max(greatest_.value_or(*time), *time);
}

// What was recorded late may be older: operators can take over acceptances of a former system.
void EntryDoubtCheck::note_consent(std::uint64_t index, const ConsentEntry& entry) {
    if (entry.is_late) return;
    Version& version = versions_[{entry.type, entry.version}];
    if (!version.published_at)
        version.earlier.emplace_back(index, entry.time);
    else if (is_older(entry.time, *version.published_at))
        out_.before_publication.add(index);
}

void EntryDoubtCheck::note_publication(const PublicationEntry& entry) {
    Version& version = versions_[{entry.type, entry.version}];
    if (version.published_at) return;
    version.published_at = entry.time;
    for (const auto& [index, time] : std::exchange(version.earlier, {}))
        if (is_older(time, entry.time)) out_.before_publication.add(index);
}

}  // namespace consentry
