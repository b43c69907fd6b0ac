// The edge of a growing tree: the roots of its largest complete subtrees from the left, which is all that appending
// needs. At most 64 hashes, whatever the size.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "tlog/merkle.hpp"

namespace consentry::tlog {

class CompactRange {
public:
    CompactRange() = default;  // the empty tree
    // From what hashes() returned for a tree of this size. Refuses another number of hashes than the size has bits set.
    static std::expected<CompactRange, std::string> restore(std::uint64_t size, std::vector<Hash> hashes);

    std::uint64_t size() const { return size_; }
    std::span<const Hash> hashes() const { return hashes_; }  // the largest subtree first
    void append(const Hash& leaf);                            // throws std::length_error at 2^64 - 1 leaves
    Hash root() const;

private:
    std::uint64_t size_ = 0;
    std::vector<Hash> hashes_;
};

}  // namespace consentry::tlog
