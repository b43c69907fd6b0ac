// How many requests one client may send to one operation (LIM-1, LIM-2, LIM-4 to LIM-6). The window is long and only
// the tests move the clock, so nothing depends on the speed of the machine.
#include "http/steps/rate_limit.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "app/config/read_config.hpp"
#include "base/sliding_windows.hpp"
#include "tests/support/away_cache.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/run.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

Environment limited(const std::string& limit, Environment more = {}) {
    more.insert({{"THROTTLE_LIMIT", limit}, {"THROTTLE_TTL_IN_MS", "3600000"}});
    return more;
}

Headers forwarded(const std::string& hops) { return {{"X-Forwarded-For", hops}}; }

TEST(LIM_1, OfAThousandAtOnceTenPass) {
    const Service service(limited("10"));
    const auto answers = at_once(100, [&](std::size_t) {
        Answer last;
        for (int i = 0; i < 10; ++i) {
            last = service.get("/api/hello");
            if (last.status == 200U) return last;
        }
        return last;
    });
    auto seen = statuses(answers);
    EXPECT_EQ(seen[200], 10U);
    EXPECT_EQ(seen[429], 90U);
}

TEST(LIM_1, TenInAnyStretchAlsoAcrossTheEdge) {
    SlidingWindows windows;
    const auto at = [&](std::int64_t ms) {
        return windows.admit("a", 10, milliseconds{500}, from_epoch_ms(ms)).admitted;
    };
    const auto burst = [&](std::int64_t ms) {
        int admitted = 0;
        for (int i = 0; i < 100; ++i) admitted += at(ms) ? 1 : 0;
        return admitted;
    };
    EXPECT_TRUE(at(10'000));
    EXPECT_EQ(burst(10'499), 9);  // the first request still counts
    EXPECT_EQ(burst(10'500), 1);  // the first request no longer counts
    EXPECT_EQ(burst(10'998), 0);
    EXPECT_EQ(burst(10'999), 9);
    // A clock that steps back neither lifts the limit nor blocks a client forever (RAC-6).
    EXPECT_EQ(burst(5'000), 10);
    EXPECT_EQ(burst(5'500), 10);
}

TEST(LIM_1, TheWindowPassesByTheServicesClock) {
    // With Redis, windows follow the clock of Redis; cache_contract_test covers that.
    Service service(limited("3", {{"THROTTLE_TTL_IN_MS", "500"}, {"CACHE_URL", "memory:"}}));
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3; ++i) EXPECT_EQ(service.get("/api/hello").status, 200U);
        EXPECT_EQ(service.get("/api/hello").status, 429U);
        service.pass(milliseconds{500});
    }
}

TEST(LIM_1, EachOperationIsCountedApartAndItsAliasesTogether) {
    const Service service(limited("1"));
    EXPECT_EQ(service.get("/api/hello").status, 200U);
    EXPECT_EQ(service.get("/api/public/hello").status, 429U);
    EXPECT_EQ(service.get("/api/health/live").status, 200U);
    // Unknown paths count as one operation, so that scanning is slowed down as well.
    EXPECT_EQ(service.get("/api/nowhere").status, 404U);
    EXPECT_EQ(service.get("/api/elsewhere").status, 429U);
}

TEST(LIM_1, ZeroIsNoLimit) {
    const Service service(limited("0"));
    for (int i = 0; i < 50; ++i) {
        const Answer answer = service.get("/api/hello");
        EXPECT_EQ(answer.status, 200U);
        EXPECT_FALSE(answer.headers.contains("x-ratelimit-limit"));
    }
}

TEST(LIM_1, RefusalsComeBeforeGuardAndInput) {
    const Service service(limited("1"));
    EXPECT_EQ(service.post("/api/shared/user/logout", {}).status, 401U);
    const Answer answer = service.post("/api/shared/user/logout", {});
    EXPECT_EQ(answer.status, 429U);
    EXPECT_EQ(answer.code_name(), "tooManyRequests");
    EXPECT_EQ(answer.number("statusCode"), 429);
}

TEST(LIM_2, WithoutTrustedProxiesNobodyIsBelieved) {
    const Service service(limited("1"));
    EXPECT_EQ(service.get("/api/hello").status, 200U);
    for (const std::string hops : {"203.0.113.7", "1.2.3.4, 5.6.7.8", "", ",", ",,,", " ", "unknown", "1.2.3.4:80",
                                   "[::1]:1", "::ffff:7f00:1", "\xC3\xA4"})
        EXPECT_EQ(service.get("/api/hello", forwarded(hops)).status, 429U) << hops;
    for (const char* name : {"Forwarded", "X-Real-IP", "X-Client-IP", "CF-Connecting-IP", "True-Client-IP"})
        EXPECT_EQ(service.get("/api/hello", {{name, "203.0.113.7"}}).status, 429U) << name;
}

TEST(LIM_2, ForgedHopsLeadToOneBucket) {
    const Service service(limited("1"));
    EXPECT_EQ(service.get("/api/hello").status, 200U);
    for (int i = 0; i < 300; ++i)
        ASSERT_EQ(service.get("/api/hello", forwarded("203.0.113." + std::to_string(i % 256))).status, 429U);
    std::string hops = "1.1.1.1";
    while (hops.size() < 12'000) hops += ",1.1.1.1";
    EXPECT_EQ(service.get("/api/hello", forwarded(hops)).status, 429U);
    RawClient client(service.port());
    client.send("GET /api/hello HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: " + std::string(1'000'000, ',') + "\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 431U);
}

// Tests which address identifies the client by sending two requests that must share a limit.
struct Hops {
    std::string name;
    std::string hops;
    std::string same_as;
};
class ClientBehindProxies : public ::testing::TestWithParam<Hops> {};

TEST_P(ClientBehindProxies, LIM_2) {
    const Service service(limited("1", {{"HTTP_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8, fd00::/8"}}));
    EXPECT_EQ(service.get("/api/hello", forwarded(GetParam().hops)).status, 200U);
    EXPECT_EQ(service.get("/api/hello", forwarded(GetParam().same_as)).status, 429U);
    EXPECT_EQ(service.get("/api/hello", forwarded("198.51.100.99")).status, 200U);
}

INSTANTIATE_TEST_SUITE_P(
    Chains, ClientBehindProxies,
    ::testing::Values(Hops{"lastHop", "203.0.113.7", "203.0.113.7"},
                      Hops{"whatStandsBeforeItIsNotBelieved", "1.1.1.1, 203.0.113.7", "203.0.113.7"},
                      Hops{"ownProxiesAreSkipped", "203.0.113.7, 10.1.2.3, 10.4.5.6", "203.0.113.7"},
                      Hops{"withAPort", "203.0.113.7:4711", "203.0.113.7"},
                      Hops{"oneHouseholdOfIpv6", "2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"},
                      Hops{"spellingsOfIpv6", "2001:DB8:0001:2:0:0:0:9", "[2001:db8:1:2::8]:443"},
                      Hops{"mappedIpv4", "::ffff:203.0.113.7", "203.0.113.7"},
                      Hops{"mappedInHex", "::ffff:cb00:7107", "203.0.113.7"},
                      Hops{"garbageHidesWhoStandsBefore", "203.0.113.7, unknown", "203.0.113.8, unknown"},
                      Hops{"emptyHopsToo", "203.0.113.7,", "203.0.113.8,,,"}, Hops{"nothingIsTheProxyItself", "", ","},
                      Hops{"allOurs", "10.0.0.1, 10.0.0.2", "10.0.0.1"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(LIM_2, SeveralLinesAreOneList) {
    const Service service(limited("1", {{"HTTP_TRUSTED_PROXIES", "127.0.0.1"}}));
    EXPECT_EQ(service.get("/api/hello", {{"X-Forwarded-For", "1.1.1.1"}, {"X-Forwarded-For", "203.0.113.7"}}).status,
              200U);
    EXPECT_EQ(service.get("/api/hello", forwarded("203.0.113.7")).status, 429U);
    EXPECT_EQ(service.get("/api/hello", forwarded("1.1.1.1")).status, 200U);
}

TEST(LIM_2, TheResolvedAddressIsTheOneOnRecord) {
    Service service({{"HTTP_TRUSTED_PROXIES", "127.0.0.1"}});
    const Person person = service.make_person();
    const Answer login = service.post("/api/public/user/login/credential",
                                      {{"email", person.email}, {"password", person.password}, {"from", "website"}},
                                      forwarded("203.0.113.7"));
    ASSERT_EQ(login.status, 200U);
    EXPECT_EQ(service.sql("SELECT ip_address FROM sessions").at(0).at(0), "203.0.113.7");
}

TEST(LIM_2, AListOfEverybodyStopsTheStart) {
    for (const std::string list : {"0.0.0.0/0", "::/0", "10.0.0.0/8,0.0.0.0/0", "::ffff:0:0/96", "10.0.0.0/33",
                                   "10.0.0.0/-1", "10.0.0/8", "localhost", "fe80::1%eth0", "10.0.0.0/8,", "*"}) {
        const auto config = read_config({{"HTTP_TRUSTED_PROXIES", list}});
        ASSERT_FALSE(config.has_value()) << list;
        EXPECT_EQ(config.error().front().setting, "HTTP_TRUSTED_PROXIES");
    }
    EXPECT_TRUE(read_config({{"HTTP_TRUSTED_PROXIES", "127.0.0.1,::1,10.0.0.0/8,fd00::/8"}}).has_value());
}

TEST(LIM_4, MemoryIsBoundedAndEvictionFreesNobody) {
    SlidingWindows windows(1'000);
    const auto now = from_epoch_ms(1'000'000);
    const milliseconds window{60'000};
    EXPECT_TRUE(windows.admit("victim", 1, window, now).admitted);
    int admitted = 0;
    for (int i = 0; i < 200'000; ++i)
        admitted += windows.admit("key" + std::to_string(i), 1, window, now).admitted ? 1 : 0;
    EXPECT_FALSE(windows.admit("victim", 1, window, now).admitted);
    EXPECT_LE(windows.keys(), 1'100U);
    EXPECT_LE(admitted, 1'100);  // keys without an entry of their own share one
    windows.admit("later", 1, window, now + 3 * window);
    EXPECT_TRUE(windows.admit("key1", 1, window, now + 3 * window).admitted);
}

TEST(LIM_5, WithoutTheSharedCacheEachCountsForItselfAndByHalf) {
    Service service(limited("10", {{"CACHE_URL", "redis://127.0.0.1:1"}}));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(service.get("/api/hello").status, 200U) << i;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(service.get("/api/hello").status, 429U);
    service.restart();  // events are written when the service stops
    std::ifstream events(service.folder() / "data" / "security" / "events.log");
    int told = 0;
    for (std::string line; std::getline(events, line);) {
        if (!line.contains(R"("event":"limiter.shared")")) continue;
        EXPECT_THAT(line, ::testing::HasSubstr(R"("outcome":"failure")"));
        ++told;
    }
    EXPECT_EQ(told, 1) << "once, not with each request";
}

// As in a Redis Cluster without one of its masters: calls for the keys of one operation fail, and all others succeed.
class PartlyAwayCache final : public AwayCache {
public:
    storage::awaitable<Admission> admit(std::string key, std::int64_t, milliseconds) override {
        if (is_partly_away && key.contains(":away:")) throw Unavailable("away");
        co_return Admission{};
    }
    bool is_partly_away = true;
};

TEST(LIM_5, APartOfTheCacheThatIsAwayIsToldOnceAndItsReturnOnce) {
    PartlyAwayCache cache;
    ManualClock clock(from_epoch_ms(1'700'000'000'000));
    std::vector<bool> told;
    http::RateLimit limit(cache, clock, {.limit = 1'000, .on_change = [&](bool shared) { told.push_back(shared); }});
    const auto call = [&](std::string_view operation) { run(limit.admit(operation, *http::parse_address("::1"))); };
    call("here");
    EXPECT_TRUE(limit.is_shared());
    for (int i = 0; i < 50; ++i) {
        call("away");
        EXPECT_FALSE(limit.is_shared());
        clock.advance(seconds{9});
        call("here");
        EXPECT_FALSE(limit.is_shared());
    }
    EXPECT_EQ(told, std::vector<bool>{false});

    cache.is_partly_away = false;
    clock.advance(milliseconds{999});
    call("away");
    EXPECT_FALSE(limit.is_shared()) << "the last failure was less than ten seconds ago";
    clock.step(std::chrono::hours{1});
    call("away");
    EXPECT_FALSE(limit.is_shared()) << "a change of the system clock is no time";
    clock.advance(milliseconds{1});
    for (int i = 0; i < 3; ++i) call("here");
    EXPECT_TRUE(limit.is_shared());
    EXPECT_EQ(told, (std::vector<bool>{false, true}));
}

TEST(LIM_6, HeadersTellWhatIsLeftAndWhenToComeAgain) {
    Service service(limited("3", {{"THROTTLE_TTL_IN_MS", "90500"}}));
    for (const char* left : {"2", "1", "0"}) {
        const Answer answer = service.get("/api/hello");
        EXPECT_EQ(answer.headers.at("x-ratelimit-limit"), "3");
        EXPECT_EQ(answer.headers.at("x-ratelimit-remaining"), left);
        EXPECT_EQ(answer.headers.at("x-ratelimit-reset"), "91");
        EXPECT_EQ(answer.headers.at("ratelimit-policy"), R"("default";q=3)");
        EXPECT_EQ(answer.headers.at("ratelimit"), std::string(R"("default";r=)") + left + ";t=91");
        EXPECT_FALSE(answer.headers.contains("retry-after"));
    }
    const Answer refused = service.get("/api/hello");
    EXPECT_EQ(refused.status, 429U);
    EXPECT_EQ(refused.headers.at("retry-after"), "91");
    EXPECT_EQ(refused.number("data.retryAfterSeconds"), 91);
    EXPECT_EQ(refused.headers.at("ratelimit"), R"("default";r=0;t=91)");
}

TEST(LIM_6, LessThanASecondIsOne) {
    const Service service(limited("1", {{"THROTTLE_TTL_IN_MS", "500"}}));
    service.get("/api/hello");
    Answer refused;
    // The service's clock stands still, but the window in Redis may pass meanwhile.
    for (int i = 0; i < 50 && refused.status != 429U; ++i) refused = service.get("/api/hello");
    EXPECT_EQ(refused.status, 429U);
    EXPECT_EQ(refused.headers.at("retry-after"), "1");
}

}  // namespace
}  // namespace consentry::tests
