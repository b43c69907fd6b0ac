#include "base/text.hpp"

#include <gmock/gmock.h>

namespace consentry {
namespace {

using ::testing::ElementsAre;

TEST(Text, AsciiLettersAloneChangeTheirCase) {
    EXPECT_EQ(to_upper_ascii("az-9[\xc3\xa4"), "AZ-9[\xc3\xa4");
    EXPECT_EQ(to_lower_ascii("AZ-9[\xc3\x84"), "az-9[\xc3\x84");
}

TEST(Text, PartsAreTakenOffTheFront) {
    std::string_view rest = "a,,b";
    EXPECT_EQ(take_part(rest, ','), "a");
    EXPECT_EQ(rest, ",b");
    EXPECT_EQ(take_part(rest, ','), "");
    EXPECT_EQ(take_part(rest, ','), "b");
    EXPECT_EQ(rest, "");
    EXPECT_EQ(take_part(rest, ','), "");
    rest = "a,";
    EXPECT_EQ(take_part(rest, ','), "a");
    EXPECT_EQ(rest, "") << "a separator at the end begins no part";
}

TEST(Text, IsSplitIntoAllItsParts) {
    EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
    EXPECT_THAT(split(",a,", ','), ElementsAre("", "a", ""));
    EXPECT_THAT(split("a;b", ','), ElementsAre("a;b"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
}

}  // namespace
}  // namespace consentry
