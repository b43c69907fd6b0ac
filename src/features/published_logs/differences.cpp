#include "features/published_logs/differences.hpp"

#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

namespace consentry {
namespace {

// Bounds the memory: shifting all entries by one makes as many differences as there are entries.
constexpr std::size_t named_max = 100'000;

// Hashes of entries are public, so they may be ordered, which crypto::Sha256 never is.
using Ordered = std::array<std::uint8_t, sizeof(tlog::Hash)>;
Ordered ordered(const tlog::Hash& hash) { return hash; }

// Of three copies the majority; of two that differ, the published one.
std::optional<tlog::Hash> agreed_of(const LogCopies& copies) {
    if (copies.bundle && copies.bundle == copies.tile) return copies.bundle;
    if (copies.database && (copies.database == copies.bundle || copies.database == copies.tile)) return copies.database;
    if (copies.bundle) return copies.bundle;
    return copies.tile ? copies.tile : copies.database;
}

bool differ(const LogCopies& copies) {
    return !copies.database || (copies.bundle && copies.bundle != copies.database) ||
           (copies.tile && copies.tile != copies.database);
}

std::string sentence(LogFault fault, std::uint64_t position) {
    switch (fault) {
        case LogFault::altered:
            return fmt::format("Entry {} was altered in the database.", position);
        case LogFault::missing:
            return fmt::format("Entry {} is missing from the database.", position);
        default:
            return fmt::format("The database has an entry at position {} that is not in the log.", position);
    }
}

LogFinding finding(LogFault fault, std::uint64_t position) { return {fault, position, sentence(fault, position)}; }

LogFinding moved(std::uint64_t from, std::int64_t to) {
    return {LogFault::moved, from, fmt::format("Entry {} is at position {} in the database.", from, to)};
}

}  // namespace

void LogDifferences::Tree::add(const std::optional<tlog::Hash>& leaf) {
    is_whole = is_whole && leaf.has_value();
    if (is_whole) tree.append(*leaf);
}

void LogDifferences::add(const LogCopies& copies) {
    last_ = agreed_of(copies);
    const bool is_named = differences_.size() < named_max;
    if (differ(copies) && is_named) differences_.push_back({.position = size_, .copies = copies, .agreed = last_});
    if (differ(copies) && !is_named) ++unnamed_;
    ++size_;
    database_.add(copies.database);
    bundles_.add(copies.bundle);
    tiles_.add(copies.tile);
    agreed_.add(last_);
    if (agreed_.is_whole && earlier_size_ == size_) earlier_root_ = agreed_.tree.root();
}

void LogDifferences::add_behind(std::int64_t position, const tlog::Hash& leaf, bool is_due) {
    behind_.push_back({position, leaf, is_due});
}

bool LogDifferences::knows(const tlog::Hash& root) const {
    return database_.has(root) || bundles_.has(root) || tiles_.has(root) || agreed_.has(root);
}

std::optional<tlog::Hash> LogDifferences::truth(const Difference& difference, const tlog::Hash& signed_root) const {
    if (database_.has(signed_root)) return difference.copies.database;
    if (bundles_.has(signed_root)) return difference.copies.bundle;
    if (tiles_.has(signed_root)) return difference.copies.tile;
    return difference.agreed;
}

void LogDifferences::find_in_database(const tlog::Hash& signed_root, std::vector<LogFinding>& out) const {
    std::map<Ordered, std::uint64_t> lost;  // entries that are not where they belong, and where that is
    std::set<Ordered> present;              // entries of the database that do not belong where they are
    for (const Difference& difference : differences_) {
        const auto true_leaf = truth(difference, signed_root);
        if (true_leaf == difference.copies.database) continue;
        if (true_leaf) lost.emplace(ordered(*true_leaf), difference.position);
        if (difference.copies.database) present.insert(ordered(*difference.copies.database));
    }
    for (const Behind& entry : behind_) present.insert(ordered(entry.leaf));

    for (const Difference& difference : differences_) {
        const auto true_leaf = truth(difference, signed_root);
        const auto& own = difference.copies.database;
        if (own && true_leaf == own) continue;
        const bool is_elsewhere = true_leaf && present.contains(ordered(*true_leaf));
        const auto home = own ? lost.find(ordered(*own)) : lost.end();
        if (home != lost.end()) {
            out.push_back(moved(home->second, static_cast<std::int64_t>(difference.position)));
        } else if (own) {
            out.push_back(finding(is_elsewhere ? LogFault::added : LogFault::altered, difference.position));
            continue;
        }
        if (!is_elsewhere) out.push_back(finding(LogFault::missing, difference.position));
    }
    for (const Behind& entry : behind_) {
        const auto home = lost.find(ordered(entry.leaf));
        if (home != lost.end())
            out.push_back(moved(home->second, entry.position));
        else if (!entry.is_due)
            out.push_back(
                {LogFault::added,
                 {},
                 fmt::format("The database has an entry at position {}, where the log has none.", entry.position)});
    }
}

void LogDifferences::find_in_objects(const tlog::Hash& signed_root, std::vector<LogFinding>& out) const {
    for (const Difference& difference : differences_) {
        const auto true_leaf = truth(difference, signed_root);
        const auto check = [&](const std::optional<tlog::Hash>& copy, std::string_view where) {
            if (copy && copy != true_leaf)
                out.push_back({LogFault::object, difference.position,
                               fmt::format("The {} differ from entry {}.", where, difference.position)});
        };
        check(difference.copies.bundle, "entries in the object store");
        check(difference.copies.tile, "hashes in the object store");
    }
}

std::vector<LogFinding> LogDifferences::findings(const tlog::Hash& signed_root) const {
    std::vector<LogFinding> out;
    find_in_database(signed_root, out);
    find_in_objects(signed_root, out);
    return out;
}

}  // namespace consentry
