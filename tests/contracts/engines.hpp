// The engines on which the contract tests run. A new engine needs only an entry in engines.cpp.
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

// An empty database that is deleted with this object. Each open() returns what a separate process would use.
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

// An empty cache that is deleted with this object.
class CachePlace {
public:
    virtual ~CachePlace() = default;
    // Returns what a separate process would use.
    virtual std::unique_ptr<storage::Cache> open() = 0;
    // Ages the stored values by this time.
    virtual void pass(milliseconds time) = 0;
    // Returns whether all caches from open() share their values.
    virtual bool is_shared() const = 0;
};

struct CacheEngine {
    std::string name;
    std::function<std::unique_ptr<CachePlace>()> make;
    // The precision of expiry times: a value with less than this left may already be gone.
    milliseconds precision;
};

const std::vector<DatabaseEngine>& database_engines();
const std::vector<CacheEngine>& cache_engines();

// Prints the name of a test case.
inline void PrintTo(const DatabaseEngine& engine, std::ostream* out) { *out << engine.name; }
inline void PrintTo(const CacheEngine& engine, std::ostream* out) { *out << engine.name; }

}  // namespace consentry::tests
