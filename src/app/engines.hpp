// Selects the engine behind each port according to the settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/config/config.hpp"
#include "base/clock.hpp"
#include "storage/cache.hpp"
#include "storage/database.hpp"
#include "storage/object_store.hpp"
#include "storage/shared_clock.hpp"

namespace consentry {

// Called before the schema of a database in use is upgraded, which cannot be undone. Throws to prevent it.
using BeforeUpgrade = std::function<void()>;

// Opens the database and brings its schema up to date. Throws std::runtime_error naming the setting and the problem, or
// what `before_upgrade` throws.
std::unique_ptr<storage::Database> open_database(const Config& config, const BeforeUpgrade& before_upgrade = {});
// Asks the database for its time; throws as open_database() does. `own` and `database` must outlive the clock.
storage::SharedClock open_shared_clock(const Clock& own, storage::Database& database);

// Opens the cache even if it does not respond, and logs that: the service can start without it. Throws
// std::runtime_error naming the setting if the operator has to fix something (a wrong password, a certificate).
std::unique_ptr<storage::Cache> open_cache(const Config& config, const Clock& clock);

// Opens and checks the object store. Opens it even if it does not respond, and logs that: only term policies need it.
// Throws std::runtime_error naming the setting if the operator has to fix something.
std::unique_ptr<storage::ObjectStore> open_object_store(const Config& config);

// The same for servers, without the checks and their writes: for `doctor`, which changes nothing.
std::unique_ptr<storage::Cache> connect_cache(const Config& config);
std::unique_ptr<storage::ObjectStore> connect_object_store(const Config& config);

// The folder of the object store; nullopt if it uses S3.
std::optional<std::filesystem::path> object_folder(const Config& config);

// Check the same three for `config check`; they create, open for writing and modify nothing. Each throws
// std::runtime_error if the operator has to fix something, and Unavailable if a server that is not required for a start
// does not respond.
void look_at_database(const Config& config);
// The number of the last migration; 0 if there is no schema yet, nullopt if only a start can tell.
std::optional<std::int64_t> database_version(const Config& config);
// Whether there is a schema of any version; throws std::runtime_error if that cannot be found out. Unlike
// database_version(), it may be called while other programs open and close the file of SQLite, which must exist.
bool has_schema(const Config& config);
void look_at_cache(const Config& config);
void look_at_object_store(const Config& config);

// The first column of the first row of `sql`, which reads `table`; `parameters` are $1, $2 and so on. Nullopt if there
// is none yet, or if only a start can tell.
std::optional<std::string> text_in_database(const Config& config, std::string_view table, const char* sql,
                                            std::span<const std::string> parameters = {});

// An object as it is, or nullopt if there is none yet. Throws Unavailable if the object store does not respond.
std::optional<std::string> text_in_object_store(const Config& config, storage::Area area, const std::string& key,
                                                std::size_t bytes_max);

// Throws WrongSettings naming the path if `folder` can neither be written to nor created.
void require_writable(const std::filesystem::path& folder);

}  // namespace consentry
