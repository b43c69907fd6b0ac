#include "app/engines.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.hpp"
#include "storage/memory/memory_cache.hpp"
#include "storage/migrations.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "storage/redis/redis_cache.hpp"
#include "storage/sqlite/sqlite_database.hpp"

namespace consentry {
namespace {

std::unique_ptr<storage::Database> make_database(const Config& config) {
    if (config.database.url.empty())
        return std::make_unique<storage::SqliteDatabase>(storage::SqliteOptions{.file = config.database.file});
    return std::make_unique<storage::PostgresDatabase>(
        storage::PostgresOptions{.url = config.database.url,
                                 .connections = config.database.connections_per_thread,
                                 .timeout = config.database.timeout,
                                 .keeps_session_state = config.database.prepared_statements});
}

}  // namespace

std::unique_ptr<storage::Database> open_database(const Config& config) {
    try {
        auto database = make_database(config);
        database->migrate(storage::migrations());
        return database;
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("setting DATABASE_URL: {}", error.what()));
    }
}

std::unique_ptr<storage::Cache> open_cache(const Config& config, const Clock& clock) {
    if (config.cache.url.empty()) return std::make_unique<storage::MemoryCache>(clock, config.cache.bytes_max);
    auto options = storage::parse_redis_url(config.cache.url).value();
    options.name_space = config.cache.name_space;
    options.timeout = config.cache.timeout;
    try {
        auto cache = std::make_unique<storage::RedisCache>(std::move(options));
        try {
            cache->check();
        } catch (const Unavailable& outage) {
            spdlog::warn("setting CACHE_URL: {}; two-factor logins wait until it answers", outage.what());
        }
        return cache;
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("setting CACHE_URL: {}", error.what()));
    }
}

}  // namespace consentry
