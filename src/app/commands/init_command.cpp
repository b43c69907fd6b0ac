#include "app/commands/init_command.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/commands/key_commands.hpp"
#include "app/commands/settings_file.hpp"
#include "app/commands/settings_loader.hpp"
#include "app/config/dotenv.hpp"
#include "app/config/read_config.hpp"
#include "app/config/settings.hpp"
#include "app/config/values.hpp"
#include "app/terminal/terminal.hpp"
#include "base/ascii.hpp"
#include "base/error_text.hpp"
#include "base/listed.hpp"
#include "base/new_file.hpp"
#include "base/standard_error.hpp"
#include "base/text.hpp"
#include "crypto/digest.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

struct Question {
    std::string_view setting;
    std::string InitOptions::* given;
    std::string_view text;
    std::string usual = {};  // empty: the setting is left out
    bool is_required = false;
};

std::vector<Question> questions() {
    return {
        {"PUBLIC_URL",
         &InitOptions::public_url,
         "URL at which clients reach the service, such as https://login.example.com",
         {},
         true},
        {"APP_NAME", &InitOptions::name, "Name of the service, shown in emails and authenticator apps", "Consentry"},
        {"DATA_DIR", &InitOptions::data_dir, "Folder for all data", usual_data_folder().string()},
        {"HTTP_HOST", &InitOptions::host, "Address to listen on", "localhost"},
        {"HTTP_PORT", &InitOptions::port, "Port to listen on", "3000"},
        {"HTTP_TRUSTED_PROXIES", &InitOptions::trusted_proxies,
         "Addresses of proxies in front of the service; without them, all clients count as one", "127.0.0.1,::1"},
        {"DATABASE_URL", nullptr, "PostgreSQL database (postgresql://...); empty: a SQLite file"},
        {"CACHE_URL", nullptr, "Redis (rediss://...); empty: in memory, for a single instance"},
        {"MAIL_URL", nullptr, "Mail server (smtps://USER:PASSWORD@HOST); empty: emails are written to files"},
        {"EMAIL_NO_REPLY", &InitOptions::mail_from, "Sender address of emails"},
    };
}

// The reason why a value does not suit a setting, if it does not.
std::optional<std::string> trouble_with(std::string_view setting, const std::string& value) {
    Config config;
    const SettingSpec* spec = find_setting(setting);
    if (spec == nullptr) throw std::logic_error("init asks for a setting that does not exist");
    const auto read = spec->type.read(value, config);
    return read ? std::nullopt : std::optional(read.error());
}

// Returns nullopt if the input has ended.
std::optional<std::string> ask(const Question& question) {
    for (;;) {
        say("{}{}: ", question.text, question.usual.empty() ? "" : fmt::format(" [{}]", question.usual));
        std::string answer;
        if (!std::getline(std::cin, answer)) return std::nullopt;
        answer = trim(answer);
        if (answer.empty()) answer = question.usual;
        if (answer.empty() && !question.is_required) return answer;
        const auto trouble = trouble_with(question.setting, answer);
        if (!trouble && !(answer.empty() && question.is_required)) return answer;
        say("  {} {}\n", question.setting, trouble.value_or("must be set"));
    }
}

// As parse_dotenv() reads it back.
std::string dotenv_text(std::string_view value) {
    const auto is_plain = [](char c) {
        return is_letter(c) || is_digit(c) || std::string_view("_-./:@+=,*[]").contains(c);
    };
    if (!value.empty() && std::ranges::all_of(value, is_plain)) return std::string(value);
    std::string out = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\' || c == '$') out += '\\';
        out += c;
    }
    return out + "\"";
}

// Whether a file is not yet an installation: a package ships it like that. What it says stays.
bool is_untouched(const Environment& settings) {
    constexpr std::array<std::string_view, 2> shipped{"APP_ENV", "DATA_DIR"};
    return std::ranges::all_of(settings,
                               [&](const auto& one) { return std::ranges::find(shipped, one.first) != shipped.end(); });
}

void say_exists(const fs::path& file) {
    say("consentry: {} exists; nothing was changed. Edit it, or move it away first.\n", file.string());
}

// Returns what the file says that init may replace, or nullopt if it must stay as it is, and has then reported it.
std::optional<Environment> shipped_settings(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(file, error))) return Environment{};
    auto present = load_environment({}, file);
    if (!present) {
        report(problems_of_file(present.error()));
        say("Nothing was changed.\n");
        return std::nullopt;
    }
    if (is_untouched(present->values)) return std::move(present->values);
    say_exists(file);
    return std::nullopt;
}

std::string value_in(const Environment& settings, std::string_view name, std::string_view otherwise) {
    const auto found = settings.find(std::string(name));
    return found == settings.end() ? std::string(otherwise) : found->second;
}

// A file that is there already lends its owner and mode: a package decides who may read it. Returns false if somebody
// else has made the file meanwhile.
bool write_settings(const fs::path& name, std::string_view text) {
    const fs::path file = place_of_file(name);
    NewFile made(file);
    const bool replaces = fs::exists(file);
    if (replaces) made.take_after(file);
    made.write(text);
    if (!replaces) return made.take_free_name();
    made.replace();
    return true;
}

