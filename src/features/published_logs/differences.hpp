// Finds where the copies of a log differ, and tells an altered entry from one that is missing, added or moved. Pure.
//
// A log is stored three times: as rows of the database, as bundles of entries, and as hashes in the lowest tiles. The
// copy that has the root of the signed checkpoint is the log. If none has, the two that agree are, entry by entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlog/compact_range.hpp"

namespace consentry {

enum class LogFault {
    altered,     // the database has another entry at this position
    missing,     // the database lacks the entry
    added,       // the database has an entry that is not in the log
    moved,       // the database has the entry at another position
    object,      // an object of the store is absent, or differs from the log
    checkpoint,  // a checkpoint, its key, or the state of the log
    witness,     // the quorum of the witnesses has not cosigned the log
};

struct LogFinding {
    LogFault fault;
    std::optional<std::uint64_t> position;  // in the log; of an added entry, in the database
    std::string text;                       // a sentence
};

// The leaf hashes of one position. What could not be read is absent.
struct LogCopies {
    std::optional<tlog::Hash> database;
    std::optional<tlog::Hash> bundle;
    std::optional<tlog::Hash> tile;
};

class LogDifferences {
public:
    // Remembers the root of the first `size` entries, for root_at().
    explicit LogDifferences(std::optional<std::uint64_t> size = {}) : earlier_size_(size) {}

    // The copies of the next position.
    void add(const LogCopies& copies);
    // An entry of the database at a position behind all of the log. `is_due`: it waits for its publication there.
    void add_behind(std::int64_t position, const tlog::Hash& leaf, bool is_due);

    std::uint64_t size() const { return size_; }
    // The hash that most copies of the last position have.
    const std::optional<tlog::Hash>& agreed() const { return last_; }
    // Of the agreed hashes; nullopt if entries are lacking, or that size was not reached.
    std::optional<tlog::Hash> root_at() const { return earlier_root_; }

    // Whether a copy, or what most of them agree on, has this root.
    bool knows(const tlog::Hash& root) const;
    std::vector<LogFinding> findings(const tlog::Hash& signed_root) const;
    // Differences above a bound are only counted.
    std::uint64_t unnamed() const { return unnamed_; }

private:
    struct Tree {
        tlog::CompactRange tree;
        bool is_whole = true;
        void add(const std::optional<tlog::Hash>& leaf);
        bool has(const tlog::Hash& root) const { return is_whole && tree.root() == root; }
    };
    struct Difference {
        std::uint64_t position;
        LogCopies copies;
        std::optional<tlog::Hash> agreed;
    };
    struct Behind {
        std::int64_t position;
        tlog::Hash leaf;
        bool is_due;
    };
    std::optional<tlog::Hash> truth(const Difference& difference, const tlog::Hash& signed_root) const;
    void find_in_database(const tlog::Hash& signed_root, std::vector<LogFinding>& out) const;
    void find_in_objects(const tlog::Hash& signed_root, std::vector<LogFinding>& out) const;

    std::uint64_t size_ = 0;
    Tree database_;
    Tree bundles_;
    Tree tiles_;
    Tree agreed_;
    std::optional<tlog::Hash> last_;
    std::optional<std::uint64_t> earlier_size_;
    std::optional<tlog::Hash> earlier_root_;
    std::vector<Difference> differences_;
    std::vector<Behind> behind_;
    std::uint64_t unnamed_ = 0;
};

}  // namespace consentry
