#include "tlog/merkle.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace consentry::tlog {
namespace {

constexpr std::uint8_t leaf_prefix = 0x00;
constexpr std::uint8_t node_prefix = 0x01;

// A path from a leaf, or from a whole subtree, up to the root: `fn` and `sn` of RFC 9162 section 2.1.3.2 are the places
// of the present node and of the last node in their level.
struct Path {
    std::uint64_t node;
    std::uint64_t last;

    bool at_root() const { return last == 0; }
    bool is_right_child() const { return (node & 1) != 0; }
    // Whether the next hash of the proof is the left sibling.
    bool joins_left() const { return is_right_child() || node == last; }
    void rise() {
        node >>= 1;
        last >>= 1;
    }
    // A last node without a sibling is taken up unchanged to the level where it has one.
    void rise_to_sibling() {
        while (!is_right_child() && node != 0) rise();
    }
};

constexpr const char* too_long = "the proof has more hashes than the tree has levels";
constexpr const char* too_short = "the proof has too few hashes";

}  // namespace

Hash leaf_hash(BytesView entry) {
    Bytes message;
    message.reserve(1 + entry.size());
    message.push_back(leaf_prefix);
    message.insert(message.end(), entry.begin(), entry.end());
    return crypto::sha256(message);
}

Hash node_hash(const Hash& left, const Hash& right) {
    std::array<std::uint8_t, 1 + 2 * sizeof(Hash)> message;
    message[0] = node_prefix;
    std::ranges::copy(right, std::ranges::copy(left, message.begin() + 1).out);
    return crypto::sha256(message);
}

Hash empty_root() { return crypto::sha256(BytesView{}); }

std::expected<void, std::string> verify_inclusion(const Hash& leaf, std::uint64_t index, std::uint64_t size,
                                                  std::span<const Hash> proof, const Hash& root) {
    if (index >= size) return std::unexpected("the index is not below the size of the tree");
    Path path{index, size - 1};
    Hash hash = leaf;
    for (const Hash& sibling : proof) {
        if (path.at_root()) return std::unexpected(too_long);
        if (path.joins_left()) {
            hash = node_hash(sibling, hash);
            path.rise_to_sibling();
        } else {
            hash = node_hash(hash, sibling);
        }
        path.rise();
    }
    if (!path.at_root()) return std::unexpected(too_short);
    if (hash != root) return std::unexpected("the proof leads to another root");
    return {};
}

std::expected<void, std::string> verify_consistency(std::uint64_t size1, const Hash& root1, std::uint64_t size2,
                                                    const Hash& root2, std::span<const Hash> proof) {
    if (size1 == 0) return std::unexpected("consistency with an empty tree proves nothing");
    if (size1 > size2) return std::unexpected("the first tree is larger than the second");
    if (size1 == size2) {
        if (!proof.empty()) return std::unexpected("the proof for two trees of one size is not empty");
        if (root1 != root2) return std::unexpected("two trees of one size have different roots");
        return {};
    }
    // The first hash of the path is the largest subtree that ends where the first tree ends. If that subtree is the
    // whole first tree, its hash is known and left out of the proof.
    const bool starts_at_root1 = std::has_single_bit(size1);
    if (proof.empty()) return std::unexpected(too_short);
    Path path{size1 - 1, size2 - 1};
    while (path.is_right_child()) path.rise();
    Hash first = starts_at_root1 ? root1 : proof.front();
    Hash second = first;
    for (const Hash& hash : starts_at_root1 ? proof : proof.subspan(1)) {
        if (path.at_root()) return std::unexpected(too_long);
        if (path.joins_left()) {
            first = node_hash(hash, first);
            second = node_hash(hash, second);
            path.rise_to_sibling();
        } else {
            second = node_hash(second, hash);
        }
        path.rise();
    }
    if (!path.at_root()) return std::unexpected(too_short);
    if (first != root1) return std::unexpected("the proof leads to another root of the first tree");
    if (second != root2) return std::unexpected("the proof leads to another root of the second tree");
    return {};
}

}  // namespace consentry::tlog
