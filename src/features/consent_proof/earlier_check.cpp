#include "features/consent_proof/earlier_check.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/clock.hpp"

namespace consentry {
namespace {

// In seconds since 1970; what does not fit is never due.
std::optional<std::int64_t> due(const Receipt& receipt) {
    if (receipt.entry.is_late) return std::nullopt;  // promised without a time
    const std::int64_t signed_at = receipt.entry.time.time_since_epoch().count();
    if (receipt.merge_delay > std::numeric_limits<std::int64_t>::max() - signed_at) return std::nullopt;
    return signed_at + receipt.merge_delay;
}

bool is_behind(std::optional<std::chrono::sys_seconds> time, std::int64_t end, std::int64_t tolerance = 0) {
    return time && time->time_since_epoch().count() - end > tolerance;
}

std::unexpected<std::string> broken_promise(const EarlierReceipt& receipt) {
    return std::unexpected(
        fmt::format("{}: the service has promised to add the entry of the receipt to the log within {} seconds, but "
                    "the log goes on after that time without it. Compare the receipt with a later bundle: only if a "
                    "clock of the service was ahead, the entry may still follow. Keep both files",
                    receipt.place, receipt.receipt.merge_delay));
}

std::unexpected<std::string> hidden_promise(const EarlierReceipt& receipt) {
    return std::unexpected(
        fmt::format("{}: the service has promised to add the entry of the receipt to the log within {} seconds. The "
                    "log lacks it. It has entries that are later than that time, but its last one is not: entries "
                    "were backdated, or a clock of the service was ahead. Compare the receipt with a later bundle, "
                    "which must have the entry. Keep both files",
                    receipt.place, receipt.receipt.merge_delay));
}

// Who has signed that a bundle has all entries of the log, and when. Its entries have the times of the operator alone.
struct Attestation {
    std::string by;
    std::chrono::sys_seconds time;
};
std::optional<Attestation> latest_attestation(const tlog::AcceptedCheckpoint& bundle,
                                              const std::optional<VerifiedStamp>& stamp) {
    std::optional<Attestation> out;
    for (const auto& [witness, time] : bundle.cosignatures)
        if (!out || out->time < time) out = Attestation{"the witness " + witness, time};
    const bool is_of_all = stamp && stamp->is_trusted && stamp->size == bundle.checkpoint.size;
    if (is_of_all && (!out || out->time < stamp->time)) out = Attestation{stamp->authority, stamp->time};
    return out;
}

std::unexpected<std::string> late_promise(const EarlierReceipt& receipt, const Attestation& attestation) {
    return std::unexpected(fmt::format(
        "{}: the service has promised to add the entry of the receipt to the log within {} seconds. The log lacks it, "
        "although {} has signed this state of the log at {}, after that time: the entry is withheld, or the service "
        "was held up, or the one who signed lagged behind or has a clock that is ahead. Compare the receipt with a "
        "later bundle, which must have the entry. Keep both files",
        receipt.place, receipt.receipt.merge_delay, attestation.by,
        to_iso8601(time_point_cast<milliseconds>(attestation.time))));
}

std::unexpected<std::string> fork_of(const EarlierState& state) {
    return std::unexpected(fmt::format(
        "{}: the log has signed another tree of {} entries: it was changed, or shows different contents to different "
        "people. Keep both files; they prove it",
        state.place, state.checkpoint.size));
}

}  // namespace

EarlierCheck::EarlierCheck(const EarlierRecords& records) {
    for (const EarlierState& state : records.states) states_.emplace(state.checkpoint.size, &state);
    for (const EarlierReceipt& one : records.receipts)
        promises_[format_entry(one.receipt.entry)].receipts.push_back(&one);
}

void EarlierCheck::note(const tlog::CompactRange& tree, BytesView bytes, const LogEntry& entry) {
    const auto [begin, end] = states_.equal_range(tree.size());
    for (auto state = begin; state != end && fork_ == nullptr; ++state)
        if (!(tree.root() == state->second->checkpoint.root)) fork_ = state->second;
    if (const auto time = added_at(entry)) {
        last_ = time;
        // An outage may put a publication before acceptances of earlier times: its position follows that of its draft.
        if (!std::holds_alternative<PublicationEntry>(entry)) greatest_ = std::max(greatest_.value_or(*time), *time);
    }
    if (promises_.empty()) return;
    const auto promise = promises_.find(Bytes(bytes.begin(), bytes.end()));
    if (promise != promises_.end()) promise->second.is_kept = true;
}

std::expected<void, std::string> EarlierCheck::finish(const tlog::AcceptedCheckpoint& bundle,
                                                      const std::optional<VerifiedStamp>& stamp) const {
    if (fork_ != nullptr) return fork_of(*fork_);
    for (const auto& [size, state] : states_)
        if (size > bundle.checkpoint.size)
            return std::unexpected(fmt::format("{}: this state of the log has {} entries, and the bundle only {}",
                                               state->place, size, bundle.checkpoint.size));
    const auto attestation = latest_attestation(bundle, stamp);
    const auto attested = attestation ? std::optional(attestation->time) : std::nullopt;
    for (const auto& [bytes, promise] : promises_) {
        const EarlierReceipt& first = *promise.receipts.front();
        const auto end = due(first.receipt);
        if (promise.is_kept || !end) continue;
        if (is_behind(last_, *end)) return broken_promise(first);
        // The times of entries may be out of order by the promised delay. By more, a backdated last entry would do.
        if (is_behind(greatest_, *end, first.receipt.merge_delay)) return hidden_promise(first);
        if (is_behind(attested, *end, first.receipt.merge_delay)) return late_promise(first, *attestation);
    }
    return {};
}

std::uint64_t EarlierCheck::kept() const {
    std::uint64_t out = 0;
    for (const auto& [bytes, promise] : promises_)
        if (promise.is_kept) out += promise.receipts.size();
    return out;
}

}  // namespace consentry
