#include "app/commands/doctor_command.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <boost/algorithm/string/replace.hpp>
#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/commands/settings_file.hpp"
#include "app/commands/settings_loader.hpp"
#include "app/commands/start_check.hpp"
#include "app/config/values.hpp"
#include "app/doctor/checks.hpp"
#include "app/engines.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/results.hpp"
#include "app/terminal/terminal.hpp"
#include "base/standard_error.hpp"
#include "net/http_client.hpp"
#include "storage/migrations.hpp"

namespace consentry {
namespace {

constexpr const char* setting_advice = "`consentry config docs` describes the setting.";

// check_start() warns of the database in this case only.
constexpr const char* unread_database_advice =
    "Start the service, which creates the missing file. If these are copies that were made while the service ran, they "
    "may be damaged: restore a backup that `consentry backup` made.";

// What the service would start without.
const char* advice_for_start(const Config& config, std::string_view setting) {
    if (setting == "DATABASE_URL") return unread_database_advice;
    const bool is_of_server = setting == "CACHE_URL" || (setting == "STORAGE_URL" && !object_folder(config)) ||
                              (setting == "MAIL_URL" && !folder_of_url(config.mail.url));
    return is_of_server ? "Check the server that the setting names." : setting_advice;
}

const char* advice_for(const ConfigProblem& problem) {
    if (problem.setting == "--env-file") return "Correct the path.";
    if (problem.setting == settings_file().string())
        return problem.text.starts_with("line ") ? "Correct the line."
                                                 : "No setting was read, so nothing else was examined.";
    return setting_advice;
}

// Returns nullopt if the settings are invalid.
std::optional<Config> examine_settings(Findings& findings) {
    FoundSettings found = find_settings();
    for (const ConfigProblem& problem : found.problems)
        findings.error(problem.setting, problem.text, advice_for(problem));
    if (!found.config) return std::nullopt;
    for (const ConfigProblem& warning : found.warnings) findings.warn(warning.setting, warning.text, setting_advice);
    for (const ConfigProblem& warning : unit_warnings(*found.config))
        findings.warn(warning.setting, warning.text,
                      "Unless the unit allows it, the service fails when it writes there.");
    act_as_owner_of_data(*found.config);
    return std::move(found.config);
}

bool would_start(const Config& config, const Clock& clock, Findings& findings) {
    const StartCheck found = check_start(config, clock, ServiceRuns::maybe);
    for (const ConfigProblem& problem : found.problems)
        findings.error(problem.setting, problem.text, "The service cannot start until you fix this.");
    for (const ConfigProblem& warning : found.warnings)
        findings.warn(warning.setting, warning.text, advice_for_start(config, warning.setting));
    return found.problems.empty();
}

// Opens the database only if that changes nothing in it. Returns null otherwise.
std::unique_ptr<storage::Database> open_as_it_is(const Config& config, Findings& findings) {
    const auto known = static_cast<std::int64_t>(storage::migrations().size());
    const auto version = database_version(config);
    if (!version) return nullptr;  // would_start() has said why
    if (*version == 0) {
        findings.warn("database", "is empty", "Start the service, or run `consentry migrate`.");
        return nullptr;
    }
    if (*version < known) {
        const std::int64_t due = known - *version;
        findings.warn("database", fmt::format("{} {} due", due, due == 1 ? "migration is" : "migrations are"),
                      "Make a backup, then start this version or run `consentry migrate`.");
        return nullptr;
    }
    return open_database(config);
}

void examine(const Config& config, const Clock& clock, Findings& findings, ProgressBar& bar) {
    bar.show_now("checking settings and files", std::nullopt);
    const bool starts = would_start(config, clock, findings);
    examine_machine(config, settings_file(), findings);
    if (starts) {
        bar.show_now("querying the database", std::nullopt);
        if (const auto database = open_as_it_is(config, findings)) {
            examine_database(*database, command_context(), clock, findings);
            examine_data(config, *database, command_context(), clock, findings);
        }
        bar.show_now("contacting other servers", std::nullopt);
        examine_other_servers(config, command_context(), findings);
    }
    examine_service(config, findings);
}

Color color_of(Severity severity) {
    return severity == Severity::error ? Color::red : severity == Severity::warning ? Color::yellow : Color::green;
}

// What is pasted must read the settings file that was examined.
std::string advice_of(const Finding& one) {
    return boost::algorithm::replace_all_copy(one.advice, "`consentry ", "`consentry" + settings_file_option() + " ");
}

void print_for_people(const Findings& findings) {
    const bool has_colors = shows_colors(stdout);
    for (const Finding& one : findings.all()) {
        const std::string word = fmt::format("{:8}", name_of(one.severity));
        fmt::print("{} {}: {}\n", has_colors ? colored(word, color_of(one.severity)) : word, one.subject,
                   on_one_line(one.text));
        if (!one.advice.empty()) fmt::print("         {}\n", advice_of(one));
    }
}

void print(const Findings& findings, bool as_json) {
    if (!as_json && is_terminal(stdout)) return print_for_people(findings);
    ResultList list({{.name = "severity", .heading = "SEVERITY", .is_state = true},
                     {.name = "subject", .heading = "SUBJECT"},
                     {.name = "text", .heading = "FINDING"},
                     {.name = "advice", .heading = "ADVICE"}},
                    as_json);
    for (const Finding& one : findings.all())
        list.add({name_of(one.severity), one.subject, one.text,
                  one.advice.empty() ? boost::json::value() : boost::json::value(advice_of(one))});
    list.end();
}

}  // namespace

int doctor(bool as_json) {
    const SystemClock clock;
    Findings findings;
    {
        ProgressBar bar;
        if (const auto config = examine_settings(findings)) examine(*config, clock, findings, bar);
    }
    print(findings, as_json);
    const auto count = [&](Severity severity) {
        return std::ranges::count(findings.all(), severity, &Finding::severity);
    };
    const auto errors = count(Severity::error);
    const auto warnings = count(Severity::warning);
    say("{} {}, {} {}.\n", errors, errors == 1 ? "error" : "errors", warnings, warnings == 1 ? "warning" : "warnings");
    return errors > 0 ? failed : 0;
}

int check_health(const HealthOptions& options) {
    std::string url = options.url;
    if (url.empty()) {
        // Its output is for the log of a container; `config check` and the start warn of settings.
        const FoundSettings found = find_settings();
        report(found.problems);
        if (!found.config) return wrong_use;
        if (found.config->http.port == 0) {
            say("consentry: HTTP_PORT is 0; give --url\n");
            return wrong_use;
        }
        url = local_url(*found.config) + found.config->http.global_prefix + "/health/ready";
    }
    net::HttpClient client({.plain_http = true, .is_direct = options.url.empty()});
    net::HttpResponse answer;
    try {
        answer = client.fetch({.url = url, .timeout = std::chrono::seconds{options.timeout_in_seconds}});
    } catch (const std::runtime_error&) {
        if (options.json) print_json(boost::json::object{{"ready", false}, {"status", nullptr}});
        throw;
    }
    if (options.json) print_json(boost::json::object{{"ready", answer.status == 200}, {"status", answer.status}});
    if (answer.status == 200) return 0;
    say("consentry: {} answers {}\n", url, answer.status);
    return failed;
}

}  // namespace consentry
