#include "tlog/proof_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/naive_tree.hpp"
#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

using tests::naive_root;
using tests::some_leaves;

// The example of the specification with whole signatures, and extra data that are base64.
constexpr std::string_view proof_example =
    "c2sp.org/tlog-proof@v1\n"
    "extra YWdlLXYxLjIuMS1kYXJ3aW4tYXJtNjQudGFyLmd6\n"
    "index 73894\n"
    "gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=\n"
    "B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=\n"
    "EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs=\n"
    "RoopEkOdqkYqMB4MJXrbt/hMjOxsVn0IrWjpz1ZMMes=\n"
    "AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=\n"
    "\n"
    "example.com/fancylog\n"
    "109482\n"
    "sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=\n"
    "\n"
    "— example.com/fancylog AAAAAAA=\n"
    "— witness1.example AAAAAAA=\n";

TEST(ProofFile, OfTheSpecification) {
    const auto proof = parse_proof_file(proof_example);
    ASSERT_TRUE(proof) << proof.error();
    EXPECT_EQ(as_text(proof->extra), "age-v1.2.1-darwin-arm64.tar.gz");
    EXPECT_EQ(proof->index, 73894U);
    ASSERT_EQ(proof->hashes.size(), 5U);
    EXPECT_EQ(hash_text(proof->hashes[4]), "AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=");
    EXPECT_TRUE(proof->checkpoint.starts_with("example.com/fancylog\n109482\n"));
    EXPECT_TRUE(proof->checkpoint.ends_with("— witness1.example AAAAAAA=\n"));
    EXPECT_EQ(format_proof_file(*proof), proof_example);
}

TEST(ProofFile, OfATreeWithOneEntryHasNoHashes) {
    const ProofFile proof{{}, 0, {}, "the checkpoint\n"};
    const std::string text = "c2sp.org/tlog-proof@v1\nindex 0\n\nthe checkpoint\n";
    EXPECT_EQ(format_proof_file(proof), text);
    const auto read = parse_proof_file(text);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(format_proof_file(*read), text);
}

TEST(ProofFile, IsReadStrictly) {
    const std::string first = "c2sp.org/tlog-proof@v1\n";
    const std::string hash = hash_text(empty_root()) + "\n";
    const auto error = [](const std::string& text) { return parse_proof_file(text).error(); };
    EXPECT_EQ(error(""), "the first line is not c2sp.org/tlog-proof@v1");
    EXPECT_EQ(error("c2sp.org/tlog-proof@v2\nindex 0\n\n"), "the first line is not c2sp.org/tlog-proof@v1");
    EXPECT_EQ(error("c2sp.org/tlog-proof@v1"), "the first line is not c2sp.org/tlog-proof@v1");
    EXPECT_EQ(error("\n" + first + "index 0\n\n"), "the first line is not c2sp.org/tlog-proof@v1");
    for (const std::string_view extra : {"extra \n", "extra ?\n", "extra YQ\n", "extra YR==\n", "extra  YQ==\n"})
        EXPECT_EQ(error(first + std::string(extra) + "index 0\n\n"), "the extra data are not in base64") << extra;
    for (const std::string_view index : {"", "\n", "Index 0\n", "index\n", "extra YQ==\nextra YQ==\nindex 0\n"})
        EXPECT_EQ(error(first + std::string(index) + "\n"), "the line with the index is missing") << index;
    for (const std::string_view index :
         {"index \n", "index 01\n", "index -1\n", "index 0 \n", "index  0\n", "index 18446744073709551616\n"})
        EXPECT_EQ(error(first + std::string(index) + "\n"), "the index is not a decimal number in its usual form");
    EXPECT_EQ(error(first + "index 0\n" + hash), "the empty line after the hashes is missing");
    EXPECT_EQ(error(first + "index 0\nextra YQ==\n\n"), "hash 1 is not 32 bytes in base64");
    std::string hashes;
    for (std::size_t i = 0; i < inclusion_hashes_max; ++i) hashes += hash;
    EXPECT_TRUE(parse_proof_file(first + "index 0\n" + hashes + "\n"));
    EXPECT_EQ(error(first + "index 0\n" + hashes + hash + "\n"), "there are more than 64 hashes");
    EXPECT_EQ(error(std::string(proof_file_bytes_max + 1, 'x')), "the proof is too long");
}

