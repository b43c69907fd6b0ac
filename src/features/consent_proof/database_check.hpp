// Compares the database with the consent log: every row of an acceptance that was altered, removed, added or moved is
// named, and every published text that the object store has lost or altered. Reads in portions; memory grows only with
// what is found, and by 24 bytes for each erased account.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "features/consent_proof/comparison_repository.hpp"
#include "features/published_logs/comparison.hpp"
#include "features/term_policies/policy.hpp"

namespace consentry {

struct DatabaseFindings {
    std::optional<tlog::Checkpoint> checkpoint;  // what was compared with
    std::vector<std::string> found;              // sentences; each names a table, an id, and what is wrong
    std::uint64_t unnamed = 0;                   // further ones
    std::uint64_t entries = 0;                   // compared
    std::uint64_t former_keys = 0;               // of receipts, which the next start signs
    bool are_none() const { return found.empty() && unnamed == 0; }
};

struct PublishedText {
    PolicyType type;
    std::int64_t version;
    Language language;
    std::string digest;
};

// What the verifier knows, whatever the database says.
struct KnownLog {
    std::optional<tlog::VerifierKey> key = {};   // see compare_log()
    std::optional<std::string> checkpoint = {};  // that a reader has kept: a signed note
    std::string witness_lines = {};              // WitnessPolicy::lines; empty: the log has no witnesses
};

// Called during the check with the current step and the fraction of it that is done, from 0 to 1; nullopt or NaN if
// it is unknown.
using CheckProgress = std::function<void(std::string_view doing, std::optional<double> done)>;

class DatabaseCheck {
public:
    // The references must outlive this object.
    DatabaseCheck(storage::Database& database, storage::ObjectStore& store, PolicyPaths paths, TimePoint now,
                  KnownLog known, CheckProgress progress = {});

    // Once. Throws Unavailable if the database or the object store does not answer.
    awaitable<DatabaseFindings> run();

private:
    struct Missing {
        std::string id;
        SubjectTag subject;
        std::int64_t position;
        std::string said;
    };
    awaitable<void> name_wrong_values(std::string failure);
    awaitable<void> compare_with_published();
    awaitable<void> compare_with_known();
    awaitable<void> compare_entries();
    awaitable<void> compare_pending();
    awaitable<void> find_missing();
    awaitable<void> find_unlogged();
    awaitable<void> compare_order();
    awaitable<void> compare_publications();
    awaitable<void> compare_texts();
    awaitable<void> compare_pages();
    awaitable<std::string> fault_of(StoredPage page, std::vector<TermPolicy> all);  // empty: none
    // nullopt if the object store has lost or altered it.
    awaitable<std::optional<std::string>> published_text(PublishedText text);
    awaitable<void> compare_receipt_keys();
    void compare(const ComparedEntry& stored);
    void check_grace(const TermPolicy& policy, const std::vector<TermPolicy>& all,
                     const std::map<std::string, VersionFacts>& facts);
    void check_is_without_row(const ComparedEntry& stored);
    void check_place(const RowPlace& former, const RowPlace& row);
    void note_erasure(const ErasureEntry& erasure, std::int64_t position);
    void note_erasure_in(const Bytes& entry, std::int64_t position);  // if it is the entry of one
    awaitable<void> note_erasures_in(std::vector<StoredEntry> entries);
    bool is_erased(const SubjectTag& subject, std::int64_t position) const;
    void tell(std::string_view about_log);
    void show(std::string_view doing, std::optional<double> done = {}) const;
    void add(const char* table, std::string_view id, std::string_view what);

    storage::Database& database_;
    storage::ObjectStore& store_;
    ComparisonRepository repository_;
    LogRepository log_;
    const PolicyPaths paths_;
    const TimePoint now_;
    const KnownLog known_;
    const CheckProgress progress_;
    DatabaseFindings out_;
    std::map<SubjectTag, std::int64_t> erasures_;  // the last one of each subject
    std::int64_t last_position_ = -1;              // that was compared
    std::vector<Missing> missing_;
    std::map<std::string, PublicationEntry, std::less<>> publications_;  // by the id of the version
};

// Whether an entry of the consent log waits for its position longer than receipts promise. The database must outlive
// the coroutine.
awaitable<bool> has_overdue_entries(storage::Database& database, TimePoint now);

}  // namespace consentry
