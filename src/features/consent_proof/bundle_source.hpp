// Where the contents of an auditor's bundle come from: the entries of one checkpoint, their proofs, addenda and texts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/consent_proof/bundle_manifest.hpp"
#include "features/consent_proof/evidence_gaps.hpp"
#include "features/consent_proof/repository.hpp"
#include "features/term_policies/policy.hpp"
#include "storage/object_store.hpp"

namespace consentry {

// Called before each portion of work: a few calls of the database or the object store, or well under a second.
using BundleStep = std::function<void()>;
// Begins a portion of work after what else waits for this thread: SQLite answers at once.
awaitable<void> begin_step(BundleStep step);

struct BundledEntry {
    std::uint64_t index = 0;
    Bytes bytes;
    LogEntry entry;
    std::optional<std::string> addendum;
    std::optional<std::string> shown_page;  // the hash of the comparison that the addendum names
};

struct BundlePortion {
    std::vector<BundledEntry> entries;  // that the filter takes
    std::vector<tlog::Hash> leaves;     // of all entries, whatever the filter
    std::vector<EvidenceEvent> events;  // of those whose evidence decides what the bundle says
    std::uint64_t next = 0;             // index from which the next portion begins
};

// Errors: logDiffers if the database contradicts the log.
class BundleSource {
public:
    // The references must outlive this object. `checkpoint` is one that the log has published.
    BundleSource(storage::Database& database, storage::ObjectStore& store, ConsentLog& log, BundleFilter filter,
                 std::string checkpoint);

    const BundleFilter& filter() const { return filter_; }
    const std::string& checkpoint() const { return checkpoint_; }
    const tlog::Checkpoint& facts() const { return facts_; }

    // The entry bundle that begins at `from`; nullopt behind the last entry. Whatever the filter, all entries are read:
    // what the database says about one must not decide whether a bundle has it, unless the entry says the same.
    awaitable<Result<std::optional<BundlePortion>>> portion(std::uint64_t from);
    // Fails unless erasures behind the checkpoint explain these gaps.
    awaitable<Result<void>> explain(EvidenceGaps gaps, BundleStep step);
    awaitable<Result<std::string>> entry_bundle(std::uint64_t bundle_index);
    // The proof files of these entries; ascending indices, of one entry bundle.
    awaitable<Result<std::vector<std::string>>> proofs(std::vector<std::uint64_t> indices);
    // The text with this digest, if the object store has it under this key.
    awaitable<std::optional<std::string>> document(std::string key, crypto::Sha256 digest);
    // The comparison of versions with this hash, if the database has it.
    awaitable<std::optional<std::string>> page(crypto::Sha256 digest);

private:
    Result<void> add_to(BundlePortion& portion, ProvableEntry stored) const;
    // The addendum; nullopt if there is no evidence any more.
    Result<std::optional<std::string>> evidence(const ConsentEntry& entry, const ProvableEntry& stored) const;
    awaitable<Result<std::vector<ProvableEntry>>> whole_portion(std::uint64_t from, std::uint64_t to);

    ProofRepository repository_;
    storage::ObjectStore& store_;
    ConsentLog& log_;
    const BundleFilter filter_;
    const std::string checkpoint_;
    const tlog::Checkpoint facts_;
};

}  // namespace consentry
