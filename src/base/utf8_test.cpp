#include "base/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

namespace consentry {
namespace {

// One character of each length: a, e with an acute accent, the euro sign, a face.
constexpr std::string_view text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";

TEST(Utf8, IsCutBetweenCharacters) {
    const std::size_t lengths[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (std::size_t most = 0; most < std::size(lengths); ++most)
        EXPECT_EQ(cut_at_character(text, most), text.substr(0, lengths[most])) << most;
    EXPECT_EQ(cut_at_character("", 0), "");
}

TEST(Utf8, IsReadCharacterByCharacter) {
    std::string_view rest = text;
    for (const std::uint32_t point : {0x61U, 0xE9U, 0x20ACU, 0x1F600U}) {
        const auto [read, length] = first_code_point(rest);
        EXPECT_EQ(read, point);
        EXPECT_EQ(length, character_length(rest.front()));
        EXPECT_FALSE(continues_character(rest.front()));
        for (std::size_t i = 1; i < length; ++i) EXPECT_TRUE(continues_character(rest[i]));
        rest.remove_prefix(length);
    }
    EXPECT_EQ(rest, "");
}

}  // namespace
}  // namespace consentry
