#include "tlog/checkpoint.hpp"

#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

constexpr std::string_view root_text = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
const std::string of_the_specification = "example.com/behind-the-sofa\n20852163\n" + std::string(root_text) + "\n";

std::string checkpoint_error(const std::string& text) { return parse_checkpoint(text).error(); }

TEST(Checkpoint, OfTheSpecification) {
    const auto checkpoint = parse_checkpoint(of_the_specification);
    ASSERT_TRUE(checkpoint) << checkpoint.error();
    EXPECT_EQ(checkpoint->origin, "example.com/behind-the-sofa");
    EXPECT_EQ(checkpoint->size, 20852163U);
    EXPECT_EQ(checkpoint->root, parse_hash(root_text));
    EXPECT_EQ(format_checkpoint(*checkpoint), of_the_specification);
}

TEST(Checkpoint, OfTheSmallestAndTheLargestTree) {
    const Checkpoint empty{"log", 0, empty_root()};
    EXPECT_EQ(format_checkpoint(empty), "log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n");
    EXPECT_EQ(parse_checkpoint(format_checkpoint(empty)), empty);
    const Checkpoint full{"log", std::numeric_limits<std::uint64_t>::max(), parse_hash(root_text).value()};
    EXPECT_EQ(parse_checkpoint(format_checkpoint(full)), full);
}

TEST(Checkpoint, IsReadStrictly) {
    const std::string root = std::string(root_text) + "\n";
    EXPECT_TRUE(parse_checkpoint("Go sum database tree\n1\n" + root)) << "an origin need be no address";
    for (const std::string& text : {std::string{}, std::string("log\n"), std::string("log\n1\n"),
                                    "log\n1\n" + std::string(root_text), of_the_specification.substr(1, 30)})
        EXPECT_EQ(checkpoint_error(text), "a checkpoint has three lines: origin, size and root") << text;
    for (const std::string& origin :
         {std::string{}, std::string("\t"), std::string("\xFF"), std::string("a\rb"), std::string(256, 'o')})
        EXPECT_EQ(checkpoint_error(fmt::format("{}\n1\n{}", origin, root)), "the first line is not the origin of a log")
            << origin;
    for (const std::string_view size : {"", "01", "-1", "+1", "1 ", "0x1", "18446744073709551616", "one"})
        EXPECT_EQ(checkpoint_error("log\n" + std::string(size) + "\n" + root),
                  "the size of the tree is not a decimal number in its usual form")
            << size;
    for (const std::string& bad : {std::string{}, std::string(root_text.substr(0, 43)), std::string(root_text) + " "})
        EXPECT_EQ(checkpoint_error("log\n1\n" + bad + "\n"), "the root of the tree is not 32 bytes in base64") << bad;
    EXPECT_EQ(checkpoint_error("log\n0\n" + root), "the root is not that of an empty tree");
    for (const std::string_view more : {"\n", "extension\n", "extension", " "})
        EXPECT_EQ(checkpoint_error(of_the_specification + std::string(more)), "more lines follow the root of the tree")
            << more;
}

TEST(Checkpoint, OfNoOriginIsNotWritten) {
    for (const std::string& origin :
         {std::string{}, std::string("a\nb"), std::string("\t"), std::string("\xFF"), std::string(256, 'o')})
        EXPECT_THROW(format_checkpoint({origin, 0, empty_root()}), std::invalid_argument) << origin;
}

TEST(Checkpoint, IsOpenedWithTheKeyOfItsLogAlone) {
    const auto signer = [](std::string name, KeyType type, std::uint8_t seed) {
        return NoteSigner::from_seed(std::move(name), type, Bytes(32, seed)).value();
    };
    const auto log = signer("example.com/log", KeyType::ed25519, 1);
    const auto other = signer("example.com/other", KeyType::ed25519, 2);
    const auto successor = signer("example.com/log", KeyType::ed25519, 3);
    const auto witness = signer("example.com/log", KeyType::cosignature, 4);
    const Checkpoint checkpoint{"example.com/log", 5, leaf_hash({})};
    Note note{format_checkpoint(checkpoint), {}};
    note.signatures.push_back(log.sign(note.text));
    note.signatures.push_back(other.sign(note.text));
    note.signatures.push_back(witness.cosign(note.text, {}));
    const std::string text = format_note(note);

    const auto opened = open_checkpoint(text, log.verifier());
    ASSERT_TRUE(opened) << opened.error();
    EXPECT_EQ(opened->checkpoint, checkpoint);
    EXPECT_EQ(opened->note.signatures.size(), 3U);
    EXPECT_EQ(open_checkpoint(text, other.verifier()).error(),
              "the checkpoint is of example.com/log and not of example.com/other");
    EXPECT_EQ(open_checkpoint(text, successor.verifier()).error(), "none of the known keys has signed the note");
    EXPECT_EQ(open_checkpoint(text, witness.verifier()).error(), "the key of a log has type 1");
    note.signatures[0].signature[0] ^= 1;
    EXPECT_EQ(open_checkpoint(format_note(note), log.verifier()).error(),
              "the signature of example.com/log is invalid");
    EXPECT_EQ(open_checkpoint("a text\n\n" + format_signature_lines(note.signatures), log.verifier()).error(),
              "a checkpoint has three lines: origin, size and root");
    EXPECT_FALSE(parse_signed_checkpoint("nothing"));
}

}  // namespace
}  // namespace consentry::tlog
