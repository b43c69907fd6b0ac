#include "tlog/witness_protocol.hpp"

#include <gtest/gtest.h>

#include "tlog/checkpoint.hpp"
#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

// The example of the specification.
constexpr std::string_view request_example =
    "old 20852014\n"
    "PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n"
    "jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n"
    "5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n"
    "/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n"
    "\n"
    "example.com/behind-the-sofa\n"
    "20852163\n"
    "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    "\n"
    "— example.com/behind-the-sofa "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    "— example.com/behind-the-sofa "
    "opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=\n";

TEST(AddCheckpoint, OfTheSpecification) {
    const auto request = parse_add_checkpoint(request_example);
    ASSERT_TRUE(request) << request.error();
    EXPECT_EQ(request->old_size, 20852014U);
    ASSERT_EQ(request->proof.size(), 4U);
    EXPECT_EQ(hash_text(request->proof[3]), "/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=");
    const auto checkpoint = parse_signed_checkpoint(request->checkpoint);
    ASSERT_TRUE(checkpoint) << checkpoint.error();
    EXPECT_EQ(checkpoint->checkpoint.size, 20852163U);
    EXPECT_EQ(checkpoint->note.signatures.size(), 2U);
    EXPECT_EQ(format_add_checkpoint(*request), request_example);
}

TEST(AddCheckpoint, TheFirstOneHasNoProof) {
    const AddCheckpoint request{0, {}, "checkpoint\n"};
    EXPECT_EQ(format_add_checkpoint(request), "old 0\n\ncheckpoint\n");
    const auto read = parse_add_checkpoint("old 0\n\ncheckpoint\n");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->old_size, 0U);
    EXPECT_EQ(read->checkpoint, "checkpoint\n");
}

TEST(AddCheckpoint, IsReadStrictly) {
    const std::string hash = hash_text(empty_root()) + "\n";
    const auto error = [](const std::string& body) { return parse_add_checkpoint(body).error(); };
    for (const std::string_view body : {"", "\n", "old", "old 1", "Old 1\n\n", " old 1\n\n", "old\n\n", "new 1\n\n"})
        EXPECT_EQ(error(std::string(body)), "the first line is not `old` and a size") << body;
    for (const std::string_view body : {"old \n\n", "old 01\n\n", "old  1\n\n", "old 1 \n\n", "old -1\n\n",
                                        "old 18446744073709551616\n\n", "old 1\r\n\n"})
        EXPECT_EQ(error(std::string(body)), "the old size is not a decimal number in its usual form") << body;
    EXPECT_EQ(error("old 1\n" + hash), "the empty line after the hashes is missing");
    EXPECT_EQ(error("old 1\n" + hash + "x\n\n"), "hash 2 is not 32 bytes in base64");
    std::string hashes;
    for (std::size_t i = 0; i < witness_hashes_max; ++i) hashes += hash;
    EXPECT_TRUE(parse_add_checkpoint("old 1\n" + hashes + "\ncheckpoint\n"));
    EXPECT_EQ(error("old 1\n" + hashes + hash + "\ncheckpoint\n"), "there are more than 63 hashes");
    EXPECT_EQ(error(std::string(add_checkpoint_bytes_max + 1, 'x')), "the request is too long");
}

TEST(AddCheckpoint, AProofThatIsTooLongIsNotSent) {
    AddCheckpoint request{1, std::vector(witness_hashes_max, empty_root()), "checkpoint\n"};
    EXPECT_NO_THROW(format_add_checkpoint(request));
    request.proof.push_back(empty_root());
    EXPECT_THROW(format_add_checkpoint(request), std::invalid_argument);
}

TEST(TreeSize, IsALine) {
    EXPECT_EQ(format_tree_size(20852014), "20852014\n");
    EXPECT_EQ(parse_tree_size("20852014\n"), 20852014U);
    EXPECT_EQ(parse_tree_size("0\n"), 0U);
    for (const std::string_view body : {"", "\n", "1", "01\n", "1\n\n", "1\n2\n", " 1\n", "1\r\n", "one\n"})
        EXPECT_EQ(parse_tree_size(body), std::nullopt) << body;
}

}  // namespace
}  // namespace consentry::tlog
