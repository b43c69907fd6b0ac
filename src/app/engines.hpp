// Which engine is behind each port: the settings say so.
#pragma once

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

}  // namespace consentry
