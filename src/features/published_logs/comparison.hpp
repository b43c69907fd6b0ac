// Compares a log in the database with what it has published: the signed checkpoint, the bundles of entries, and the
// hash tiles. Reads in portions, so memory does not grow with the log. The service may run meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/published_logs/differences.hpp"
#include "features/published_logs/repository.hpp"
#include "storage/object_store.hpp"
#include "tlog/checkpoint.hpp"

namespace consentry {

struct LogPlace {
    std::string_view name;  // in the database: a literal
    storage::Area area = storage::Area::public_area;
    std::string folder;  // of its objects
};

struct LogFindings {
    // The newest one that the log's key has signed: what the entries were compared with. Nullopt if there is none.
    std::optional<tlog::Checkpoint> checkpoint;
    std::vector<LogFinding> found;  // in the order of their positions; those without one last
    std::uint64_t unnamed = 0;      // further ones
    bool are_none() const { return found.empty() && unnamed == 0; }
};

// Sees the entries of the database that have a position, in ascending order, a portion at a time.
using PortionVisitor = std::function<awaitable<void>(const std::vector<StoredEntry>& entries)>;

// Called after each portion with the number of entries compared so far and the number that the log has.
using ComparisonProgress = std::function<void(std::uint64_t compared, std::uint64_t size)>;

// `trusted` is the log's key as the verifier knows it: a log of that key must be there. Without one, the key that the
// database names is trusted, which an attacker in the database can replace. Throws Unavailable if the database or the
// object store does not answer.
awaitable<LogFindings> compare_log(storage::Database& database, storage::ObjectStore& store, LogPlace place,
                                   std::optional<tlog::VerifierKey> trusted = {}, PortionVisitor visit = {},
                                   ComparisonProgress progress = {});

}  // namespace consentry
