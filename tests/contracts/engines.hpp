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

// One empty cache, gone with this object.
class CachePlace {
public:
    virtual ~CachePlace() = default;
    // Each is what another process would hold.
    virtual std::unique_ptr<storage::Cache> open() = 0;
    // Makes what is kept so much older.
    virtual void pass(milliseconds time) = 0;
    // Whether several open() see the same.
    virtual bool is_shared() const = 0;
};

struct CacheEngine {
    std::string name;
    std::function<std::unique_ptr<CachePlace>()> make;
    // How well times to live can be told: what pass() leaves less of than this may be gone already.
    milliseconds precision;
};

const std::vector<DatabaseEngine>& database_engines();
const std::vector<CacheEngine>& cache_engines();

// How GoogleTest prints a case.
inline void PrintTo(const DatabaseEngine& engine, std::ostream* out) { *out << engine.name; }
inline void PrintTo(const CacheEngine& engine, std::ostream* out) { *out << engine.name; }

}  // namespace consentry::tests
