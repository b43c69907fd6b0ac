#include "app/commands/settings_loader.hpp"

#include <utility>

#include <fmt/format.h>

#include "app/commands/settings_file.hpp"
#include "app/config/read_config.hpp"
#include "base/standard_error.hpp"

namespace consentry {

std::vector<ConfigProblem> problems_of_file(const std::vector<DotenvProblem>& problems) {
    std::vector<ConfigProblem> out;
    for (const DotenvProblem& problem : problems)
        out.push_back({settings_file().string(),
                       problem.line == 0 ? problem.text : fmt::format("line {}: {}", problem.line, problem.text)});
    return out;
}

std::expected<LoadedEnvironment, std::vector<ConfigProblem>> load_texts() {
    const auto file = settings_file();
    if (chosen_settings_file_is_missing())
        return std::unexpected(
            std::vector<ConfigProblem>{{"--env-file", fmt::format("{} does not exist", file.string())}});
    auto loaded = load_environment(process_environment(), file);
    if (loaded) return std::move(*loaded);
    return std::unexpected(problems_of_file(loaded.error()));
}

void report(const std::vector<ConfigProblem>& problems) {
    for (const ConfigProblem& problem : problems) say("{}: {}\n", problem.setting, problem.text);
}

void report_warnings(const std::vector<ConfigProblem>& warnings) {
    for (const ConfigProblem& warning : warnings) say("warning: {}: {}\n", warning.setting, warning.text);
}

FoundSettings find_settings() {
    FoundSettings found;
    const auto loaded = load_texts();
    if (!loaded) {
        found.problems = loaded.error();
        return found;
    }
    if (auto config = read_config(loaded->values)) {
        found.warnings = warnings(*config, loaded->values);
        found.config = std::move(*config);
    } else {
        found.problems = std::move(config.error());
    }
    return found;
}

std::optional<Config> read_settings() {
    FoundSettings found = find_settings();
    report(found.problems);
    report_warnings(found.warnings);
    return std::move(found.config);
}

std::optional<Config> load_config() {
    auto config = read_settings();
    if (config) act_as_owner_of_data(*config);
    return config;
}

}  // namespace consentry
