#include "app/commands/config_commands.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/commands/start_check.hpp"
#include "app/config/settings.hpp"
#include "app/config/values.hpp"
#include "app/copy/copy_database.hpp"
#include "app/engines.hpp"
#include "app/local_secrets.hpp"

namespace consentry {
namespace {

constexpr int wrong_use = 2;
constexpr int wrong_settings = 2;

std::optional<LoadedEnvironment> load() {
    auto loaded = load_environment(process_environment());
    if (loaded) return std::move(*loaded);
    for (const DotenvProblem& problem : loaded.error())
        fmt::print(stderr, ".env line {}: {}\n", problem.line, problem.text);
    return std::nullopt;
}

}  // namespace

std::optional<Config> load_config() {
    const auto loaded = load();
    if (!loaded) return std::nullopt;
    auto config = read_config(loaded->values);
    if (!config) {
        for (const ConfigProblem& problem : config.error())
            fmt::print(stderr, "setting {}: {}\n", problem.setting, problem.text);
        return std::nullopt;
    }
    for (const ConfigProblem& warning : warnings(*config, loaded->values))
        fmt::print(stderr, "warning: setting {}: {}\n", warning.setting, warning.text);
    return std::move(*config);
}

int check_config(bool running) {
    const auto config = load_config();
    if (!config) return wrong_settings;
    const SystemClock clock;
    const StartCheck found = check_start(*config, clock, running);
    for (const ConfigProblem& warning : found.warnings)
        fmt::print(stderr, "warning: setting {}: {}\n", warning.setting, warning.text);
    for (const ConfigProblem& problem : found.problems)
        fmt::print(stderr, "setting {}: {}\n", problem.setting, problem.text);
    if (!found.problems.empty()) {
        fmt::print(stderr, "Configuration is invalid: the service would not start. Nothing was changed.\n");
        return wrong_settings;
    }
    fmt::print(stderr, "Configuration is valid: the service would start. Nothing was changed.\n");
    return 0;
}

int print_settings() {
    const auto loaded = load();
    if (!loaded) return wrong_settings;
    fmt::print("{}", print_config(loaded->values, loaded->from_file));
    return 0;
}

int print_settings_documentation() {
    fmt::print("{}", settings_markdown());
    return 0;
}

int print_settings_example() {
    fmt::print("{}", settings_env_example());
    return 0;
}

int migrate() {
    const auto config = load_config();
    if (!config) return wrong_settings;
    open_database(*config);
    // Also with PostgreSQL: other commands recognize an installation by its data folder.
    make_data_folder(*config);
    fmt::print(stderr, "The schema of {} is up to date.\n",
               config->database.url.empty() ? config->database.file.string() : "the PostgreSQL database");
    return 0;
}

int migrate_from(const std::string& address) {
    const auto file = parse_database_url(address);
    if (!file) {
        fmt::print(stderr, "--from: must be sqlite:PATH with the path of a file\n");
        return wrong_use;
    }
    const auto config = load_config();
    if (!config) return wrong_settings;
    if (config->database.url.empty()) {
        fmt::print(stderr, "setting DATABASE_URL: must be the URL of the PostgreSQL database to copy into\n");
        return wrong_settings;
    }
    copy_database(*file, *config);
    return 0;
}

}  // namespace consentry
