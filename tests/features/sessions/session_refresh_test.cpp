// Tests refresh tokens: each works once, has one successor, and never prolongs the session (SES-6, SES-7).
#include <set>

#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

constexpr seconds grace{10};

TokenTexts pair_in(const Answer& answer) { return {answer.text("data.accessToken"), answer.text("data.refreshToken")}; }

bool alive(const Service& service, const std::string& access) { return status_with(service, access).status == 200; }

std::int64_t exp_of(const std::string& token) { return claims_of(token).at("exp").as_int64(); }

TEST(SES_6, AHundredParallelRefreshesHaveOneSuccessor) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    const auto answers = at_once(100, [&](std::size_t) { return refresh_with(service, tokens.refresh); });
    std::set<std::string> successors;
    for (const Answer& answer : answers) {
        ASSERT_TRUE(answer.status == 200 || answer.status == 401) << answer.body;
        if (answer.status == 200) successors.insert(json::serialize(answer.json.at("data")));
    }
    ASSERT_EQ(successors.size(), 1U) << "all winners hold the same pair, byte by byte";
    const auto successor = json::parse(*successors.begin());
    EXPECT_TRUE(alive(service, std::string(successor.at("accessToken").as_string())));
    EXPECT_EQ(
        service.sql("SELECT count(*) FROM sessions WHERE revoked_at IS NULL AND user_id = '" + person.id.text() + "'")
            .at(0)
            .at(0),
        "1");
    EXPECT_EQ(refresh_with(service, std::string(successor.at("refreshToken").as_string())).status, 200U);
}

TEST(SES_6, ARepeatWithinTheGraceGetsTheSameAnswer) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    const Answer first = refresh_with(service, tokens.refresh);
    ASSERT_EQ(first.status, 200U);
    service.clock().advance(grace - milliseconds{1});
    const Answer again = refresh_with(service, tokens.refresh);
    ASSERT_EQ(again.status, 200U) << again.body;
    EXPECT_EQ(again.json.at("data"), first.json.at("data"));
    EXPECT_TRUE(alive(service, pair_in(first).access));
}

TEST(SES_6, AfterTheGraceARepeatEndsTheFamily) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    const TokenTexts next = pair_in(refresh_with(service, tokens.refresh));
    service.pass(grace);
    const Answer reuse = refresh_with(service, tokens.refresh);
    EXPECT_EQ(reuse.status, 401U);
    EXPECT_EQ(reuse.code_name(), "jwtRefreshTokenInvalid");
    EXPECT_FALSE(alive(service, next.access));
    EXPECT_EQ(refresh_with(service, next.refresh).status, 401U);
    EXPECT_EQ(service.sql("SELECT revoked_reason FROM sessions").at(0).at(0), "reuse");
    service.restart();
    EXPECT_FALSE(alive(service, next.access)) << "dead across a restart";
    EXPECT_EQ(refresh_with(service, next.refresh).status, 401U);
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
}

TEST(SES_6, ReuseIsNoticedWhenTheClockWasPutBack) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    service.clock().advance(std::chrono::hours{2});
    const TokenTexts next = pair_in(refresh_with(service, tokens.refresh));
    service.pass(grace);
    service.clock().step(-std::chrono::hours{1});
    const Answer reuse = refresh_with(service, tokens.refresh);
    EXPECT_EQ(reuse.status, 401U) << reuse.body;
    EXPECT_EQ(service.sql("SELECT revoked_reason FROM sessions").at(0).at(0), "reuse");
    service.clock().step(std::chrono::hours{1});
    EXPECT_FALSE(alive(service, next.access));
}

TEST(SES_6, ARepeatWithinTheGraceMayMeetAnInstanceWhoseClockIsBehind) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    service.clock().advance(std::chrono::minutes{1});
    const Answer first = refresh_with(service, tokens.refresh);
    service.clock().step(-seconds{30});
    const Answer again = refresh_with(service, tokens.refresh);
    ASSERT_EQ(again.status, 200U) << again.body;
    EXPECT_EQ(again.json.at("data"), first.json.at("data"));
}

