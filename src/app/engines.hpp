// Which engine is behind each port: the settings say so.
#pragma once

#include <filesystem>
#include <memory>

#include "app/config/config.hpp"
#include "base/clock.hpp"
#include "storage/cache.hpp"
#include "storage/database.hpp"
#include "storage/object_store.hpp"

namespace consentry {

// Opened, and its schema brought up to date. Throws std::runtime_error naming the setting and what is wrong.
std::unique_ptr<storage::Database> open_database(const Config& config);

// A cache that does not answer is opened all the same, and told of in the log: the service can begin without it. Throws
// std::runtime_error naming the setting where somebody must mend something (a wrong password, a certificate).
std::unique_ptr<storage::Cache> open_cache(const Config& config, const Clock& clock);

// Checked. A store that does not answer is opened all the same, and told of in the log: only term policies need it.
// Throws std::runtime_error naming the setting where somebody must mend something.
std::unique_ptr<storage::ObjectStore> open_object_store(const Config& config);

// Looks at the same three, for `config check`: makes, opens for writing and changes nothing anywhere. Each throws
// std::runtime_error where somebody must mend something, and Unavailable where a server does not answer that a start
// can do without.
void look_at_database(const Config& config);
void look_at_cache(const Config& config);
void look_at_object_store(const Config& config);

// Throws std::runtime_error naming the place where `folder` can neither be written to nor be made.
void require_writable(const std::filesystem::path& folder);

}  // namespace consentry
