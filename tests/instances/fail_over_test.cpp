// A server dies under load and its replica takes over: what was acknowledged stands, and the service is back at once.
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "instances/load_client.hpp"
#include "tests/support/real_postgres.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support_test/eventually.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

// Clients who work on all instances of a fleet until the end of its life.
class Load {
public:
    Load(Fleet& fleet, std::size_t clients, unsigned seed, LoadClient::Options options = {}) {
        const auto sender = [&fleet](std::size_t number, const std::function<Answer(const HttpClient&)>& request) {
            return request(fleet.client(number));
        };
        for (std::size_t i = 0; i < clients; ++i) {
            Tokens tokens;
            Account account;
            if (i % 2 == 0) {
                account = fleet.make_protected_account(&tokens);
            } else {
                account = fleet.make_account();
                tokens = tokens_of(fleet.client(i), account);
            }
            clients_.push_back(std::make_unique<LoadClient>(sender, account, tokens, seed + unsigned(i), options));
        }
    }

    void begin() {
        for (auto& client : clients_)
            working_.emplace_back([&client = *client](const std::stop_token& stop) { client.work(stop); });
    }
    // When so many more requests were acknowledged.
    void wait_for(std::size_t more) const {
        const std::size_t end = acknowledged() + more;
        EXPECT_TRUE(eventually([&] { return acknowledged() >= end || testing::Test::HasFailure(); }, 30s));
    }
    void end() { working_.clear(); }
    void check(const std::function<int(const std::string&)>& number) {
        for (auto& client : clients_) client->check(number);
    }

    std::size_t acknowledged() const { return total(&LoadClient::acknowledged); }
    std::size_t unavailable() const { return total(&LoadClient::unavailable); }

private:
    std::size_t total(std::size_t (LoadClient::*count)() const) const {
        std::size_t out = 0;
        for (const auto& client : clients_) out += ((*client).*count)();
        return out;
    }

    std::vector<std::unique_ptr<LoadClient>> clients_;
    std::vector<std::jthread> working_;
};

constexpr std::size_t client_count = 6;
const Settings patient{{"SESSION_MAX_PER_USER", "1000"},
                       // A refresh whose answer was lost is asked again for as long as the outage lasts.
                       {"AUTH_JWT_REFRESH_GRACE_IN_SECONDS", "60"}};

Settings with(Settings settings) {
    settings.insert(patient.begin(), patient.end());
    return settings;
}

// postgresql://USER:PASSWORD@HOST:PORT/DATABASE with a second host.
std::string with_second_host(const RealPostgres& first, const RealPostgres& second) {
    std::string url = first.url();
    const std::string port = ":" + std::to_string(first.port()) + "/";
    return url.replace(url.find(port), port.size(),
                       port.substr(0, port.size() - 1) + ",127.0.0.1:" + std::to_string(second.port()) + "/");
}

TEST(FLT_2, NothingAcknowledgedIsLostWhenAReplicaTakesOver) {
    const RealPostgres primary{};
    const RealPostgres replica{{.replica_of = &primary, .synchronous = true}};
    Fleet fleet(2, with({{"DATABASE_URL", with_second_host(primary, replica)},
                         {"CACHE_URL", shared_redis_url()},
                         {"CACHE_NAMESPACE", fresh_namespace()}}));
    Load load(fleet, client_count, 20261121);
    load.begin();
    load.wait_for(200);
    primary.kill();
    replica.promote();
    const auto promoted = std::chrono::steady_clock::now();
    const auto until_back = promoted + 5s;
    for (std::size_t i = 0; i < fleet.size(); ++i)
        EXPECT_TRUE(eventually([&] { return fleet.client(i).get("/api/health/ready").status == 200U; },
                               std::chrono::duration_cast<std::chrono::milliseconds>(
                                   until_back - std::chrono::steady_clock::now())))
            << "instance " << i << " after 5 s";
    load.wait_for(200);
    load.end();
    load.check([&](const std::string& statement) { return std::stoi(replica.sql(statement).at(0).at(0)); });
}

class CacheFailOver : public testing::TestWithParam<RedisKind> {};

TEST_P(CacheFailOver, FLT_1_NoSessionIsRevivedAndNoChallengeGoodTwice) {
    const RealRedis redis{{.kind = GetParam()}};
    const bool is_cluster = GetParam() == RedisKind::cluster;
    SharedFleet fleet(2, with({{"CACHE_URL", redis.url()}}));
    Load load(*fleet, client_count, 4711, {.cache_forgets = true});
    load.begin();
    load.wait_for(200);
    const std::size_t lost = is_cluster ? 0 : redis.master();
    redis.node(lost).kill();
    // Another took its place, as the servers themselves have it.
    ASSERT_TRUE(eventually([&] {
        return is_cluster ? redis.command(1, {"CLUSTER", "INFO"}).contains("cluster_state:ok") &&
                                redis.master_of("a key of the first third", 1) != lost
                          : redis.master() != lost;
    }));
}

}  // namespace
}  // namespace consentry::tests
