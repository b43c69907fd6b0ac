#include "storage/redis/redis_slots.hpp"

#include <gtest/gtest.h>

namespace consentry::storage::redis {
namespace {

TEST(RedisSlots, OfPublishedExamples) {
    // The check value of CRC16/XMODEM is 0x31C3. The other values come from CLUSTER KEYSLOT.
    EXPECT_EQ(slot_of("123456789"), 0x31C3 % slot_count);
    EXPECT_EQ(slot_of(""), 0);
    EXPECT_EQ(slot_of("foo"), 12182);
    EXPECT_EQ(slot_of("somekey"), 11058);
}

TEST(RedisSlots, AHashTagDecidesAlone) {
    EXPECT_EQ(slot_of("{user1000}.following"), slot_of("{user1000}.followers"));
    EXPECT_EQ(slot_of("Cache:a:{foo}:b"), slot_of("foo"));
    EXPECT_EQ(slot_of("foo{bar}{zap}"), slot_of("bar"));
}

TEST(RedisSlots, WhatIsNoHashTag) {
    EXPECT_NE(slot_of("foo{}{bar}"), slot_of("bar"));
    EXPECT_NE(slot_of("foo{bar"), slot_of("bar"));
    EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
}

}  // namespace
}  // namespace consentry::storage::redis
