#include "tests/support/shared_engines.hpp"

#include <memory>
#include <stdexcept>

#include <gmock/gmock.h>

#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

using testing::ElementsAre;

TEST(SharedEngines, ASchemaIsItsOwnAndGoesAway) {
    auto first = std::make_unique<PostgresSchema>();
    const PostgresSchema second;
    first->sql("CREATE TABLE things (name TEXT, size INTEGER)");
    first->sql("INSERT INTO things VALUES ('a', 1), ('b', NULL)");
    EXPECT_THAT(first->sql("SELECT name, size FROM things ORDER BY name"),
                ElementsAre(ElementsAre("a", "1"), ElementsAre("b", "")));
    EXPECT_THROW(second.sql("SELECT 1 FROM things"), std::runtime_error);

    const std::string name = first->name();
    const auto schemas = [&] {
        return run_postgres_sql(shared_postgres_url(),
                                "SELECT count(*) FROM pg_namespace WHERE nspname = '" + name + "'");
    };
    EXPECT_THAT(schemas(), ElementsAre(ElementsAre("1")));
    first.reset();
    EXPECT_THAT(schemas(), ElementsAre(ElementsAre("0")));
}

TEST(SharedEngines, RedisAnswers) {
    const std::string key = fresh_namespace() + ":key";
    const auto redis = [](std::vector<std::string> words) {
        words.insert(words.begin(), {"redis-cli", "-u", shared_redis_url()});
        return output_of(words);
    };
    EXPECT_EQ(redis({"set", key, "value", "EX", "60"}), "OK\n");
    EXPECT_EQ(redis({"get", key}), "value\n");
    EXPECT_EQ(redis({"get", fresh_namespace() + ":key"}), "\n");
}

TEST(SharedEngines, PortsOfUrls) {
    EXPECT_EQ(port_of("redis://127.0.0.1:17000"), 17000);
    EXPECT_EQ(port_of("postgresql://app:12345@127.0.0.1:17001/app?x=a:1"), 17001);
    EXPECT_EQ(with_port("postgresql://app:12345@127.0.0.1:17001/app?x=a:1", 80),
              "postgresql://app:12345@127.0.0.1:80/app?x=a:1");
    EXPECT_THROW(port_of("redis://host"), std::runtime_error);
}

TEST(SharedEngines, NamesDiffer) { EXPECT_NE(fresh_namespace(), fresh_namespace()); }

}  // namespace
}  // namespace consentry::tests
