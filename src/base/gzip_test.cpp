#include "base/gzip.hpp"

#include <random>

#include <gtest/gtest.h>

#include "base/bytes.hpp"

namespace consentry {
namespace {

constexpr std::size_t plenty = std::size_t{1} << 24;

std::string noise(std::size_t bytes) {
    std::mt19937 random(7);
    std::string out(bytes, '\0');
    for (char& c : out) c = static_cast<char>(random());
    return out;
}

std::string text_of(const std::optional<Unpacked>& unpacked) {
    if (!unpacked) return "(damaged)";
    return unpacked->is_whole ? unpacked->bytes : unpacked->bytes + "...";
}

TEST(Gzip, RestoresWhatItPacked) {
    for (const std::string& text : {std::string(), std::string("a"), std::string(200'000, 'a'), noise(200'000)})
        for (const Effort effort : {Effort::least, Effort::usual}) {
            const std::string packed = gzip(text, effort);
            EXPECT_EQ(text_of(gunzip(packed, plenty)), text);
            EXPECT_EQ(text_of(gunzip(packed, text.size())), text);
        }
    EXPECT_LT(gzip(std::string(200'000, 'a'), Effort::usual).size(), 1'000U);
}

// printf consent | gzip -n
TEST(Gzip, ReadsWhatOthersPacked) {
    const Bytes packed = from_hex("1f8b08000000000000034bcecf2b4ecd2b01001008126307000000").value();
    EXPECT_EQ(text_of(gunzip(as_text(packed), plenty)), "consent");
}

TEST(Gzip, ReturnsNoMoreThanAskedFor) {
    const std::string packed = gzip(std::string(plenty, 'a'), Effort::usual);
    ASSERT_LT(packed.size(), 100'000U);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, plenty - 1}) {
        const auto unpacked = gunzip(packed, bytes);
        ASSERT_TRUE(unpacked);
        EXPECT_EQ(unpacked->bytes.size(), bytes);
        EXPECT_FALSE(unpacked->is_whole);
    }
}

TEST(Gzip, APrefixIsEnoughForThePrefix) {
    const std::string text = noise(100'000);
    for (const Effort effort : {Effort::least, Effort::usual}) {
        const std::string packed = gzip(text, effort);
        for (std::size_t bytes = 0; bytes <= text.size(); bytes = bytes * 2 + 1) {
            const std::string_view prefix = std::string_view(packed).substr(0, packed_bytes_max(bytes));
            EXPECT_EQ(text_of(gunzip(prefix, bytes)), text.substr(0, bytes) + "...");
        }
        EXPECT_LE(packed.size(), packed_bytes_max(text.size()));
    }
}

TEST(Gzip, FindsDamage) {
    const std::string text = "{\"accepted\":true}" + noise(300);
    const std::string packed = gzip(text, Effort::usual);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < packed.size(); ++i) {
        std::string damaged = packed;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        const std::string found = text_of(gunzip(damaged, plenty));
        EXPECT_TRUE(found == "(damaged)" || found == text) << "byte " << i;
        if (i + 8 >= packed.size()) EXPECT_EQ(found, "(damaged)") << "checksum and length, byte " << i;
        if (found == "(damaged)") ++refused;
        EXPECT_EQ(text_of(gunzip(packed.substr(0, i), plenty)), "(damaged)") << "cut at " << i;
    }
    EXPECT_GT(refused, packed.size() - 15) << "all but bits that nothing depends on, such as the time in the header";
    EXPECT_EQ(text_of(gunzip(packed + "x", plenty)), "(damaged)");
    EXPECT_EQ(text_of(gunzip(packed + packed, plenty)), "(damaged)") << "gzip() writes one member";
    EXPECT_EQ(text_of(gunzip("plain text", plenty)), "(damaged)");
    EXPECT_EQ(text_of(gunzip("", plenty)), "(damaged)");
}

}  // namespace
}  // namespace consentry