TEST(SES_6, ARepeatWithinTheGraceMayMeetAnInstanceWhoseClockIsAhead) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    const Answer first = refresh_with(service, tokens.refresh);
    service.clock().step(grace + seconds{5});
    const Answer again = refresh_with(service, tokens.refresh);
    ASSERT_EQ(again.status, 200U) << again.body;
    EXPECT_EQ(again.json.at("data"), first.json.at("data"));
    EXPECT_TRUE(alive(service, pair_in(first).access));
    // Only the time that has really passed counts.
    service.pass(grace);
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
    EXPECT_EQ(service.sql("SELECT revoked_reason FROM sessions").at(0).at(0), "reuse");
}

// The clock of a Redis server that was set back keeps what the cache has.
TEST(SES_6, NoCacheProlongsTheGraceByMoreThanClocksMayDiffer) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    refresh_with(service, tokens.refresh);
    service.clock().step(grace + clock_ahead_max);
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
    EXPECT_EQ(service.sql("SELECT revoked_reason FROM sessions").at(0).at(0), "reuse");
}

TEST(SES_6, AUsedTokenIsKnownAfterARestart) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    const TokenTexts next = pair_in(refresh_with(service, tokens.refresh));
    service.pass(grace);
    service.restart();
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
    EXPECT_FALSE(alive(service, next.access));
}

TEST(SES_6, ARetryAfterARestartNeverMakesASecondSuccessor) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    const TokenTexts next = pair_in(refresh_with(service, tokens.refresh));
    service.restart();  // an in-memory cache loses the former answer
    const Answer retry = refresh_with(service, tokens.refresh);
    ASSERT_EQ(retry.status, 200U) << retry.body;
    const TokenTexts same = pair_in(retry);
    // The tokens may be signed again, but their claims are the same.
    EXPECT_EQ(claims_of(same.access), claims_of(next.access));
    EXPECT_EQ(claims_of(same.refresh), claims_of(next.refresh));
    EXPECT_TRUE(alive(service, next.access));
    EXPECT_TRUE(alive(service, same.access));
    ASSERT_EQ(refresh_with(service, next.refresh).status, 200U);
    service.pass(grace);
    EXPECT_EQ(refresh_with(service, same.refresh).status, 401U) << "one refresh for both spellings";
}

TEST(SES_6, ATokenThatWasSignedAgainMayBePresentedTwiceWithinTheGrace) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    refresh_with(service, tokens.refresh);
    service.restart();
    const TokenTexts again = pair_in(refresh_with(service, tokens.refresh));
    const TokenTexts next = pair_in(refresh_with(service, again.refresh));
    const Answer retry = refresh_with(service, again.refresh);
    ASSERT_EQ(retry.status, 200U) << retry.body;
    EXPECT_EQ(claims_of(pair_in(retry).access), claims_of(next.access));
    EXPECT_TRUE(alive(service, next.access));
}

TEST(SES_6, AnOlderAncestorIsReuseEvenWithinTheGrace) {
    Service& service = suite_service();
    const auto first = service.tokens_of(service.make_person());
    const TokenTexts second = pair_in(refresh_with(service, first.refresh));
    const TokenTexts third = pair_in(refresh_with(service, second.refresh));
    EXPECT_EQ(refresh_with(service, first.refresh).status, 401U);
    EXPECT_FALSE(alive(service, third.access));
    EXPECT_EQ(refresh_with(service, third.refresh).status, 401U);
}

TEST(SES_6, TheFormerAccessTokenDiesWithTheRefresh) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    ASSERT_TRUE(alive(service, tokens.access)) << "and its signature remembered";
    const TokenTexts next = pair_in(refresh_with(service, tokens.refresh));
    EXPECT_FALSE(alive(service, tokens.access));
    EXPECT_TRUE(alive(service, next.access));
}

TEST(SES_6, ReuseEndsThisFamilyOnly) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto phone = service.tokens_of(person);
    const auto laptop = service.tokens_of(person);
    refresh_with(service, phone.refresh);
    service.pass(grace);
    EXPECT_EQ(refresh_with(service, phone.refresh).status, 401U);
    EXPECT_TRUE(alive(service, laptop.access));
    EXPECT_EQ(refresh_with(service, laptop.refresh).status, 200U);
}

