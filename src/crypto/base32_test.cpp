#include "crypto/base32.hpp"

#include <gtest/gtest.h>

#include "tests/support/base32.hpp"

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
        EXPECT_EQ(as_text(tests::from_base32(encoded)), plain);
    }
}

}  // namespace
}  // namespace consentry::crypto
