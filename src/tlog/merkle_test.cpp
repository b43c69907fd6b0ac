#include "tlog/merkle.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/naive_tree.hpp"

namespace consentry::tlog {
namespace {

using tests::naive_root;
using tests::some_leaves;
constexpr std::uint64_t uint64_max = std::numeric_limits<std::uint64_t>::max();

// The tree that Certificate Transparency's implementations share as their reference.
constexpr std::string_view reference_entries[] = {
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"};
constexpr std::string_view reference_roots[] = {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                                                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                                                "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
                                                "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
                                                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                                                "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
                                                "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
                                                "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
                                                "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};

std::vector<Hash> reference_leaves() {
    std::vector<Hash> leaves;
    for (const std::string_view entry : reference_entries) leaves.push_back(leaf_hash(from_hex(entry).value()));
    return leaves;
}

TEST(Merkle, RootsOfTheReferenceTree) {
    const auto leaves = reference_leaves();
    EXPECT_EQ(to_hex(empty_root()), reference_roots[0]);
    for (std::size_t size = 0; size <= leaves.size(); ++size)
        EXPECT_EQ(to_hex(naive_root(std::span(leaves).first(size))), reference_roots[size]) << size;
}

// The example of RFC 6962 section 2.1.3 and RFC 9162 section 2.1.5, with its names.
struct SevenLeaves {
    std::vector<Hash> d = some_leaves(7);
    Hash g = node_hash(d[0], d[1]);
    Hash h = node_hash(d[2], d[3]);
    Hash i = node_hash(d[4], d[5]);
    Hash k = node_hash(g, h);
    Hash l = node_hash(i, d[6]);
    Hash root = node_hash(k, l);
    // The trees of the first three, four and six leaves.
    Hash hash0 = node_hash(g, d[2]);
    Hash hash1 = k;
    Hash hash2 = node_hash(k, i);
};

TEST(Merkle, InclusionInTheTreeOfTheRfc) {
    const SevenLeaves tree;
    const auto included = [&](std::uint64_t index, const std::vector<Hash>& proof) {
        return verify_inclusion(tree.d[index], index, 7, proof, tree.root).has_value();
    };
    EXPECT_TRUE(included(0, {tree.d[1], tree.h, tree.l}));
    EXPECT_TRUE(included(3, {tree.d[2], tree.g, tree.l}));
    EXPECT_TRUE(included(4, {tree.d[5], tree.d[6], tree.k}));
    EXPECT_TRUE(included(6, {tree.i, tree.k}));
    EXPECT_FALSE(included(6, {tree.k, tree.i}));
    EXPECT_FALSE(included(5, {tree.d[5], tree.d[6], tree.k})) << "the place of the fifth";
}

TEST(Merkle, ConsistencyOfTheTreesOfTheRfc) {
    const SevenLeaves tree;
    const auto consistent = [&](std::uint64_t size, const Hash& root, const std::vector<Hash>& proof) {
        return verify_consistency(size, root, 7, tree.root, proof).has_value();
    };
    EXPECT_TRUE(consistent(3, tree.hash0, {tree.d[2], tree.d[3], tree.g, tree.l}));
    EXPECT_TRUE(consistent(4, tree.hash1, {tree.l}));
    EXPECT_TRUE(consistent(6, tree.hash2, {tree.i, tree.d[6], tree.k}));
    EXPECT_FALSE(consistent(3, tree.hash1, {tree.d[2], tree.d[3], tree.g, tree.l}));
    EXPECT_FALSE(consistent(4, tree.hash1, {tree.k, tree.l})) << "the root of the first tree is left out";
}

TEST(Merkle, ASentenceNamesWhatIsWrongWithAProof) {
    const SevenLeaves tree;
    const auto inclusion = [&](std::uint64_t index, std::uint64_t size, const std::vector<Hash>& proof) {
        return verify_inclusion(tree.d[6], index, size, proof, tree.root).error();
    };
    EXPECT_EQ(inclusion(7, 7, {}), "the index is not below the size of the tree");
    EXPECT_EQ(inclusion(0, 0, {}), "the index is not below the size of the tree");
    EXPECT_EQ(inclusion(6, 7, {tree.i}), "the proof has too few hashes");
    EXPECT_EQ(inclusion(6, 7, {tree.i, tree.k, tree.k}), "the proof has more hashes than the tree has levels");
    EXPECT_EQ(inclusion(6, 7, {tree.i, tree.l}), "the proof leads to another root");

    const auto consistency = [&](std::uint64_t size1, const Hash& root1, const std::vector<Hash>& proof) {
        return verify_consistency(size1, root1, 7, tree.root, proof).error();
    };
    EXPECT_EQ(consistency(0, empty_root(), {}), "consistency with an empty tree proves nothing");
    EXPECT_EQ(consistency(8, tree.root, {}), "the first tree is larger than the second");
    EXPECT_EQ(consistency(7, tree.root, {tree.l}), "the proof for two trees of one size is not empty");
    EXPECT_EQ(consistency(7, tree.k, {}), "two trees of one size have different roots");
    EXPECT_EQ(consistency(4, tree.k, {}), "the proof has too few hashes");
    EXPECT_EQ(consistency(6, tree.hash2, {tree.i, tree.d[6]}), "the proof has too few hashes");
    EXPECT_EQ(consistency(4, tree.k, {tree.l, tree.l}), "the proof has more hashes than the tree has levels");
    EXPECT_EQ(consistency(6, tree.hash1, {tree.i, tree.d[6], tree.k}),
              "the proof leads to another root of the first tree");
    EXPECT_EQ(consistency(4, tree.hash1, {tree.k}), "the proof leads to another root of the second tree");
}

// No size overflows: the path to the last leaf of the largest tree has 63 left siblings above each other.
TEST(Merkle, TheLargestTree) {
    const Hash leaf = leaf_hash(as_bytes("the last"));
    std::vector<Hash> siblings(63, leaf_hash(as_bytes("a whole subtree")));
    Hash root = leaf;
    for (const Hash& sibling : siblings) root = node_hash(sibling, root);
    EXPECT_TRUE(verify_inclusion(leaf, uint64_max - 1, uint64_max, siblings, root));
    EXPECT_FALSE(verify_inclusion(leaf, uint64_max - 2, uint64_max, siblings, root));
    EXPECT_FALSE(verify_inclusion(leaf, uint64_max, uint64_max, siblings, root));

    // The first leaf has 64 siblings, and a tree of 2^63 leaves leaves out all but the last.
    siblings.assign(inclusion_hashes_max, leaf);
    root = leaf;
    for (const Hash& sibling : siblings) root = node_hash(root, sibling);
    EXPECT_TRUE(verify_inclusion(leaf, 0, uint64_max, siblings, root));
    Hash half = leaf;
    for (std::size_t i = 0; i < 63; ++i) half = node_hash(half, leaf);
    EXPECT_TRUE(verify_consistency(std::uint64_t{1} << 63, half, uint64_max, root, {&leaf, 1}));
    EXPECT_FALSE(verify_consistency((std::uint64_t{1} << 63) - 1, half, uint64_max, root, {&leaf, 1}));
    EXPECT_FALSE(verify_consistency(uint64_max, half, uint64_max, root, {}));
}

}  // namespace
}  // namespace consentry::tlog
