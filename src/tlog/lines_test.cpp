#include "tlog/lines.hpp"

#include <gtest/gtest.h>

namespace consentry::tlog {
namespace {

TEST(Lines, AreTakenOffTheFront) {
    LineReader lines("one\n\nthree\nrest");
    EXPECT_EQ(lines.next(), "one");
    EXPECT_EQ(lines.next(), "");
    EXPECT_EQ(lines.next(), "three");
    EXPECT_EQ(lines.next(), std::nullopt) << "without a newline it is not a line";
    EXPECT_EQ(lines.rest(), "rest");
    EXPECT_EQ(LineReader("").next(), std::nullopt);
}

TEST(Lines, ANumberHasOneSpelling) {
    EXPECT_EQ(parse_decimal("0"), 0U);
    EXPECT_EQ(parse_decimal("20852163"), 20852163U);
    EXPECT_EQ(parse_decimal("18446744073709551615"), 18446744073709551615U);
    for (const std::string_view text : {"", "00", "01", "+1", "-1", " 1", "1 ", "1\n", "0x1", "1e3",
                                        "18446744073709551616", "99999999999999999999", "100000000000000000000", "１"})
        EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
}

TEST(Lines, AHashHasOneSpelling) {
    const std::string text = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    EXPECT_EQ(parse_hash(text), empty_root());
    EXPECT_EQ(hash_text(empty_root()), text);
    for (const std::string& other : std::initializer_list<std::string>{
             "", text.substr(0, 43), text + "=", text + "\n", " " + text,
             text.substr(0, 42) + "V=", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=", text.substr(4) + "=",
             to_base64(Bytes(31)), to_base64(Bytes(33))})
        EXPECT_EQ(parse_hash(other), std::nullopt) << other;
}

TEST(Lines, HashesEndWithAnEmptyLine) {
    const Hash hash = empty_root();
    const std::string text = hash_lines({hash, hash}) + "\nrest";
    LineReader lines(text);
    EXPECT_EQ(read_hash_lines(lines, 2), (std::vector{hash, hash}));
    EXPECT_EQ(lines.rest(), "rest");

    const auto error = [&](const std::string& bad) {
        LineReader reader(bad);
        return read_hash_lines(reader, 2).error();
    };
    EXPECT_EQ(error(hash_lines({hash, hash, hash}) + "\n"), "there are more than 2 hashes");
    EXPECT_EQ(error(hash_lines({hash})), "the empty line after the hashes is missing");
    EXPECT_EQ(error(hash_lines({hash}) + "not a hash\n\n"), "hash 2 is not 32 bytes in base64");
    EXPECT_EQ(error(hash_text(hash)), "the empty line after the hashes is missing");
}

}  // namespace
}  // namespace consentry::tlog
