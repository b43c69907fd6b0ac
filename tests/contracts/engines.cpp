#include "contracts/engines.hpp"

#include "storage/memory/memory_cache.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "storage/sqlite/sqlite_database.hpp"
#include "support/temp_folder.hpp"
#include "tests/support/shared_engines.hpp"

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
            .url = schema_.url(), .timeout = 10s, .keeps_session_state = keeps_session_state_});
    }
    void migrate(const std::vector<storage::Migration>& migrations) override { open()->migrate(migrations); }

private:
    PostgresSchema schema_;
    bool keeps_session_state_;
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
        {"memory", [](ManualClock& clock) { return std::make_unique<storage::MemoryCache>(clock); }},
    };
    return engines;
}

}  // namespace consentry::tests
