// Where the contents of an auditor's bundle come from: the entries of one checkpoint, their proofs, addenda and texts.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/consent_proof/bundle_manifest.hpp"
#include "features/consent_proof/repository.hpp"
#include "features/term_policies/policy.hpp"
#include "storage/object_store.hpp"

namespace consentry {

struct BundledEntry {
    std::uint64_t index = 0;
    Bytes bytes;
    LogEntry entry;
    std::optional<std::string> addendum;
};

struct BundlePortion {
    std::vector<BundledEntry> entries;  // may be empty
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

    // The entries that the filter takes among those from `from` on; nullopt behind the last one. Of the whole log, a
    // portion is an entry bundle.
    awaitable<Result<std::optional<BundlePortion>>> portion(std::uint64_t from);
    awaitable<Result<std::string>> entry_bundle(std::uint64_t bundle_index);
    // The proof files of these entries; ascending indices, of one entry bundle.
    awaitable<Result<std::vector<std::string>>> proofs(std::vector<std::uint64_t> indices);
    awaitable<std::vector<std::string>> prove(std::vector<PlacedEntry> entries);
    // The text with this digest, if the object store has it under this key.
    awaitable<std::optional<std::string>> document(std::string key, crypto::Sha256 digest);

private:
    Result<BundledEntry> read(ProvableEntry stored) const;
    awaitable<Result<std::vector<ProvableEntry>>> whole_portion(std::uint64_t from, std::uint64_t to);

    ProofRepository repository_;
    storage::ObjectStore& store_;
    ConsentLog& log_;
    const BundleFilter filter_;
    const std::string checkpoint_;
    const tlog::Checkpoint facts_;
};

}  // namespace consentry