TEST(SES_6, ARollbackLeavesTheOldTokenUsable) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    service.break_writes("UPDATE OF jti ON sessions");
    const Answer failed = refresh_with(service, tokens.refresh);
    EXPECT_GE(failed.status, 500U) << failed.body;
    EXPECT_EQ(failed.body.find("injected"), std::string::npos) << "no detail leaves the house";
    EXPECT_TRUE(alive(service, tokens.access));
    service.mend_writes();
    const Answer refreshed = refresh_with(service, tokens.refresh);
    ASSERT_EQ(refreshed.status, 200U) << refreshed.body;
    EXPECT_TRUE(alive(service, pair_in(refreshed).access));
}

TEST(SES_6, WithoutAGraceEachRepeatIsReuse) {
    Service service({{"AUTH_JWT_REFRESH_GRACE_IN_SECONDS", "0"}});
    const auto tokens = service.tokens_of(service.make_person());
    const TokenTexts next = pair_in(refresh_with(service, tokens.refresh));
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
    EXPECT_FALSE(alive(service, next.access));
}

TEST(SES_7, TheAbsoluteEndIsNotMovedByRefresh) {
    Service& service = suite_service();
    TokenTexts tokens = service.tokens_of(service.make_person());
    const std::int64_t end = exp_of(tokens.refresh);
    EXPECT_EQ(end, epoch_seconds(service.clock().now()) + 30 * 86'400);
    for (int day = 0; day < 29; ++day) {
        service.clock().advance(std::chrono::days{1});
        const Answer answer = refresh_with(service, tokens.refresh);
        ASSERT_EQ(answer.status, 200U) << "day " << day << ": " << answer.body;
        tokens = pair_in(answer);
        EXPECT_EQ(exp_of(tokens.refresh), end);
    }
    // In the last half hour, the access token ends with the session, and the answer says so.
    service.clock().set(from_epoch_seconds(end - 1'800));
    const Answer last = refresh_with(service, tokens.refresh);
    ASSERT_EQ(last.status, 200U);
    tokens = pair_in(last);
    EXPECT_EQ(last.number("data.expiresIn"), 1'800);
    EXPECT_EQ(exp_of(tokens.access), end);
    service.clock().set(from_epoch_seconds(end - 1));
    EXPECT_TRUE(alive(service, tokens.access));
    service.clock().set(from_epoch_seconds(end));
    EXPECT_FALSE(alive(service, tokens.access));
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
}

TEST(SES_7, TheSessionsRowEndsItWhateverATokenSays) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    const Forge access(service, tokens.access);
    const Forge refresh(service, tokens.refresh);
    const std::int64_t end = exp_of(tokens.refresh);
    const std::string much_later = std::to_string(end + 86'400);
    service.clock().set(from_epoch_seconds(end - 1));
    EXPECT_TRUE(alive(service, access.with_claim("exp", much_later)));
    service.clock().set(from_epoch_seconds(end + 1));
    EXPECT_FALSE(alive(service, access.with_claim("exp", much_later)));
    EXPECT_EQ(refresh_with(service, refresh.with_claim("exp", much_later)).status, 401U);
}

TEST(SES_7, AnAdminsSessionEndsAfterADay) {
    Service& service = suite_service();
    TokenTexts tokens = service.tokens_of(service.make_person(Role::admin));
    const TimePoint begin = service.clock().now();
    const std::int64_t end = epoch_seconds(begin) + 86'400;
    EXPECT_EQ(exp_of(tokens.refresh), end);
    // The session is used and refreshed all day long, so it is never idle.
    for (int half_hours = 1; half_hours < 48; ++half_hours) {
        service.clock().set(begin + std::chrono::minutes{30} * half_hours);
        const Answer answer = refresh_with(service, tokens.refresh);
        ASSERT_EQ(answer.status, 200U) << half_hours << ": " << answer.body;
        tokens = pair_in(answer);
        EXPECT_EQ(exp_of(tokens.refresh), end);
        EXPECT_TRUE(alive(service, tokens.access));
    }
    service.clock().set(from_epoch_seconds(end));
    EXPECT_FALSE(alive(service, tokens.access));
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
}

TEST(SES_7, AnAdminsSessionEndsAfterAnIdleHour) {
    for (const Role role : {Role::admin, Role::super_admin}) {
        Service service({{"AUTH_JWT_ACCESS_TOKEN_EXPIRED", "12h"}});
        const auto tokens = service.tokens_of(service.make_person(role));
        // Use keeps the session alive.
        for (int i = 0; i < 5; ++i) {
            service.clock().advance(std::chrono::minutes{55});
            EXPECT_TRUE(alive(service, tokens.access)) << i;
        }
        // An hour without use ends the session, and a refresh does not revive it.
        service.clock().advance(std::chrono::hours{1} - milliseconds{1});
        EXPECT_TRUE(alive(service, tokens.access));
        service.clock().advance(std::chrono::hours{1});
        EXPECT_FALSE(alive(service, tokens.access));
        EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
        EXPECT_FALSE(alive(service, tokens.access));
    }
}

TEST(SES_7, AClockThatIsPutBackProlongsNoIdleTimeOfAdmins) {
    Service service;
    const Person admin = service.make_person(Role::admin);
    const auto tokens = service.tokens_of(admin);
    service.clock().advance(std::chrono::minutes{50});
    EXPECT_TRUE(alive(service, tokens.access));
    service.clock().step(-std::chrono::minutes{40});
    EXPECT_FALSE(alive(service, tokens.access));
    EXPECT_EQ(refresh_with(service, tokens.refresh).status, 401U);
    const TokenTexts again = service.tokens_of(admin);
    EXPECT_TRUE(alive(service, again.access));
    const Answer list = service.get("/api/shared/user/session/list", bearer(again.access));
    EXPECT_EQ(list.json.at("data").as_array().size(), 1U) << list.body;
}

TEST(SES_7, ACopyThatIsTrustedDoesNotForgetTheUseOfASession) {
    Service service({{"AUTH_JWT_ACCESS_TOKEN_EXPIRED", "12h"}, {"SESSION_CHECK", "cache"}});
    const auto tokens = service.tokens_of(service.make_person(Role::admin));
    service.clock().advance(std::chrono::minutes{59} + seconds{30});
    EXPECT_TRUE(alive(service, tokens.access));
    service.clock().advance(seconds{45});
    EXPECT_TRUE(alive(service, tokens.access));
}

TEST(SES_7, UseKeepsASessionAliveThatMayBeIdleForAMinuteOnly) {
    Service service({{"SESSION_ADMIN_IDLE", "1m"}});
    const auto tokens = service.tokens_of(service.make_person(Role::admin));
    for (int i = 0; i < 5; ++i) {
        service.clock().advance(seconds{45});
        EXPECT_TRUE(alive(service, tokens.access)) << i;
    }
    service.clock().advance(std::chrono::minutes{1});
    EXPECT_FALSE(alive(service, tokens.access));
}

TEST(SES_7, TheListLeavesOutSessionsOfAdminsThatWereIdleForTooLong) {
    Service& service = suite_service();
    for (const auto& [role, listed] : {std::pair{Role::admin, 1U}, std::pair{Role::user, 2U}}) {
        const Person person = service.make_person(role);
        service.tokens_of(person);
        service.clock().advance(std::chrono::hours{1});
        const Answer list = service.get("/api/shared/user/session/list", bearer(service.tokens_of(person).access));
        ASSERT_EQ(list.status, 200U) << list.body;
        EXPECT_EQ(list.json.at("data").as_array().size(), listed) << name_of(role);
    }
}

TEST(SES_7, AUserMayBeIdle) {
    Service service({{"AUTH_JWT_ACCESS_TOKEN_EXPIRED", "12h"}});
    const auto tokens = service.tokens_of(service.make_person());
    service.clock().advance(std::chrono::hours{11});
    EXPECT_TRUE(alive(service, tokens.access));
}

}  // namespace
}  // namespace consentry::tests
