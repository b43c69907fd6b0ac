// A server dies under load and its replica takes over: acknowledged changes survive, and the service recovers within
// seconds.
#include <gtest/gtest.h>

#include "tests/instances/load_client.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/real_postgres.hpp"
#include "tests/support/real_redis.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t client_count = 6;
const Settings patient{{"SESSION_MAX_PER_USER", "1000"},
                       // Clients repeat an unanswered refresh for as long as the outage lasts.
                       {"AUTH_JWT_REFRESH_GRACE_IN_SECONDS", "60"}};

LoadClient::Sender fleet_sender(Fleet& fleet) {
    return [&fleet](std::size_t number, const std::function<Answer(const HttpClient&)>& request) {
        return request(fleet.client(number));
    };
}

Settings with(Settings settings) {
    settings.insert(patient.begin(), patient.end());
    return settings;
}

// Adds a second host to postgresql://USER:PASSWORD@HOST:PORT/DATABASE.
std::string with_second_host(const RealPostgres& first, const RealPostgres& second) {
    std::string url = first.url();
    const std::string port = ":" + std::to_string(first.port()) + "/";
    return url.replace(url.find(port), port.size(),
                       port.substr(0, port.size() - 1) + ",127.0.0.1:" + std::to_string(second.port()) + "/");
}

TEST(FLT_2, NothingAcknowledgedIsLostWhenAReplicaTakesOver) {
    // The test kills only the servers' processes, not the machine, so what these have written survives without fsync.
    const RealPostgres primary{{.settings = {"fsync=off"}}};
    const RealPostgres replica{{.settings = {"fsync=off"}, .replica_of = &primary, .synchronous = true}};
    Fleet fleet(2, with({{"DATABASE_URL", with_second_host(primary, replica)},
                         {"CACHE_URL", shared_redis_url()},
                         {"CACHE_NAMESPACE", fresh_namespace()}}));
    const Person watcher = fleet.make_person();
    Load load(fleet_sender(fleet), fleet, client_count, 20261121);
    load.begin();
    load.wait_for(150);
    primary.kill();
    replica.promote();
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    for (std::size_t i = 0; i < fleet.size(); ++i)
        EXPECT_TRUE(eventually_before(deadline,
                                      [&] {
                                          for (int good = 0; good < 12; ++good)  // reaches each thread of the instance
                                              if (log_in(fleet.client(i), watcher).status != 200U) return false;
                                          return true;
                                      }))
            << "instance " << i << " after 5 s";
    load.wait_for(150);
    load.end();
    load.check([&](const std::string& statement) { return std::stoi(replica.sql(statement).at(0).at(0)); });
}

class CacheFailOver : public testing::TestWithParam<RedisKind> {};

TEST_P(CacheFailOver, FLT_1_NoSessionIsRevivedAndNoChallengeGoodTwice) {
    const RealRedis redis{{.kind = GetParam()}};
    const bool is_cluster = GetParam() == RedisKind::cluster;
    SharedFleet fleet(2, with({{"CACHE_URL", redis.url()}}));
    const Person watcher = fleet->make_protected_person();
    Load load(fleet_sender(*fleet), *fleet, client_count, 4711, {.cache_forgets = true});
    load.begin();
    load.wait_for(150);

    std::string key = "k";
    while (is_cluster && redis.master_of(key) != 0) key += "k";
    const std::size_t lost = is_cluster ? 0 : redis.master();
    redis.node(lost).kill();
    // Wait until the servers themselves report that another node has taken over.
    ASSERT_TRUE(eventually([&] {
        if (!is_cluster) return redis.master() != lost && redis.command(redis.master(), {"ROLE"}).starts_with("master");
        return redis.command(1, {"CLUSTER", "INFO"}).contains("cluster_state:ok") && redis.master_of(key, 1) != lost;
    }));
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    for (std::size_t i = 0; i < fleet->size(); ++i)
        EXPECT_TRUE(eventually_before(
            deadline,
            [&] {
                for (int good = 0; good < 12; ++good)  // reaches each thread of the instance and each node of a cluster
                    if (log_in(fleet->client(i), watcher).status != 200U) return false;
                return true;
            }))
            << "instance " << i << " after 5 s";
    load.wait_for(150);
    load.end();
    load.check([&](const std::string& statement) { return fleet.number(statement); });
}

INSTANTIATE_TEST_SUITE_P(Kinds, CacheFailOver, testing::Values(RedisKind::sentinel, RedisKind::cluster),
                         [](const auto& info) { return info.param == RedisKind::cluster ? "Cluster" : "Sentinel"; });

}  // namespace
}  // namespace consentry::tests
