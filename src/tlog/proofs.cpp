#include "tlog/proofs.hpp"

#include <algorithm>
#include <bit>
#include <ranges>

namespace consentry::tlog {
namespace {

// The leaves begin to end - 1. The tree's hash of such a range, MTH(D[begin:end]) in RFC 6962 section 2.1, is one hash
// of a proof.
struct Leaves {
    std::uint64_t begin;
    std::uint64_t end;

    std::uint64_t count() const { return end - begin; }
    // Where RFC 6962 splits more than one leaf: behind the largest power of two below their number.
    std::uint64_t split() const { return begin + std::bit_floor(count() - 1); }
};

// The complete subtrees of a range, the largest first. A range of a proof begins at a multiple of its largest subtree.
std::vector<Node> subtrees_of(Leaves leaves) {
    std::vector<Node> nodes;
    while (leaves.count() > 0) {
        const std::uint64_t width = std::bit_floor(leaves.count());
        const auto level = static_cast<unsigned>(std::countr_zero(width));
        nodes.push_back({level, leaves.begin >> level});
        leaves.begin += width;
    }
    return nodes;
}

// PATH of RFC 6962 section 2.1.1, with the recursion unrolled: from the root down, the half that the leaf is not in.
std::vector<Leaves> inclusion_path(std::uint64_t index, std::uint64_t size) {
    std::vector<Leaves> path;
    for (Leaves around{0, size}; around.count() > 1;) {
        const std::uint64_t split = around.split();
        const bool goes_left = index < split;
        path.push_back(goes_left ? Leaves{split, around.end} : Leaves{around.begin, split});
        (goes_left ? around.end : around.begin) = split;
    }
    std::ranges::reverse(path);
    return path;
}

// SUBPROOF of RFC 6962 section 2.1.2, unrolled likewise: down to the subtree that ends with the first tree.
std::vector<Leaves> consistency_path(std::uint64_t size1, std::uint64_t size2) {
    std::vector<Leaves> path;
    Leaves around{0, size2};
    while (around.end != size1) {
        const std::uint64_t split = around.split();
        const bool goes_left = size1 <= split;
        path.push_back(goes_left ? Leaves{split, around.end} : Leaves{around.begin, split});
        (goes_left ? around.end : around.begin) = split;
    }
    if (around.begin != 0) path.push_back(around);  // otherwise it is the first tree, whose root the verifier has
    std::ranges::reverse(path);
    return path;
}

bool has_inclusion(std::uint64_t index, std::uint64_t size) { return index < size; }
bool has_consistency(std::uint64_t size1, std::uint64_t size2) { return size1 > 0 && size1 <= size2; }

std::vector<Node> nodes_of(const std::vector<Leaves>& path) {
    std::vector<Node> nodes;
    for (const Leaves& leaves : path)
        for (const Node& node : subtrees_of(leaves)) nodes.push_back(node);
    return nodes;
}

std::expected<Hash, std::string> hash_of(Leaves leaves, const HashReader& hashes) {
    const std::vector<Node> nodes = subtrees_of(leaves);
    auto hash = hashes(nodes.back());
    for (const Node& node : nodes | std::views::reverse | std::views::drop(1)) {
        if (!hash) return hash;
        const auto left = hashes(node);
        if (!left) return left;
        hash = node_hash(*left, *hash);
    }
    return hash;
}

std::expected<std::vector<Hash>, std::string> hashes_of(const std::vector<Leaves>& path, const HashReader& hashes) {
    std::vector<Hash> proof;
    proof.reserve(path.size());
    for (const Leaves& leaves : path) {
        auto hash = hash_of(leaves, hashes);
        if (!hash) return std::unexpected(std::move(hash.error()));
        proof.push_back(*hash);
    }
    return proof;
}

}  // namespace

std::expected<Hash, std::string> root_of(std::uint64_t size, const HashReader& hashes) {
    return size == 0 ? empty_root() : hash_of({0, size}, hashes);
}

std::expected<std::vector<Hash>, std::string> inclusion_proof(std::uint64_t index, std::uint64_t size,
                                                              const HashReader& hashes) {
    if (!has_inclusion(index, size)) return std::unexpected("the index is not below the size of the tree");
    return hashes_of(inclusion_path(index, size), hashes);
}

std::expected<std::vector<Hash>, std::string> consistency_proof(std::uint64_t size1, std::uint64_t size2,
                                                                const HashReader& hashes) {
    if (size1 == 0) return std::unexpected("consistency with an empty tree proves nothing");
    if (size1 > size2) return std::unexpected("the first tree is larger than the second");
    return hashes_of(consistency_path(size1, size2), hashes);
}

std::vector<Node> nodes_for_root(std::uint64_t size) { return subtrees_of({0, size}); }

std::vector<Node> nodes_for_inclusion(std::uint64_t index, std::uint64_t size) {
    return has_inclusion(index, size) ? nodes_of(inclusion_path(index, size)) : std::vector<Node>{};
}

std::vector<Node> nodes_for_consistency(std::uint64_t size1, std::uint64_t size2) {
    return has_consistency(size1, size2) ? nodes_of(consistency_path(size1, size2)) : std::vector<Node>{};
}

}  // namespace consentry::tlog
