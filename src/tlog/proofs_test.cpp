#include "tlog/proofs.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/naive_tree.hpp"

namespace consentry::tlog {
namespace {

using tests::naive_path;
using tests::naive_proof;
using tests::naive_root;
using tests::some_leaves;
constexpr std::size_t size_max = 600;

// Remembers what was read.
struct Watched {
    HashReader reader;
    std::vector<Node> nodes;
    HashReader watch() {
        return [this](const Node& node) {
            nodes.push_back(node);
            return reader(node);
        };
    }
};

struct Proofs : ::testing::Test {
    const std::vector<Hash> leaves = some_leaves(size_max);
    // The complete subtrees of all leaves by level, computed once.
    std::vector<std::vector<Hash>> levels{leaves};
    std::mt19937_64 random{6962};

    Proofs() {
        while (levels.back().size() > 1) {
            const auto& below = levels.back();
            std::vector<Hash> level;
            for (std::size_t i = 0; i + 1 < below.size(); i += 2) level.push_back(node_hash(below[i], below[i + 1]));
            levels.push_back(std::move(level));
        }
    }

    HashReader reader(std::size_t size) const {
        return [this, size](const Node& node) -> std::expected<Hash, std::string> {
            if ((node.index + 1) << node.level > size) return std::unexpected("beyond the edge");
            return levels.at(node.level).at(node.index);
        };
    }
    Hash root(std::size_t size) const { return root_of(size, reader(size)).value(); }

