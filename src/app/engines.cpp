#include "app/engines.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "app/config/own_url.hpp"
#include "base/error.hpp"
#include "storage/filesystem/filesystem_store.hpp"
#include "storage/memory/memory_cache.hpp"
#include "storage/migrations.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "storage/redis/redis_cache.hpp"
#include "storage/s3/s3_store.hpp"
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

std::unique_ptr<storage::ObjectStore> make_s3_store(const Config& config) {
    const S3Config& s3 = config.storage.s3;
    return std::make_unique<storage::S3Store>(
        storage::S3Options{.server = storage::parse_s3_url(config.storage.url).value(),
                           .region = s3.region,
                           .access_key = s3.access_key,
                           .secret = s3.secret,
                           .private_bucket = s3.private_bucket,
                           .public_bucket = s3.public_bucket,
                           .public_url = s3.public_url,
                           .attempts_max = s3.attempts_max,
                           .timeout = s3.timeout});
}

std::unique_ptr<storage::ObjectStore> make_object_store(const Config& config) {
    constexpr std::string_view file = "file:";
    if (!config.storage.url.starts_with(file)) return make_s3_store(config);
    return std::make_unique<storage::FilesystemStore>(
        storage::FilesystemOptions{.folder = config.storage.url.substr(file.size()),
                                   .public_url = own_url(config),
                                   .secrets = config.encryption.secrets});
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

std::unique_ptr<storage::ObjectStore> open_object_store(const Config& config) {
    try {
        auto store = make_object_store(config);
        try {
            store->check();
        } catch (const Unavailable& outage) {
            spdlog::warn("setting STORAGE_URL: {}; files of term policies wait until it answers", outage.what());
        }
        return store;
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("setting STORAGE_URL: {}", error.what()));
    }
}

}  // namespace consentry
