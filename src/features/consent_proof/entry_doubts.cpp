#include "features/consent_proof/entry_doubts.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "features/consent_proof/named_documents.hpp"
#include "features/published_logs/published_log.hpp"

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
    if (first_.size() == named_max && index > *first_.rbegin()) return;
    first_.insert(index);
    if (first_.size() > named_max) first_.erase(std::prev(first_.end()));
}

void DoubtfulEntries::add(const DoubtfulEntries& more) {
    const std::uint64_t count = count_ + more.count_;
    for (const std::uint64_t index : more.first_) add(index);
    count_ = count;
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
                "or a clock was wrong. Ask the operator.") +
           line(doubts.unpublished, "Acceptances and withdrawals of versions whose publication is not in the log",
                "Consentry publishes a version before users can accept it. Ask the operator.") +
           line(doubts.other_text,
                "Acceptances and withdrawals of another text than the one that was published as their version",
                "Consentry records no other text. Ask the operator.") +
           line(doubts.not_compared,
                "Acceptances and withdrawals whose text cannot be compared with the published one, because the bundle "
                "lacks the record of the publication",
                "Ask the operator for the record.");
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

void EntryDoubtCheck::note_consent(std::uint64_t index, const ConsentEntry& entry) {
    claims_[{entry.type, entry.version, entry.language, entry.content}].add(index);
    if (entry.is_late) return;  // may be older: operators can take over acceptances of a former system
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
    version.record = entry.record;
    for (const auto& [index, time] : std::exchange(version.earlier, {}))
        if (is_older(time, entry.time)) out_.before_publication.add(index);
}

void EntryDoubtCheck::note_record(const crypto::Sha256& digest, std::string_view text) {
    records_.emplace(digest, texts_in_record(text));
}

EntryDoubts EntryDoubtCheck::finish(bool has_publications) && {
    for (const auto& [claim, entries] : claims_) {
        const auto& [type, number, language, content] = claim;
        const auto version = versions_.find({type, number});
        if (version == versions_.end() || !version->second.published_at) {
            if (has_publications) out_.unpublished.add(entries);
            continue;
        }
        if (content == Digest{}) continue;  // the service did not know the text
        const auto record = records_.find(version->second.record);
        if (record == records_.end()) {
            out_.not_compared.add(entries);
            continue;
        }
        const auto text = record->second.find(name_of(language));
        if (text == record->second.end() || text->second != to_hex(content)) out_.other_text.add(entries);
    }
    return std::move(out_);
}

}  // namespace consentry