    std::vector<std::size_t> sizes() {
        std::vector<std::size_t> out{1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 256, 257, 511, 512, 513, size_max};
        for (int i = 0; i < 12; ++i) out.push_back(1 + random() % size_max);
        return out;
    }
    void flip_a_bit(Hash& hash) { hash[random() % hash.size()] ^= static_cast<std::uint8_t>(1U << random() % 8); }
};

TEST_F(Proofs, RootsAreThoseOfTheDefinition) {
    for (std::size_t size = 0; size <= 200; ++size)
        EXPECT_EQ(root(size), naive_root(std::span(leaves).first(size))) << size;
    EXPECT_EQ(root(size_max), naive_root(leaves));
}

TEST_F(Proofs, AreThoseOfTheDefinition) {
    for (std::size_t size = 1; size <= 33; ++size) {
        const auto tree = std::span(leaves).first(size);
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_EQ(inclusion_proof(i, size, reader(size)), naive_path(i, tree)) << i << " in " << size;
            EXPECT_EQ(consistency_proof(i + 1, size, reader(size)), naive_proof(i + 1, tree))
                << i + 1 << " to " << size;
        }
    }
}

TEST_F(Proofs, EveryLeafOfATreeIsProvenAndNoFlippedBitPasses) {
    for (const std::size_t size : sizes()) {
        const Hash root = this->root(size);
        for (std::size_t index = 0; index < size; ++index) {
            SCOPED_TRACE(testing::Message() << index << " in " << size);
            const auto proof = inclusion_proof(index, size, reader(size)).value();
            ASSERT_TRUE(verify_inclusion(leaves[index], index, size, proof, root));
            EXPECT_FALSE(verify_inclusion(leaves[index], index ^ 1, size, proof, root) && size > 1);
            for (std::size_t i = 0; i < proof.size(); ++i) {
                auto damaged = proof;
                flip_a_bit(damaged[i]);
                EXPECT_FALSE(verify_inclusion(leaves[index], index, size, damaged, root));
            }
            Hash other = root;
            flip_a_bit(other);
            EXPECT_FALSE(verify_inclusion(leaves[index], index, size, proof, other));
            other = leaves[index];
            flip_a_bit(other);
            EXPECT_FALSE(verify_inclusion(other, index, size, proof, root));
        }
    }
}

TEST_F(Proofs, EveryFormerTreeIsProvenAndNoFlippedBitPasses) {
    for (const std::size_t size : sizes()) {
        const Hash root2 = root(size);
        for (std::size_t former = 1; former <= size; ++former) {
            SCOPED_TRACE(testing::Message() << former << " to " << size);
            const Hash root1 = root(former);
            const auto proof = consistency_proof(former, size, reader(size)).value();
            ASSERT_TRUE(verify_consistency(former, root1, size, root2, proof));
            for (std::size_t i = 0; i < proof.size(); ++i) {
                auto damaged = proof;
                flip_a_bit(damaged[i]);
                EXPECT_FALSE(verify_consistency(former, root1, size, root2, damaged));
            }
            Hash other = root1;
            flip_a_bit(other);
            EXPECT_FALSE(verify_consistency(former, other, size, root2, proof));
            other = root2;
            flip_a_bit(other);
            EXPECT_FALSE(verify_consistency(former, root1, size, other, proof));
        }
    }
}

TEST_F(Proofs, EachOfAllBitsCounts) {
    constexpr std::size_t size = 421;
    constexpr std::size_t index = 300;
    const auto flipped_everywhere = [](std::vector<Hash> proof, const auto& verifies) {
        for (Hash& hash : proof)
            for (std::size_t bit = 0; bit < 8 * hash.size(); ++bit) {
                const auto mask = static_cast<std::uint8_t>(1U << bit % 8);
                hash[bit / 8] ^= mask;
                EXPECT_FALSE(verifies(proof)) << bit;
                hash[bit / 8] ^= mask;
            }
        EXPECT_TRUE(verifies(proof));
    };
    flipped_everywhere(inclusion_proof(index, size, reader(size)).value(), [&](const auto& proof) {
        return verify_inclusion(leaves[index], index, size, proof, root(size)).has_value();
    });
    flipped_everywhere(consistency_proof(index, size, reader(size)).value(), [&](const auto& proof) {
        return verify_consistency(index, root(index), size, root(size), proof).has_value();
    });
}

TEST_F(Proofs, AProofOfAnotherLengthFails) {
    constexpr std::size_t size = 300;
    for (std::size_t index = 0; index < size; ++index) {
        auto path = inclusion_proof(index, size, reader(size)).value();
        path.push_back(leaves[0]);
        EXPECT_FALSE(verify_inclusion(leaves[index], index, size, path, root(size)));
        path.resize(path.size() - 2);
        EXPECT_FALSE(verify_inclusion(leaves[index], index, size, path, root(size)));
    }
}

TEST_F(Proofs, ReadExactlyTheNodesThatWereListed) {
    for (const std::size_t size : sizes()) {
        const std::size_t other = 1 + random() % size;
        Watched root{reader(size), {}};
        ASSERT_TRUE(root_of(size, root.watch()));
        std::ranges::reverse(root.nodes);  // the root is computed from the right
        EXPECT_EQ(root.nodes, nodes_for_root(size));
        const auto same_nodes = [](std::vector<Node> read, std::vector<Node> listed) {
            std::ranges::sort(read);
            std::ranges::sort(listed);
            return read == listed;
        };
        Watched path{reader(size), {}};
        ASSERT_TRUE(inclusion_proof(other - 1, size, path.watch()));
        EXPECT_TRUE(same_nodes(path.nodes, nodes_for_inclusion(other - 1, size)));
        Watched proof{reader(size), {}};
        ASSERT_TRUE(consistency_proof(other, size, proof.watch()));
        EXPECT_TRUE(same_nodes(proof.nodes, nodes_for_consistency(other, size)));
    }
}

TEST_F(Proofs, RefuseWhatHasNoProof) {
    EXPECT_FALSE(inclusion_proof(5, 5, reader(5)));
    EXPECT_FALSE(inclusion_proof(0, 0, reader(0)));
    EXPECT_EQ(consistency_proof(0, 5, reader(5)).error(), "consistency with an empty tree proves nothing");
    EXPECT_EQ(consistency_proof(6, 5, reader(5)).error(), "the first tree is larger than the second");
    EXPECT_TRUE(nodes_for_root(0).empty());
    EXPECT_TRUE(nodes_for_inclusion(5, 5).empty());
    EXPECT_TRUE(nodes_for_consistency(0, 5).empty());
    EXPECT_TRUE(nodes_for_consistency(6, 5).empty());
    EXPECT_EQ(consistency_proof(5, 5, reader(5)), std::vector<Hash>{});
}

TEST_F(Proofs, AHashThatCannotBeReadIsNamed) {
    const HashReader broken = [&](const Node& node) -> std::expected<Hash, std::string> {
        if (node.level == 1) return std::unexpected("the tile is damaged");
        return reader(7)(node);
    };
    EXPECT_EQ(root_of(7, broken).error(), "the tile is damaged");
    EXPECT_EQ(inclusion_proof(0, 7, broken).error(), "the tile is damaged");
    EXPECT_EQ(consistency_proof(3, 7, broken).error(), "the tile is damaged");
}

// The leaves below some nodes; fails for a node that such a tree does not have.
std::uint64_t leaves_below(const std::vector<Node>& nodes, std::uint64_t size) {
    std::uint64_t leaves = 0;
    for (const Node& node : nodes) {
        EXPECT_LE(node.level, 63U);
        EXPECT_LT(node.index, size >> node.level);
        leaves += std::uint64_t{1} << node.level;
    }
    return leaves;
}

TEST(LargestTree, ItsProofsDoNotOverflow) {
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(nodes_for_root(max).size(), 64U);
    EXPECT_EQ(leaves_below(nodes_for_root(max), max), max);
    for (const std::uint64_t index : {std::uint64_t{0}, max / 2, max / 2 + 1, max - 2, max - 1})
        EXPECT_EQ(leaves_below(nodes_for_inclusion(index, max), max), max - 1) << "all leaves but one";
    EXPECT_EQ(leaves_below(nodes_for_consistency(max - 1, max), max), max);
    EXPECT_EQ(leaves_below(nodes_for_consistency(max / 2 + 1, max), max), max / 2) << "the second half";
}

}  // namespace
}  // namespace consentry::tlog
