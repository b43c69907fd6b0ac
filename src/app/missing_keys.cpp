#include "app/missing_keys.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "base/listed.hpp"
#include "base/wrong_settings.hpp"

namespace consentry {
namespace {

constexpr std::string_view key_of_log = "consent-log.key";

std::string name_of_folder(const Config& config) { return (config.data.directory / "keys").string(); }

bool lacks_key_of_log(const std::vector<std::string>& missing) {
    return std::ranges::find(missing, key_of_log) != missing.end();
}

bool has_log(const Config& config) {
    return text_in_database(config, "logs", "SELECT name FROM logs LIMIT 1").has_value();
}

bool has_accounts(const Config& config) {
    return text_in_database(config, "users", "SELECT username FROM users LIMIT 1").has_value();
}

}  // namespace

// Looks at the files again once the database was asked: another program may have made both the keys and the first data
// between the first look at the files and the question.
std::string missing_keys(const Config& config) {
    if (secrets_to_make(config).empty() || !has_accounts(config)) return {};
    // A log that was just turned on has no key yet.
    const bool requires_key_of_log = has_log(config);
    std::vector<std::string> missing = secrets_to_make(config);
    if (!requires_key_of_log) std::erase(missing, key_of_log);
    if (missing.empty()) return {};
    return fmt::format(
        "{} lacks {}, although the database has accounts. Put the missing files back. {}", name_of_folder(config),
        listed(missing),
        lacks_key_of_log(missing)
            ? fmt::format("If {} is lost, start a new log, as docs/guides/backup.md explains", key_of_log)
            : "If they are lost, start the service, which makes others");
}

void require_keys(const Config& config) {
    if (const std::string missing = missing_keys(config); !missing.empty())
        throw WrongSettings(fmt::format("DATA_DIR: {}; nothing was changed", missing));
}

void require_key_of_log(const Config& config) {
    const auto is_missing = [&] { return lacks_key_of_log(secrets_to_make(config)); };
    // It may be there by the time the database says that it has a log: see missing_keys().
    if (!is_missing() || !has_log(config) || !is_missing()) return;
    throw WrongSettings(
        fmt::format("DATA_DIR: {}/{} is missing, and no other key continues the log in this database. Put it back. If "
                    "it is lost, start a new log, as docs/guides/backup.md explains",
                    name_of_folder(config), key_of_log));
}

}  // namespace consentry
