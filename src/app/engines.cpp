#include "app/engines.hpp"

#include <cerrno>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "app/config/own_url.hpp"
#include "app/config/values.hpp"
#include "app/service_manager.hpp"
#include "base/error.hpp"
#include "base/folder_of.hpp"
#include "base/run_to_end.hpp"
#include "base/wrong_settings.hpp"
#include "storage/filesystem/filesystem_store.hpp"
#include "storage/memory/memory_cache.hpp"
#include "storage/migrations.hpp"
#include "storage/postgres/inspect.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "storage/redis/redis_cache.hpp"
#include "storage/s3/s3_store.hpp"
#include "storage/schema_version.hpp"
#include "storage/sqlite/inspect.hpp"
#include "storage/sqlite/sqlite_database.hpp"

namespace consentry {
namespace {

storage::PostgresOptions postgres_options(const Config& config) {
    return {.url = config.database.url,
            .connections = config.database.connections_per_thread,
            .timeout = config.database.timeout,
            .keeps_session_state = config.database.prepared_statements};
}

std::unique_ptr<storage::Database> make_database(const Config& config) {
    if (config.database.url.empty())
        return std::make_unique<storage::SqliteDatabase>(storage::SqliteOptions{.file = config.database.file});
    return std::make_unique<storage::PostgresDatabase>(postgres_options(config));
}

storage::RedisOptions redis_options(const Config& config) {
    auto options = storage::parse_redis_url(config.cache.url).value();
    options.name_space = config.cache.name_space;
    options.timeout = config.cache.timeout;
    return options;
}

std::unique_ptr<storage::S3Store> make_s3_store(const Config& config) {
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
    const auto folder = object_folder(config);
    if (!folder) return make_s3_store(config);
    return std::make_unique<storage::FilesystemStore>(storage::FilesystemOptions{
        .folder = *folder, .public_url = own_url(config), .secrets = config.encryption.secrets});
}

void require_usable_folder(const std::filesystem::path& folder) {
    require_writable(folder);
    storage::ObjectFolder::look(folder);
}

// SQLite's own message would not say why. A folder in place of the file is for the engine to refuse.
void require_usable_file(const Config& config) {
    const std::filesystem::path& file = config.database.file;
    const std::filesystem::path folder = folder_of(file);
    std::error_code error;
    const bool is_there = std::filesystem::exists(file, error);
    try {
        if (!is_there) return require_writable(folder);
        if (::faccessat(AT_FDCWD, file.c_str(), R_OK | W_OK, AT_EACCESS) != 0)
            throw WrongSettings(fmt::format("{}: {}", file.string(), std::generic_category().message(errno)));
    } catch (const std::exception&) {
        throw_as_fault_of(!is_there && folder == config.data.directory ? "DATA_DIR" : "DATABASE_URL");
    }
}

}  // namespace

std::optional<std::filesystem::path> object_folder(const Config& config) { return folder_of_url(config.storage.url); }

std::unique_ptr<storage::Database> open_database(const Config& config, const BeforeUpgrade& before_upgrade) {
    const auto& migrations = storage::migrations();
    std::unique_ptr<storage::Database> database;
    bool is_due = false;
    if (config.database.url.empty()) require_usable_file(config);
    try {
        database = make_database(config);
        is_due = before_upgrade && database->upgrade_is_due(migrations);
    } catch (const std::exception&) {
        throw_as_fault_of("DATABASE_URL");
    }
    if (is_due) before_upgrade();
    try {
        std::optional<LongerStart> longer;
        if (is_due) longer.emplace();
        database->migrate(migrations);
        return database;
    } catch (const std::exception&) {
        throw_as_fault_of("DATABASE_URL");
    }
}

storage::SharedClock open_shared_clock(const Clock& own, storage::Database& database) {
    try {
        return {own, database};
    } catch (const std::exception&) {
        throw_as_fault_of("DATABASE_URL");
    }
}

std::unique_ptr<storage::Cache> open_cache(const Config& config, const Clock& clock) {
    if (config.cache.url.empty()) return std::make_unique<storage::MemoryCache>(clock, config.cache.bytes_max);
    try {
        auto cache = std::make_unique<storage::RedisCache>(redis_options(config));
        try {
            cache->check();
        } catch (const Unavailable& outage) {
            spdlog::warn("CACHE_URL: {}; two-factor logins are unavailable until it responds", outage.what());
        }
        return cache;
    } catch (const std::exception&) {
        throw_as_fault_of("CACHE_URL");
    }
}

std::unique_ptr<storage::ObjectStore> open_object_store(const Config& config) {
    try {
        if (const auto folder = object_folder(config)) require_usable_folder(*folder);
        auto store = make_object_store(config);
        try {
            store->check();
        } catch (const Unavailable& outage) {
            spdlog::warn("STORAGE_URL: {}; files of term policies are unavailable until it responds", outage.what());
        }
        return store;
    } catch (const std::exception&) {
        throw_as_fault_of("STORAGE_URL");
    }
}

std::unique_ptr<storage::Cache> connect_cache(const Config& config) {
    return std::make_unique<storage::RedisCache>(redis_options(config));
}

std::unique_ptr<storage::ObjectStore> connect_object_store(const Config& config) { return make_s3_store(config); }

std::optional<std::int64_t> database_version(const Config& config) {
    if (config.database.url.empty()) return storage::sqlite::schema_version_of(config.database.file);
    return storage::postgres::schema_version_of(postgres_options(config), storage::migrations());
}

bool has_schema(const Config& config) {
    if (config.database.url.empty()) return storage::sqlite::has_schema(config.database.file);
    return database_version(config) != 0;
}

void look_at_database(const Config& config) {
    const std::int64_t known = std::ssize(storage::migrations());
    const bool is_embedded = config.database.url.empty();
    const auto& file = config.database.file;
    if (is_embedded) require_writable(folder_of(file));
    if (const auto version = database_version(config))
        storage::require_known_version(*version, known, is_embedded ? fmt::format("sqlite {}: ", file.string()) : "");
}

std::optional<std::string> text_in_database(const Config& config, std::string_view table, const char* sql,
                                            std::span<const std::string> parameters) {
    if (config.database.url.empty()) return storage::sqlite::text_in(config.database.file, table, sql, parameters);
    return storage::postgres::text_in(postgres_options(config), table, sql, parameters);
}

std::optional<std::string> text_in_object_store(const Config& config, storage::Area area, const std::string& key,
                                                std::size_t bytes_max) {
    std::optional<storage::Object> found;
    if (const auto folder = object_folder(config)) {
        found = storage::ObjectFolder::look_up(*folder, area, key, bytes_max);
    } else {
        boost::asio::io_context context(1);
        const auto store = connect_object_store(config);
        found = run_to_end(context, store->get(area, key, bytes_max));
    }
    return found ? std::optional(std::move(found->bytes)) : std::nullopt;
}

void look_at_cache(const Config& config) {
    if (!config.cache.url.empty()) storage::RedisCache(redis_options(config)).look();
}

void look_at_object_store(const Config& config) {
    if (const auto folder = object_folder(config)) {
        require_usable_folder(*folder);
    } else {
        make_s3_store(config)->look();
    }
}

void require_writable(const std::filesystem::path& folder) {
    // A missing folder would be created below its nearest existing parent, but not in place of a dangling link.
    auto place = std::filesystem::absolute(folder).lexically_normal();
    std::error_code error;
    const auto is_name = [&] { return std::filesystem::exists(std::filesystem::symlink_status(place, error)); };
    while (!is_name() && place.has_relative_path()) place = place.parent_path();
    const int trouble = !std::filesystem::exists(place, error)                               ? ENOENT
                        : !std::filesystem::is_directory(place, error)                       ? ENOTDIR
                        : ::faccessat(AT_FDCWD, place.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0
                                                                                             : errno;
    if (trouble != 0)
        throw WrongSettings(fmt::format("{}: {}", place.string(), std::generic_category().message(trouble)));
}

}  // namespace consentry
