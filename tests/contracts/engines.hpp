// The engines that the contract suites run on. A new engine adds its entry to engines.cpp and nothing else.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/cache.hpp"
#include "storage/database.hpp"
#include "storage/migrations.hpp"

namespace consentry::tests {

// One empty database, gone with this object. Each open() is what another process would hold.
class DatabasePlace {
public:
    virtual ~DatabasePlace() = default;
    virtual std::unique_ptr<storage::Database> open() = 0;
    virtual void migrate(const std::vector<storage::Migration>& migrations) = 0;
};

struct DatabaseEngine {
    std::string name;
    std::function<std::unique_ptr<DatabasePlace>()> make;
};

struct CacheEngine {
    std::string name;
    // Its times to live go by the clock given.
    std::function<std::unique_ptr<storage::Cache>(ManualClock&)> make;
};

const std::vector<DatabaseEngine>& database_engines();
const std::vector<CacheEngine>& cache_engines();

// How GoogleTest prints a case.
inline void PrintTo(const DatabaseEngine& engine, std::ostream* out) { *out << engine.name; }
inline void PrintTo(const CacheEngine& engine, std::ostream* out) { *out << engine.name; }

}  // namespace consentry::tests
