#include "crypto/timestamp.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace consentry::crypto {
namespace {

// tests/features/consent_log/timestamp_test.cpp has stamps of a real authority.
TEST(Timestamp, EachQueryHasANonceOfItsOwn) {
    const Sha256 digest = sha256("text");
    const Bytes query = timestamp_query(digest);
    EXPECT_NE(query, timestamp_query(digest));
    EXPECT_EQ(query.front(), 0x30) << "a SEQUENCE";
    EXPECT_NE(std::ranges::search(query, digest).begin(), query.end());
}

TEST(Timestamp, WhatIsNoAnswerIsRefused) {
    const Bytes query = timestamp_query(sha256("text"));
    for (const Bytes& answer : {Bytes{}, Bytes{0x30}, Bytes{0x30, 0x00}, Bytes(1000, 0x30), query})
        EXPECT_EQ(check_timestamp(answer, query).error(), "the answer is not a timestamp") << answer.size();
    // PKIStatusInfo with status 2, a rejection.
    const Bytes rejection{0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x02};
    EXPECT_EQ(check_timestamp(rejection, query).error(), "the authority refuses the timestamp (status 2)");
    // Granted, but without a timestamp.
    const Bytes empty{0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x00};
    EXPECT_FALSE(check_timestamp(empty, query));
}

}  // namespace
}  // namespace consentry::crypto
