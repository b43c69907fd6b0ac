#include "app/commands/config_commands.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/commands/settings_file.hpp"
#include "app/commands/settings_loader.hpp"
#include "app/commands/start_check.hpp"
#include "app/config/read_config.hpp"
#include "app/config/settings.hpp"
#include "app/config/values.hpp"
#include "app/copy/copy_database.hpp"
#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "app/terminal/results.hpp"
#include "app/two_factor_keys.hpp"
#include "base/standard_error.hpp"
#include "base/wrong_settings.hpp"

namespace consentry {
namespace {

void add(std::vector<ConfigProblem>& to, std::vector<ConfigProblem> more) {
    std::ranges::move(more, std::back_inserter(to));
}

boost::json::array json_of(const std::vector<ConfigProblem>& problems) {
    boost::json::array out;
    for (const ConfigProblem& problem : problems) out.push_back({{"setting", problem.setting}, {"text", problem.text}});
    return out;
}

// The service would start without the key that they need. On a busy server, the count may take too long.
std::vector<ConfigProblem> locked_out_accounts(const Config& config) {
    constexpr auto setting = "AUTH_TWO_FACTOR_ENCRYPTION_KEY";
    std::string text;
    try {
        text = missing_two_factor_key(config);
    } catch (const std::exception& error) {
        text = fmt::format("Consentry did not count the accounts that lack their key: {}", error.what());
    }
    if (text.empty()) return {};
    return {{setting, std::move(text)}};
}

// Before the database changes: afterwards, the exit code of wrong settings would say that the command did nothing.
// Whether a folder that is there may be written to is for the service to find out.
void require_place_for_data_folder(const Config& config) {
    std::error_code error;
    if (std::filesystem::is_directory(config.data.directory, error)) return;
    try {
        require_writable(config.data.directory);
    } catch (const std::exception&) {
        throw_as_fault_of("DATA_DIR");
    }
}

}  // namespace

int check_config(const CheckOptions& options) {
    FoundSettings found = find_settings();
    bool lasts = !found.problems.empty();
    if (found.config) {
        act_as_owner_of_data(*found.config);
        add(found.warnings, unit_warnings(*found.config));
        const SystemClock clock;
        const ServiceRuns runs = options.running  ? ServiceRuns::yes
                                 : options.socket ? ServiceRuns::maybe  // the next connection starts it
                                                  : ServiceRuns::no;
        StartCheck start = check_start(*found.config, clock, runs);
        if (start.problems.empty()) add(start.warnings, locked_out_accounts(*found.config));
        lasts = lasts || start.lasts;
        add(found.problems, std::move(start.problems));
        add(found.warnings, std::move(start.warnings));
    }
    const bool is_valid = found.problems.empty();
    const int code = is_valid ? 0 : lasts ? wrong_use : failed;  // that of the start
    if (options.json) {
        print_json({{"valid", is_valid}, {"problems", json_of(found.problems)}, {"warnings", json_of(found.warnings)}});
        return code;
    }
    report_warnings(found.warnings);
    report(found.problems);
    if (!is_valid) {
        say("Configuration is invalid: the service would not start{}. Nothing was changed.\n",
            options.running ? " as it runs now" : "");
        return code;
    }
    say("Configuration is valid: the service would start. Nothing was changed.\n");
    return 0;
}

int print_settings(bool as_json) {
    const auto loaded = load_texts();
    if (!loaded) {
        report(loaded.error());
        return wrong_use;
    }
    if (!as_json) {
        fmt::print("{}", print_config(loaded->values, loaded->from_file));
        return 0;
    }
    boost::json::array out;
    for (const ShownSetting& setting : shown_settings(loaded->values, loaded->from_file))
        out.push_back({{"name", setting.name}, {"value", setting.value}, {"source", setting.source}});
    print_json(out);
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

int migrate(bool as_json) {
    const auto config = load_config();
    if (!config) return wrong_use;
    require_place_for_data_folder(*config);
    open_database(*config);
    // Also with PostgreSQL: other commands recognize an installation by its data folder.
    make_data_folder(*config);
    const std::string database =
        config->database.url.empty() ? config->database.file.string() : "the PostgreSQL database";
    tell_done(fmt::format("The schema of {} is up to date.", database), {{"upToDate", true}}, as_json);
    return 0;
}

int migrate_from(const std::string& address, bool as_json) {
    const auto file = parse_database_url(address);
    if (!file) {
        say("--from: must be sqlite:PATH with the path of a file\n");
        return wrong_use;
    }
    const auto config = load_config();
    if (!config) return wrong_use;
    if (config->database.url.empty()) {
        say("DATABASE_URL: must be the URL of the PostgreSQL database to copy into\n");
        return wrong_use;
    }
    require_place_for_data_folder(*config);
    const auto copied = copy_database(*file, *config);
    make_data_folder(*config);  // as migrate() does
    ResultList list({{.name = "table", .heading = "TABLE"}, {.name = "rows", .heading = "ROWS"}}, as_json);
    for (const CopiedRows& table : copied) list.add({table.table, table.rows});
    list.end();
    say("All tables have been copied and compared.\n");
    return 0;
}

}  // namespace consentry
