#include <array>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/best_effort.hpp"
#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/lock_ladder.hpp"
#include "base/percent_encoding.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

namespace consentry {
namespace {

TEST(TFA_8, LockLadderNeverWraps) {
    const LockLadder ladder;
    // Seconds, rounded up, from the formula 2^(attempt/5) x 120 s.
    const std::pair<std::int64_t, std::int64_t> published[] = {
        {5, 240},    {6, 276},     {7, 317},     {8, 364},      {9, 418},        {10, 480},
        {11, 552},   {12, 634},    {15, 960},    {20, 1920},    {25, 3840},      {30, 7680},
        {40, 30720}, {50, 122880}, {60, 491520}, {75, 3932160}, {100, 125829120}};
    for (const auto& [attempt, wait] : published) EXPECT_EQ(whole_seconds(ladder.duration(attempt)), wait) << attempt;

    milliseconds before{0};
    for (const std::int64_t attempt : {std::int64_t{5}, std::int64_t{100}, std::int64_t{230}, std::int64_t{231},
                                       std::int64_t{5'036}, std::int64_t{1} << 31, std::int64_t{1} << 62}) {
        const auto wait = ladder.duration(attempt);
        EXPECT_GE(wait, before) << attempt;
        EXPECT_LE(wait, lock_max) << attempt;
        before = wait;
    }
    EXPECT_EQ(ladder.duration(4), milliseconds{0});
    EXPECT_EQ(ladder.duration(-7), milliseconds{0});
    EXPECT_GE(whole_seconds(milliseconds{0}), 1);
    EXPECT_EQ(whole_seconds(milliseconds{1001}), 2);
}

TEST(Clock, Rfc3339TimesAreReadAndNothingElse) {
    // The examples of RFC 3339, section 5.8, without the leap seconds, and one with lowercase letters.
    const std::pair<std::string_view, std::string_view> published[] = {
        {"1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.520Z"},
        {"1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57.000Z"},
        {"1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.870Z"},
        {"2024-02-29t00:00:00.123456789z", "2024-02-29T00:00:00.123Z"}};
    for (const auto& [text, same] : published) {
        ASSERT_TRUE(from_iso8601(text)) << text;
        EXPECT_EQ(to_iso8601(*from_iso8601(text)), same);
    }
    for (const std::string_view odd :
         {"", "2026-11-20", "2026-11-20T11:03:07", "2026-11-20 11:03:07Z", "2026-11-20T11:03:07.Z",
          "2026-11-20T11:03:07.1234567890Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-20T24:00:00Z",
          "2026-11-20T11:60:00Z", "2026-11-20T11:03:60Z", "2026-11-20T11:03:07+24:00", "2026-11-20T11:03:07+0200",
          "2026-11-20T11:03:07Z ", "+2026-11-20T11:03:07Z", "20261120T110307Z", "2026-1-20T11:03:07Z"})
        EXPECT_FALSE(from_iso8601(odd)) << odd;
}

TEST(Base64url, Rfc4648VectorsAndOneSpellingOnly) {
    EXPECT_EQ(to_base64url(as_bytes("foobar")), "Zm9vYmFy");
    EXPECT_EQ(to_base64url(as_bytes("fooba")), "Zm9vYmE");
    EXPECT_EQ(to_base64(as_bytes("foob")), "Zm9vYg==");
    for (const auto* text : {"", "Zg", "Zm8", "Zm9v", "Zm9vYg"}) EXPECT_TRUE(from_base64url(text)) << text;
    for (const auto* text : {"Z", "Zg==", "Zh", "Zm9", "Zm9v ", "Zm+v", "Zm/v", "Zm9vYg=="})
        EXPECT_FALSE(from_base64url(text)) << text;
    EXPECT_EQ(as_text(*from_base64("Zm9vYg==")), "foob");
    EXPECT_FALSE(from_base64("Zm9vYh=="));
}

TEST(Bytes, BecomeAnArrayOfExactlyTheirLength) {
    using Three = std::array<std::uint8_t, 3>;
    const Bytes bytes{1, 2, 3, 4};
    EXPECT_EQ(to_array<Three>(BytesView(bytes).first(3)), (Three{1, 2, 3}));
    EXPECT_EQ(to_array<Three>(bytes), std::nullopt);
    EXPECT_EQ(to_array<Three>(BytesView(bytes).first(2)), std::nullopt);
}

TEST(Process, WhatOnlyTheStartNeededIsGivenBack) {
    const std::string text = "The quick brown fox";
    const auto digits = to_hex(as_bytes(text));
    const std::int64_t before = resident_bytes();
    give_back_start_memory();
    EXPECT_LT(resident_bytes(), before);
    EXPECT_EQ(to_hex(as_bytes(text)), digits) << "what is needed comes back";
}

TEST(Process, AnUnreadableDiskCountsAsFull) {
    const auto used = disk_percent_used("/");
    EXPECT_GT(used, 0);
    EXPECT_LE(used, 100);
    EXPECT_EQ(disk_percent_used("/nowhere/at/all"), 100);
    EXPECT_GT(resident_bytes(), 1'000'000);
}

// The example of RFC 9562, appendix A.6.
TEST(UuidV7, IsReadAndWrittenAsTheStandardHasIt) {
    const std::string text = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F";
    const auto uuid = Uuid::parse(text);
    ASSERT_TRUE(uuid);
    const std::array<std::uint8_t, 16> bytes{0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0, 0x7C, 0xC3,
                                             0x98, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F};
    EXPECT_EQ(uuid->bytes(), bytes);
    EXPECT_EQ(uuid->text(), to_lower_ascii(text));
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string wrong = text;
        for (const char c : {'g', '/', ':', '@', '`', '\xB0', '\0', wrong[i] == '-' ? '0' : '-'}) {
            wrong[i] = c;
            EXPECT_FALSE(Uuid::parse(wrong)) << wrong;
        }
    }
}

TEST(UuidV7, IsTimeOrderedAndParsesStrictly) {
    const auto early = Uuid::v7(from_epoch_ms(1'000));
    const auto late = Uuid::v7(from_epoch_ms(1'001));
    EXPECT_LT(early, late);
    EXPECT_EQ(Uuid::parse(early.text()), early);
    EXPECT_EQ(early.text()[14], '7');
    for (const auto* bad : {"", "0190", "0190f5e0-0000-7000-8000-00000000000g", "0190f5e000007000800000000000000000",
                            "{190f5e0-0000-7000-8000-000000000000", " 190f5e0-0000-7000-8000-000000000000"})
        EXPECT_FALSE(Uuid::parse(bad)) << bad;
}

TEST(INP_3, CodePointsAreCountedAndInvalidUtf8IsFound) {
    EXPECT_EQ(code_points("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), 4U);
    for (const auto* bad : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xff"})
        EXPECT_FALSE(code_points(bad));
}

TEST(Time, Iso8601InUtcWithMilliseconds) {
    EXPECT_EQ(to_iso8601(from_epoch_ms(0)), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(to_iso8601(from_epoch_ms(1'234'567'890'123)), "2009-02-13T23:31:30.123Z");
    EXPECT_EQ(to_iso8601(from_epoch_ms(-1)), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(to_iso8601(TimePoint::max()), "9999-12-31T23:59:59.999Z");
    EXPECT_EQ(to_iso8601(TimePoint::min()), "0000-01-01T00:00:00.000Z");
}

TEST(PercentEncoding, KeepsTheUnreservedCharactersAndWhatItIsTold) {
    EXPECT_EQ(percent_encoded("aZ9-._~"), "aZ9-._~");
    EXPECT_EQ(percent_encoded("a b/\xc3\xbc+"), "a%20b%2F%C3%BC%2B");
    EXPECT_EQ(percent_encoded("text/html", "/"), "text/html");
}

TEST(PercentEncoding, IsReadStrictlyOrLoosely) {
    EXPECT_EQ(form_decoded("a+b%2Fc%c3%BC"), "a b/c\xc3\xbc");
    EXPECT_EQ(form_decoded("%41"), "A");
    for (const auto* bad : {"%", "%4", "a%4", "%4g", "%g4", "%%41"}) {
        EXPECT_EQ(form_decoded(bad), std::nullopt) << bad;
        EXPECT_EQ(loosely_form_decoded(bad), std::string_view(bad) == "%%41" ? "%A" : bad) << bad;
    }
}

// A call may return, or throw before or while it is awaited.
TEST(BestEffort, TakesAnOutageForAnAbsence) {
    boost::asio::io_context loop;
    const auto give = []() -> boost::asio::awaitable<int> { co_return 7; };
    const auto lack = []() -> boost::asio::awaitable<std::optional<int>> { co_return std::nullopt; };
    const auto fail_late = []() -> boost::asio::awaitable<int> {
        throw Unavailable("away");
        co_return 7;
    };
    const auto fail_early = []() -> boost::asio::awaitable<void> { throw Unavailable("away"); };
    int done = 0;
    const auto all = [&]() -> boost::asio::awaitable<void> {
        EXPECT_EQ(co_await best_effort(give), 7);
        EXPECT_EQ(co_await best_effort(lack), std::nullopt);
        EXPECT_EQ(co_await best_effort(fail_late), std::nullopt);
        co_await best_effort(fail_early);
        ++done;
    };
    boost::asio::co_spawn(loop, all(), boost::asio::detached);
    loop.run();
    EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace consentry
