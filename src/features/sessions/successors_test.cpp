#include "features/sessions/successors.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

// Returns pairs whose tokens begin alike, as those of two concurrent refreshes do.
TokenPair pair_of(const std::string& jti) {
    return {"eyJhbGciOiJFUzI1NiJ9." + jti, "eyJhbGciOiJFUzUxMiJ9." + jti, 3600};
}

TEST(CRY_2, TwoSuccessorsOfOneTokenAreSealedUnderTwoKeys) {
    const std::string first = seal_successor("the old token", "jti-1", pair_of("jti-1"));
    const std::string second = seal_successor("the old token", "jti-2", pair_of("jti-2"));
    // Under the same key and IV, plaintexts with equal beginnings would have ciphertexts with equal beginnings.
    EXPECT_NE(first.substr(0, 16), second.substr(0, 16));
}

TEST(CRY_2, ASuccessorOpensForItsTokenAndItsJtiAlone) {
    const std::string sealed = seal_successor("the old token", "jti-1", pair_of("jti-1"));
    const auto opened = open_successor("the old token", "jti-1", sealed);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->access_token, pair_of("jti-1").access_token);
    EXPECT_EQ(opened->refresh_token, pair_of("jti-1").refresh_token);
    EXPECT_EQ(opened->expires_in, 3600);
    EXPECT_FALSE(open_successor("another token", "jti-1", sealed));
    EXPECT_FALSE(open_successor("the old token", "jti-2", sealed));
    EXPECT_FALSE(open_successor("the old token", "jti-1", sealed + "x"));
    EXPECT_FALSE(open_successor("the old token", "jti-1", ""));
}

}  // namespace
}  // namespace consentry
