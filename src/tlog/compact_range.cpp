#include "tlog/compact_range.hpp"

#include <bit>
#include <limits>
#include <stdexcept>

namespace consentry::tlog {

std::expected<CompactRange, std::string> CompactRange::restore(std::uint64_t size, std::vector<Hash> hashes) {
    if (hashes.size() != static_cast<std::size_t>(std::popcount(size)))
        return std::unexpected("the number of hashes does not fit the size of the tree");
    CompactRange range;
    range.size_ = size;
    range.hashes_ = std::move(hashes);
    return range;
}

void CompactRange::append(const Hash& leaf) {
    if (size_ == std::numeric_limits<std::uint64_t>::max()) throw std::length_error("the tree is full");
    Hash hash = leaf;
    // Each bit set at the end of the size is a subtree that this leaf completes to one of twice its size.
    for (std::uint64_t complete = size_; (complete & 1) != 0; complete >>= 1) {
        hash = node_hash(hashes_.back(), hash);
        hashes_.pop_back();
    }
    hashes_.push_back(hash);
    ++size_;
}

Hash CompactRange::root() const {
    if (hashes_.empty()) return empty_root();
    Hash root = hashes_.back();
    for (std::size_t i = hashes_.size() - 1; i-- > 0;) root = node_hash(hashes_[i], root);
    return root;
}

}  // namespace consentry::tlog
