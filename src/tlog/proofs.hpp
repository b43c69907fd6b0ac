// Roots and proofs of a tree whose hashes are stored elsewhere, for example in tiles.
//
// Each takes two steps, because fetching may be asynchronous: nodes_for_...() lists the nodes whose hashes the second
// step reads, and the second step computes the hashes of the proof from a HashReader that knows these nodes.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "tlog/merkle.hpp"

namespace consentry::tlog {

// The complete subtree above the leaves index * 2^level to (index + 1) * 2^level - 1; at level 0, a leaf.
struct Node {
    unsigned level = 0;  // 0 to 63
    std::uint64_t index = 0;
    friend auto operator<=>(const Node&, const Node&) = default;
};

// Returns the hash of a node, or a sentence why it cannot.
using HashReader = std::function<std::expected<Hash, std::string>(const Node&)>;

std::expected<Hash, std::string> root_of(std::uint64_t size, const HashReader& hashes);

// RFC 9162 section 2.1.3.1: from the leaf's sibling up to the root's child. Refuses an index that is not below the
// size.
std::expected<std::vector<Hash>, std::string> inclusion_proof(std::uint64_t index, std::uint64_t size,
                                                              const HashReader& hashes);

// RFC 9162 section 2.1.4.1; empty for two equal sizes. Refuses size 0, and a first size above the second.
std::expected<std::vector<Hash>, std::string> consistency_proof(std::uint64_t size1, std::uint64_t size2,
                                                                const HashReader& hashes);

// Empty where the function above refuses.
std::vector<Node> nodes_for_root(std::uint64_t size);
std::vector<Node> nodes_for_inclusion(std::uint64_t index, std::uint64_t size);
std::vector<Node> nodes_for_consistency(std::uint64_t size1, std::uint64_t size2);

}  // namespace consentry::tlog