// A log of 300 entries, one of which is proven.
struct ProofFileOfALog : ::testing::Test {
    static constexpr std::size_t size = 300;
    static constexpr std::size_t index = 255;
    const std::vector<Hash> leaves = some_leaves(size);
    const NoteSigner log = NoteSigner::from_seed("example.com/log", KeyType::ed25519, Bytes(32, 1)).value();
    const NoteSigner witness = NoteSigner::from_seed("witness.example", KeyType::cosignature, Bytes(32, 2)).value();
    const std::string entry = "entry 255";
    Checkpoint checkpoint{"example.com/log", size, naive_root(leaves)};
    ProofFile proof{{}, index, tests::naive_path(index, leaves), {}};

    ProofFileOfALog() { sign(); }
    void sign() {
        Note note{format_checkpoint(checkpoint), {}};
        note.signatures.push_back(log.sign(note.text));
        note.signatures.push_back(witness.cosign(note.text, {}));
        proof.checkpoint = format_note(note);
    }
    Policy policy() const {
        return Policy::parse("log " + log.verifier().text() + "\nwitness w " + witness.verifier().text() +
                             "\nquorum w\n")
            .value();
    }
    std::string error() const { return verify_proof(as_bytes(entry), proof, policy()).error(); }
};

TEST_F(ProofFileOfALog, ShowsThatTheEntryIsThere) {
    const auto read = parse_proof_file(format_proof_file(proof));
    ASSERT_TRUE(read) << read.error();
    const auto proven = verify_proof(as_bytes(entry), *read, policy());
    ASSERT_TRUE(proven) << proven.error();
    EXPECT_EQ(proven->index, index);
    EXPECT_EQ(proven->accepted.checkpoint, checkpoint);
    ASSERT_EQ(proven->accepted.cosignatures.size(), 1U);
    EXPECT_EQ(proven->accepted.cosignatures[0].witness, "w");
    EXPECT_TRUE(verify_leaf_proof(leaves[index], *read, policy()));
    EXPECT_TRUE(verify_proof(as_bytes(entry), *read, Policy::of_log(log.verifier()).value()));
}

TEST_F(ProofFileOfALog, ASentenceSaysWhatIsWrong) {
    EXPECT_EQ(verify_proof(as_bytes("another entry"), proof, policy()).error(),
              "the entry is not number 255 of example.com/log: the proof leads to another root");
    proof.index = 254;
    EXPECT_EQ(error(), "the entry is not number 254 of example.com/log: the proof leads to another root");
    proof.index = size;
    EXPECT_EQ(error(), "the entry is not number 300 of example.com/log: the index is not below the size of the tree");
    proof.index = index;
    const Hash last = proof.hashes.back();
    proof.hashes.pop_back();
    EXPECT_EQ(error(), "the entry is not number 255 of example.com/log: the proof has too few hashes");
    proof.hashes.push_back(last);
    ASSERT_EQ(verify_proof(as_bytes(entry), proof, policy()).has_value(), true);

    checkpoint.origin = "example.com/other";
    sign();
    EXPECT_EQ(error(), "the policy has no log example.com/other");
    proof.checkpoint = "nothing";
    EXPECT_EQ(error(), "no empty line separates text and signatures");
}

TEST_F(ProofFileOfALog, NoByteOfTheFileCanChange) {
    const std::string text = format_proof_file(proof);
    const Policy trusted = policy();
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string altered = text;
        altered[i] ^= 1;
        const auto read = parse_proof_file(altered);
        EXPECT_FALSE(read && verify_proof(as_bytes(entry), *read, trusted)) << altered;
    }
}

}  // namespace
}  // namespace consentry::tlog
