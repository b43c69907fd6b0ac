// Redis is down, slow, silent or emptied: the database decides, and locks and ended sessions stay in force (FLT-1).
#include <gmock/gmock.h>

#include "tests/instances/fleet.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

// One way to lose Redis and to restore it.
struct CacheFault {
    std::string name;
    void (*begin)(const RealRedis&, TcpProxy&);
    void (*end)(const RealRedis&, TcpProxy&);
};

void PrintTo(const CacheFault& fault, std::ostream* out) { *out << fault.name; }

const std::vector<CacheFault> faults{
    {"Killed", [](const RealRedis& redis, TcpProxy&) { redis.node(0).kill(); },
     [](const RealRedis& redis, TcpProxy&) { redis.node(0).start(); }},
    {"Frozen", [](const RealRedis& redis, TcpProxy&) { redis.node(0).pause(); },
     [](const RealRedis& redis, TcpProxy&) { redis.node(0).resume(); }},
    {"BlackHole", [](const RealRedis&, TcpProxy& link) { link.hang(); },
     [](const RealRedis&, TcpProxy& link) { link.pass(); }},
    {"FiveSecondsLate", [](const RealRedis&, TcpProxy& link) { link.delay(5s); },
     [](const RealRedis&, TcpProxy& link) { link.pass(); }},
    {"Refused", [](const RealRedis&, TcpProxy& link) { link.refuse(); },
     [](const RealRedis&, TcpProxy& link) { link.pass(); }},
};

class CacheFaults : public testing::TestWithParam<CacheFault> {
protected:
    void begin() { GetParam().begin(redis, link); }
    void end() { GetParam().end(redis, link); }
    bool cache_is_up(std::size_t instance) {
        return fleet->client(instance).get("/api/health/ready").text("data.details.cache.status") == "up";
    }
    // Measures right after the fault, when no connection has noticed it yet. Other tests may slow the machine down, so
    // one quick try in three is enough.
    std::chrono::milliseconds slowest_answer(const std::string& access) {
        std::chrono::milliseconds slowest = 1h;
        for (int round = 0; round < 3 && slowest >= 700ms; ++round) {
            if (round > 0) {
                end();
                EXPECT_TRUE(eventually([&] { return cache_is_up(0) && cache_is_up(1); }));
                begin();
            }
            std::vector<std::chrono::milliseconds> took(32);
            const auto answers = at_once(took.size(), [&](std::size_t i) {
                auto [answer, time] =
                    timed([&] { return fleet->client(i).get("/api/shared/user/2fa/status", bearer(access)); });
                took[i] = time;
                return answer;
            });
            EXPECT_EQ(count(answers, 200), took.size()) << testing::PrintToString(statuses(answers));
            slowest = *std::ranges::max_element(took);
        }
        return slowest;
    }

    const RealRedis redis{};
    TcpProxy link{redis.node(0).port()};
    SharedFleet fleet{2, {{"CACHE_URL", with_port(redis.url(), link.port())}, {"SESSION_MAX_PER_USER", "1000"}}};
};

TEST_P(CacheFaults, FLT_1_TheDatabaseDecidesAloneAndAllIsWellAfterwards) {
    const Person bob = fleet->make_person();
    const Person ada = fleet->make_protected_person();
    TokenTexts eves;
    const Person eve = fleet->make_protected_person(&eves);
    const std::string wrong = wrong_code(eve);
    for (std::size_t i = 0; i < 5; ++i)
        ASSERT_EQ(disable_two_factor(fleet->client(i), eves.access, wrong).status, 401U);
    Person stranger{.email = "nobody@example.org", .password = "Copper-Meadow-77"};
    for (std::size_t i = 0; i < 5; ++i) ASSERT_EQ(log_in_at_last(fleet->client(i), stranger).status, 400U);
    const TokenTexts stays = tokens_of(fleet->client(0), bob);
    const TokenTexts ends = tokens_of(fleet->client(0), bob);
    TokenTexts moves = tokens_of(fleet->client(0), bob);
    for (std::size_t i = 0; i < 4; ++i)  // puts a copy of each session into the cache
        for (const std::string& access : {stays.access, ends.access, moves.access})
            ASSERT_EQ(knock(fleet->client(i), access), 200U);
    const std::string challenge = challenge_of(fleet->client(0), ada);

    begin();
    EXPECT_LT(slowest_answer(stays.access), 700ms) << "well below a second";

    for (std::size_t i = 0; i < 2; ++i) {
        SCOPED_TRACE("instance " + std::to_string(i));
        const HttpClient client = fleet->client(i);
        EXPECT_EQ(knock(client, stays.access), 200U);
        EXPECT_EQ(log_in_at_last(client, bob).status, 200U) << "without a second factor";
        const Answer refused = log_in(client, ada);
        EXPECT_EQ(refused.status, 503U) << "no challenge can be kept: " << refused.body;
        EXPECT_TRUE(refused.headers.contains("retry-after"));
        const Answer unknown = verify(client, challenge, code_of(ada, 1));
        EXPECT_EQ(unknown.status, 503U) << unknown.body;
        EXPECT_EQ(disable_two_factor(client, eves.access, wrong).status, 429U) << "a lock holds";
        EXPECT_EQ(log_in_at_last(client, stranger).status, 403U) << "and this one";
        moves = refreshed_tokens_in(refresh(client, moves.refresh));
        const Answer ready = client.get("/api/health/ready");
        EXPECT_EQ(ready.status, 200U) << ready.body;
        EXPECT_EQ(ready.text("data.details.cache.status"), "down");
    }
    EXPECT_EQ(log_out(fleet->client(0), ends.access).status, 200U);
    EXPECT_EQ(knock(fleet->client(0), ends.access), 401U);
    EXPECT_EQ(knock(fleet->client(1), ends.access), 401U);

    end();
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    // Each thread of an instance discovers by itself that Redis is back. 12 requests are enough to reach every thread.
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(eventually_before(deadline,
                                      [&] {
                                          for (int good = 0; good < 12; ++good)
                                              if (log_in(fleet->client(i), ada).status != 200U || !cache_is_up(i))
                                                  return false;
                                          return true;
                                      }))
            << "instance " << i << " after 5 s";
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(knock(fleet->client(i), ends.access), 401U) << "ended while the cache was away";
        EXPECT_EQ(knock(fleet->client(i), stays.access), 200U);
        EXPECT_EQ(knock(fleet->client(i), moves.access), 200U);
        EXPECT_EQ(disable_two_factor(fleet->client(i), eves.access, wrong).status, 429U);
    }
    EXPECT_EQ(refresh(fleet->client(1), ends.refresh).status, 401U);
    EXPECT_EQ(verify_backup(fleet->client(1), challenge_of(fleet->client(0), ada), ada.backup_codes[0]).status, 200U);
}

