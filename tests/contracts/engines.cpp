#include "tests/contracts/engines.hpp"

#include "storage/memory/memory_cache.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "storage/redis/redis_cache.hpp"
#include "storage/sqlite/sqlite_database.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

class SqlitePlace final : public DatabasePlace {
public:
    std::unique_ptr<storage::Database> open() override {
        return std::make_unique<storage::SqliteDatabase>(storage::SqliteOptions{.file = folder_ / "test.db"});
    }
    void migrate(const std::vector<storage::Migration>& migrations) override {
        storage::SqliteDatabase{{.file = folder_ / "test.db"}}.migrate(migrations);
    }

private:
    TempFolder folder_;
};

class PostgresPlace final : public DatabasePlace {
public:
    explicit PostgresPlace(bool keeps_session_state) : keeps_session_state_(keeps_session_state) {}
    std::unique_ptr<storage::Database> open() override {
        return std::make_unique<storage::PostgresDatabase>(storage::PostgresOptions{
            .url = schema_.patient_url(), .timeout = 10s, .keeps_session_state = keeps_session_state_});
    }
    void migrate(const std::vector<storage::Migration>& migrations) override { open()->migrate(migrations); }

private:
    PostgresSchema schema_;
    bool keeps_session_state_;
};

class MemoryPlace final : public CachePlace {
public:
    std::unique_ptr<storage::Cache> open() override { return std::make_unique<storage::MemoryCache>(clock_); }
    void pass(milliseconds time) override { clock_.advance(time); }
    bool is_shared() const override { return false; }

private:
    ManualClock clock_{from_epoch_ms(1'780'000'000'000)};
};

class RedisPlace final : public CachePlace {
public:
    std::unique_ptr<storage::Cache> open() override {
        auto options = storage::parse_redis_url(shared_redis_url()).value();
        options.name_space = name_space_;
        options.timeout = 10s;
        return std::make_unique<storage::RedisCache>(std::move(options));
    }
    void pass(milliseconds time) override { age_redis_keys(name_space_, time); }
    bool is_shared() const override { return true; }

private:
    const std::string name_space_ = fresh_namespace();
};

}  // namespace

const std::vector<DatabaseEngine>& database_engines() {
    static const std::vector<DatabaseEngine> engines{
        {"sqlite", [] { return std::make_unique<SqlitePlace>(); }},
        {"postgres", [] { return std::make_unique<PostgresPlace>(true); }},
        {"postgresPooled", [] { return std::make_unique<PostgresPlace>(false); }},
    };
    return engines;
}

const std::vector<CacheEngine>& cache_engines() {
    static const std::vector<CacheEngine> engines{
        {"memory", [] { return std::make_unique<MemoryPlace>(); }, 1ms},
        {"redis", [] { return std::make_unique<RedisPlace>(); }, 5s},
    };
    return engines;
}

}  // namespace consentry::tests
