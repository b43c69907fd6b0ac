#include "crypto/base32.hpp"

#include <gtest/gtest.h>

namespace consentry::crypto {
namespace {

TEST(Base32, VectorsOfRfc4648WithoutTheirPadding) {
    const std::pair<std::string_view, std::string_view> vectors[] = {
        {"", ""},
        {"f", "MY"},
        {"fo", "MZXQ"},
        {"foo", "MZXW6"},
        {"foob", "MZXW6YQ"},
        {"fooba", "MZXW6YTB"},
        {"foobar", "MZXW6YTBOI"},
        {"12345678901234567890", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"},
    };
    for (const auto& [plain, encoded] : vectors) {
        EXPECT_EQ(to_base32(as_bytes(plain)), encoded);
        const auto decoded = from_base32(encoded);
        ASSERT_TRUE(decoded) << encoded;
        EXPECT_EQ(as_text(*decoded), plain);
    }
}

TEST(Base32, EachByteStringHasOneSpelling) {
    for (const std::string_view text :
         {"my", "MY======", "M", "MZX", "MZXW6Y", "MZ", "M0", "M1", "M8", "MY ", " MY", "M=", "MZXW6YTB=", "MR\n"})
        EXPECT_FALSE(from_base32(text)) << text;
}

}  // namespace
}  // namespace consentry::crypto