INSTANTIATE_TEST_SUITE_P(Ways, CacheFaults, testing::ValuesIn(faults),
                         [](const auto& info) { return info.param.name; });

TEST(FLT_1, AnEmptiedCacheLetsNobodyInAndLocksStay) {
    const RealRedis redis{};
    SharedFleet fleet(2, {{"CACHE_URL", redis.url()}});
    TokenTexts tokens;
    const Person ada = fleet->make_protected_person(&tokens);
    const Person eve = fleet->make_protected_person();
    const std::string eves_challenge = challenge_of(fleet->client(0), eve);
    for (std::size_t i = 0; i < 5; ++i)
        ASSERT_EQ(verify(fleet->client(i), eves_challenge, wrong_code(eve)).status, 401U);
    const std::string challenge = challenge_of(fleet->client(0), ada);
    const std::string spent = challenge_of(fleet->client(1), ada);
    ASSERT_EQ(verify_backup(fleet->client(0), spent, ada.backup_codes[0]).status, 200U);
    const TokenTexts next = refreshed_tokens_in(refresh(fleet->client(0), tokens.refresh));

    ASSERT_EQ(redis.command(0, {"FLUSHALL"}), "OK");
    for (std::size_t i = 0; i < 2; ++i) {
        const HttpClient client = fleet->client(i);
        EXPECT_EQ(verify_backup(client, challenge, ada.backup_codes[1]).code_name(), "twoFactorChallengeInvalid");
        EXPECT_EQ(verify_backup(client, spent, ada.backup_codes[1]).code_name(), "twoFactorChallengeInvalid");
        EXPECT_EQ(knock(client, next.access), 200U);
        EXPECT_EQ(knock(client, tokens.access), 401U) << "the former pair";
        EXPECT_EQ(verify(client, challenge_of(client, eve), code_of(eve, 1)).status, 429U) << "a lock holds";
    }
    EXPECT_EQ(fleet.number("SELECT count(*) FROM backup_codes WHERE user_id = '" + ada.id.text() + "'"), 7);
    const TokenTexts again = refreshed_tokens_in(refresh(fleet->client(1), tokens.refresh));
    EXPECT_EQ(knock(fleet->client(0), again.access), 200U) << "the same successor, within the grace";
    EXPECT_EQ(knock(fleet->client(0), next.access), 200U);
    EXPECT_EQ(verify_backup(fleet->client(1), challenge_of(fleet->client(0), ada), ada.backup_codes[1]).status, 200U);
}

TEST(FLT_1, ALostAnswerOfTheCacheLeavesNoTrustedCopyOfAnEndedSession) {
    TcpProxy link(port_of(shared_redis_url()));
    SharedFleet fleet(
        1,
        {{"CACHE_URL", with_port(shared_redis_url(), link.port())}, {"SESSION_CHECK", "cache"}, {"HTTP_THREADS", "1"}});
    const HttpClient client = fleet->client(0);
    const Person ada = fleet->make_person();
    std::vector<TokenTexts> sessions;
    for (int i = 0; i < 4; ++i) {
        sessions.push_back(tokens_of(client, ada));
        ASSERT_EQ(knock(client, sessions.back().access), 200U) << "makes a copy";
    }
    link.mute_when("\r\nDEL\r\n");
    EXPECT_EQ(
        client
            .patch("/api/shared/user/change-password",
                   {{"oldPassword", ada.password}, {"newPassword", "Copper-Meadow-77"}}, bearer(sessions[0].access))
            .status,
        200U);
    EXPECT_EQ(link.cut(), 1U);
    for (const TokenTexts& tokens : sessions) EXPECT_EQ(knock(client, tokens.access), 401U);
}

}  // namespace
}  // namespace consentry::tests
