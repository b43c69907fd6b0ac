#include "crypto/totp.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crypto/totp_window.hpp"

namespace consentry::crypto {
namespace {

const BytesView secret = as_bytes("12345678901234567890");

TEST(TFA_1, HotpOfRfc4226AppendixD) {
    const std::string_view codes[] = {"755224", "287082", "359152", "969429", "338314",
                                      "254676", "287922", "162583", "399871", "520489"};
    for (std::uint64_t counter = 0; counter < 10; ++counter) EXPECT_EQ(hotp(secret, counter, 6), codes[counter]);
}

TEST(TFA_1, TotpOfRfc6238AppendixB) {
    const std::pair<std::int64_t, std::string_view> vectors[] = {
        {59, "94287082"},         {1111111109, "07081804"}, {1111111111, "14050471"},
        {1234567890, "89005924"}, {2000000000, "69279037"}, {20000000000, "65353130"},
    };
    for (const auto& [time, code] : vectors) {
        const std::int64_t step = totp_step(from_epoch_seconds(time), {});
        EXPECT_EQ(step, time / 30);
        EXPECT_EQ(hotp(secret, static_cast<std::uint64_t>(step), 8), code);
        EXPECT_EQ(hotp(secret, static_cast<std::uint64_t>(step), 6), code.substr(2));
        EXPECT_EQ(matching_step(secret, code.substr(2), from_epoch_seconds(time), {}), step);
        EXPECT_EQ(matching_step(secret, code, from_epoch_seconds(time), {.digits = 8}), step);
    }
}

TEST(TFA_1, AStepEndsWithItsLastMillisecond) {
    EXPECT_EQ(totp_step(from_epoch_ms(29'999), {}), 0);
    EXPECT_EQ(totp_step(from_epoch_ms(30'000), {}), 1);
    EXPECT_EQ(totp_step(from_epoch_ms(-1), {}), -1);
    EXPECT_EQ(totp_step(from_epoch_seconds(119), {.period = std::chrono::seconds{60}}), 1);
}

TEST(TFA_2, OnlyThePresentStepAndItsNeighborsMatch) {
    const TimePoint now = from_epoch_seconds(1234567890);
    const std::int64_t present = totp_step(now, {});
    for (int distance = -4; distance <= 4; ++distance) {
        const std::string code = hotp(secret, static_cast<std::uint64_t>(present + distance), 6);
        const auto step = matching_step(secret, code, now, {});
        if (distance >= -1 && distance <= 1)
            EXPECT_EQ(step, present + distance);
        else
            EXPECT_FALSE(step) << distance;
    }
    const std::string next = hotp(secret, static_cast<std::uint64_t>(present + 1), 6);
    EXPECT_FALSE(matching_step(secret, next, now, {.window = 0}));
}

TEST(TFA_2, OtherTextsMatchNothing) {
    const TimePoint now = from_epoch_seconds(59);
    ASSERT_TRUE(matching_step(secret, "287082", now, {}));
    for (const std::string_view code : {"", "28708", "0287082", "287082 ", " 287082", "28708２", "+87082"})
        EXPECT_FALSE(matching_step(secret, code, now, {})) << code;
}

TEST(TFA_2, StepsBefore1970DoNotExist) {
    const std::string before = hotp(secret, static_cast<std::uint64_t>(-1), 6);
    EXPECT_FALSE(matching_step(secret, before, from_epoch_seconds(0), {}));
    EXPECT_EQ(matching_step(secret, "755224", from_epoch_seconds(0), {}), 0);
}

TEST(CRY_5, AllThreeStepsOfACodeAreTried) {
    for (const std::int64_t window : {0, 1, 3}) {
        std::set<std::int64_t> all;
        for (std::int64_t step = 100 - window; step <= 100 + window; ++step) all.insert(step);
        // Every subset of the steps matches in turn: neither a match nor a mismatch ends the search.
        for (std::uint64_t fitting = 0; fitting < 1U << all.size(); ++fitting) {
            std::multiset<std::int64_t> tried;
            step_that_fits(100, window, [&](std::int64_t step) {
                tried.insert(step);
                return (fitting >> (step - 100 + window) & 1) != 0;
            });
            EXPECT_TRUE(std::ranges::equal(tried, all)) << "window " << window << ", fitting " << fitting;
        }
    }
}

TEST(TFA_3, OfTwoStepsWithOneCodeTheNearerCountsAndThenTheLater) {
    // Searches for two adjacent steps that share a code, and for two such steps at distance two.
    std::int64_t neighbors = -1;
    std::int64_t around = -1;
    for (std::int64_t step = 1; (neighbors < 0 || around < 0) && step < 8'000'000; ++step) {
        static thread_local std::string before;
        static thread_local std::string last;
        std::string code = hotp(secret, static_cast<std::uint64_t>(step), 6);
        if (neighbors < 0 && code == last) neighbors = step;
        if (around < 0 && code == before && code != last) around = step;
        before = std::move(last);
        last = std::move(code);
    }
    ASSERT_GE(neighbors, 0);
    ASSERT_GE(around, 0);
    const std::string twice = hotp(secret, static_cast<std::uint64_t>(neighbors), 6);
    EXPECT_EQ(matching_step(secret, twice, from_epoch_seconds(neighbors * 30), {}), neighbors);
    EXPECT_EQ(matching_step(secret, twice, from_epoch_seconds((neighbors - 1) * 30), {}), neighbors - 1);
    const std::string code = hotp(secret, static_cast<std::uint64_t>(around), 6);
    EXPECT_EQ(matching_step(secret, code, from_epoch_seconds((around - 1) * 30), {}), around);
}

TEST(TFA_1, OtpauthUrlSaysEverything) {
    EXPECT_EQ(otpauth_url("Consentry", "Consentry", "mike@example.org", secret, {}),
              "otpauth://totp/Consentry:mike%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Consentry&"
              "algorithm=SHA1&digits=6&period=30");
}

TEST(TFA_1, OtpauthUrlEncodesWhatWouldChangeItsParts) {
    const std::string url = otpauth_url("A:b?c&d%e#f\r\n", "A:b?c&d%e#f\r\n", "ü/ä+1@x.org", secret, {});
    EXPECT_TRUE(url.starts_with("otpauth://totp/A%3Ab%3Fc%26d%25e%23f%0D%0A:%C3%BC%2F%C3%A4%2B1%40x.org?secret="));
    EXPECT_TRUE(url.contains("&issuer=A%3Ab%3Fc%26d%25e%23f%0D%0A&algorithm="));
    EXPECT_EQ(std::ranges::count(url, '?'), 1);
    EXPECT_EQ(std::ranges::count(url, '&'), 4);
}

TEST(Totp, RefusesSettingsThatMakeNoSense) {
    EXPECT_THROW(hotp(secret, 0, 5), std::invalid_argument);
    EXPECT_THROW(hotp(secret, 0, 9), std::invalid_argument);
    EXPECT_THROW(totp_step({}, {.period = std::chrono::seconds{0}}), std::invalid_argument);
    EXPECT_THROW(matching_step(secret, "000000", {}, {.window = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace consentry::crypto
