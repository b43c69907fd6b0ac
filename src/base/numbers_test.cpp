#include "base/numbers.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace consentry {
namespace {

TEST(Numbers, AreReadAsAWhole) {
    EXPECT_EQ(parse_number<std::int64_t>("-9223372036854775808"), INT64_MIN);
    EXPECT_EQ(parse_number<std::uint16_t>("65535"), 65535);
    EXPECT_EQ(parse_number<std::uint16_t>("007"), 7);
    for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "1.0", "-1", "65536", "99999999999999999999"})
        EXPECT_EQ(parse_number<std::uint16_t>(text), std::nullopt) << text;
}

TEST(Numbers, InCanonicalFormHaveOneSpelling) {
    EXPECT_EQ(parse_canonical_number<std::uint64_t>("0"), 0U);
    EXPECT_EQ(parse_canonical_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
    for (const char* text : {"", "00", "07", "-0", "-1", "+1", "1 ", "18446744073709551616"}) {
        EXPECT_EQ(parse_canonical_number<std::uint64_t>(text), std::nullopt) << text;
        EXPECT_EQ(parse_canonical_number<std::int32_t>(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace consentry
