#include "contracts/engines.hpp"

#include "storage/memory/memory_cache.hpp"
#include "storage/sqlite/sqlite_database.hpp"
#include "support/temp_folder.hpp"

namespace consentry::tests {
namespace {

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

}  // namespace

const std::vector<DatabaseEngine>& database_engines() {
    static const std::vector<DatabaseEngine> engines{
        {"sqlite", [] { return std::make_unique<SqlitePlace>(); }},
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
