// What a reader has kept of a log, and whether the entries of a whole bundle agree with it. That the log has forked, or
// lacks an entry that it has promised, no record shows by itself. Pure; errors are sentences that say what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/consent_proof/receipt_check.hpp"
#include "features/consent_proof/stamp_check.hpp"
#include "tlog/compact_range.hpp"
#include "tlog/policy.hpp"

namespace consentry {

// `place` is where the reader has it, for example "old.tlog-proof". Both are verified, and of the log of the bundle.
struct EarlierState {
    std::string place;
    tlog::Checkpoint checkpoint;
};
struct EarlierReceipt {
    std::string place;
    Receipt receipt;
};

struct EarlierRecords {
    std::vector<EarlierState> states;
    std::vector<EarlierReceipt> receipts;
    bool empty() const { return states.empty() && receipts.empty(); }
};

class EarlierCheck {
public:
    // The records must outlive this object.
    explicit EarlierCheck(const EarlierRecords& records);

    // Of each entry in its order; `tree` ends with it.
    void note(const tlog::CompactRange& tree, BytesView bytes, const LogEntry& entry);
    // After the last entry. Only now are the entries known to be those of the log, which may be accused of something.
    // `stamp`: that of the bundle.
    std::expected<void, std::string> finish(const tlog::AcceptedCheckpoint& bundle,
                                            const std::optional<VerifiedStamp>& stamp) const;
    // How many of the receipts have their entries in the bundle.
    std::uint64_t kept() const;

private:
    struct Promise {
        std::vector<const EarlierReceipt*> receipts;  // of one entry
        bool is_kept = false;
    };
    std::multimap<std::uint64_t, const EarlierState*> states_;  // by their sizes
    const EarlierState* fork_ = nullptr;                        // the first state that the entries do not continue
    std::map<Bytes, Promise> promises_;                         // by their entries
    // Times of entries that were not recorded late.
    std::optional<std::chrono::sys_seconds> last_;      // of the last one
    std::optional<std::chrono::sys_seconds> greatest_;  // of all but publications
};

}  // namespace consentry