std::string file_text(const Environment& shipped, const std::vector<std::pair<std::string_view, std::string>>& answers,
                      std::vector<NewSetting> keys) {
    std::string out =
        "# Settings of Consentry, written by `consentry init`. Keep this file secret, and keep a copy: without the "
        "keys in it,\n"
        "# second factors and the consent log no longer work. `consentry config docs` describes all settings.\n"
        "\nAPP_ENV=" +
        dotenv_text(value_in(shipped, "APP_ENV", "production")) + "\n";
    for (const auto& [setting, value] : answers)
        if (!value.empty()) out += fmt::format("{}={}\n", setting, dotenv_text(value));
    out += "\n# Keys. `consentry keys generate` makes new ones.\n";
    for (NewSetting& key : keys) {
        out += fmt::format("{}={}\n{}", key.name, dotenv_text(key.value), key.remark);
        crypto::wipe(key.value);
    }
    return out;
}

// Returns nullopt if an answer is missing or wrong, and has then reported it.
std::optional<std::vector<std::pair<std::string_view, std::string>>> answers_to(const InitOptions& options,
                                                                                const Environment& shipped) {
    std::vector<std::pair<std::string_view, std::string>> out;
    const Environment environment = process_environment();
    bool is_fine = true;
    for (Question question : questions()) {
        question.usual = value_in(shipped, question.setting, question.usual);
        std::string value = question.given == nullptr ? std::string() : options.*question.given;
        const auto variable = environment.find(std::string(question.setting));
        if (value.empty() && variable != environment.end()) value = variable->second;
        const bool asks = value.empty() && !options.yes;
        if (asks) {
            auto answer = ask(question);
            if (!answer) {
                say("\nconsentry: no answer; nothing was written\n");
                return std::nullopt;
            }
            value = std::move(*answer);
        } else if (value.empty()) {
            value = question.usual;
        }
        const auto trouble = value.empty() ? std::nullopt : trouble_with(question.setting, value);
        if (trouble || (value.empty() && question.is_required)) {
            say("{}: {}\n", question.setting, trouble.value_or("must be set"));
            is_fine = false;
        }
        out.emplace_back(question.setting, std::move(value));
    }
    if (is_fine) return out;
    return std::nullopt;
}

// Returns nullopt if the folder of the data has keys that cannot be read, or lacks some, and has then reported it.
std::optional<InstallationKeys> keys_for(const fs::path& data_folder, const std::string& database_url) {
    try {
        const ReadAsOwnerOf owner(data_folder);
        return keys_of_installation(data_folder, database_url);
    } catch (const std::exception& error) {
        say("consentry: {}; nothing was written\n", sentence_of(error));
        return std::nullopt;
    }
}

std::string answer_to(const std::vector<std::pair<std::string_view, std::string>>& answers, std::string_view setting) {
    return std::ranges::find(answers, setting, [](const auto& one) { return one.first; })->second;
}

// sudo drops variables that are not named to it: the usual values would then go unnoticed.
void say_what_is_used(const Config& config) {
    const std::string& database = config.database.url;
    const std::string& cache = config.cache.url;
    const auto mails = folder_of_url(config.mail.url);
    say("  Database: {}\n"
        "  Cache: {}\n"
        "  Emails: {}\n",
        database.empty() ? "the SQLite file " + config.database.file.string() : mask_url_password(database),
        cache.empty() ? "in memory, for a single instance" : mask_url_password(cache),
        mails ? fmt::format("written to files in {}, not sent", mails->string()) : mask_url_password(config.mail.url));
}

void say_what_next(const fs::path& file, const Config& config) {
    const std::string program = "consentry" + settings_file_option();
    say("Wrote {}. Keep a copy of it in a safe place, because the keys in it cannot be recreated.\n", file.string());
    say_what_is_used(config);
    say("\nNext:\n"
        "  {} config check     # would the service start?\n",
        program);
    if (usual_data_folder().is_absolute() && is_usual_settings_file())
        say("  systemctl enable --now consentry\n");
    else
        say("  {} serve            # in this folder\n", program);
    say("  {0} user create --email you@example.org --role superAdmin\n"
        "  {0} doctor           # what is missing, slow or insecure?\n\n"
        "Configure a proxy with TLS to forward {1} to {2}:{3}.\n",
        program, config.app.public_url, config.http.host, config.http.port);
}

}  // namespace

int init(const InitOptions& options) {
    const fs::path file = settings_file();
    const auto shipped = shipped_settings(file);
    if (!shipped) return wrong_use;
    if (!options.yes && !is_terminal(stdin)) {
        say("consentry: standard input is not a terminal; give the settings as options, and add --yes\n");
        return wrong_use;
    }
    const auto answers = answers_to(options, *shipped);
    if (!answers) return wrong_use;
    const fs::path data_folder = answer_to(*answers, "DATA_DIR");
    auto keys = keys_for(data_folder, answer_to(*answers, "DATABASE_URL"));
    if (!keys) return wrong_use;
    std::string text = file_text(*shipped, *answers, std::move(keys->settings));
    const auto settings = parse_dotenv(text);
    if (!settings) throw std::logic_error("init wrote settings that cannot be read");
    const auto config = read_config(*settings);
    if (!config) {
        for (const ConfigProblem& problem : config.error()) say("{}: {}\n", problem.setting, problem.text);
        say("Nothing was written.\n");
        return wrong_use;
    }
    const bool is_written = write_settings(file, text);
    crypto::wipe(text);
    if (!is_written) {
        say_exists(file);
        return wrong_use;
    }
    for (const auto& found : {warnings(*config, *settings), unit_warnings(*config)})
        for (const ConfigProblem& warning : found) say("warning: {}: {}\n", warning.setting, warning.text);
    if (!keys->taken_over.empty())
        say("Took over the keys in {} for {}. What was made with them continues to work.\n",
            (data_folder / "keys").string(), listed(keys->taken_over));
    say_what_next(file, *config);
    return 0;
}

}  // namespace consentry
