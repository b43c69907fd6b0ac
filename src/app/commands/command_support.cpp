#include "app/commands/command_support.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/commands/settings_file.hpp"
#include "app/commands/settings_loader.hpp"
#include "app/engines.hpp"
#include "app/missing_keys.hpp"
#include "app/terminal/terminal.hpp"
#include "base/email_address.hpp"
#include "base/error_text.hpp"
#include "base/place_faults.hpp"
#include "base/standard_error.hpp"
#include "base/wrong_settings.hpp"

namespace consentry {

asio::io_context& command_context() {
    static asio::io_context context(1);
    return context;
}

namespace {

bool has_tables(const Config& config) {
    try {
        return has_schema(config);
    } catch (const std::exception&) {
        // Why a file cannot be read, the command finds out when it opens it.
        if (config.database.url.empty()) return true;
        throw_as_fault_of("DATABASE_URL");
    }
}

}  // namespace

bool has_data(const Config& config) {
    std::error_code error;
    const bool is_embedded = config.database.url.empty();
    const std::filesystem::path place = is_embedded ? config.database.file : config.data.directory;
    if (std::filesystem::exists(place, error)) {
        if (has_tables(config)) return true;
        say("consentry: the database has no tables of Consentry. Check {}. For a new installation, start with "
            "`consentry{} serve` or `consentry{} migrate`; to restore a backup, do so first.\n",
            is_embedded ? "DATA_DIR or DATABASE_URL" : "DATABASE_URL", settings_file_option(), settings_file_option());
        return false;
    }
    const auto name = std::filesystem::absolute(place, error).lexically_normal().string();
    say("consentry: the {} {} does not exist. Run this command in the working directory of the service, or set "
        "{}. For a new installation, start with `consentry{} serve` or `consentry{} migrate`.\n",
        is_embedded ? "database" : "data folder", name, is_embedded ? "DATA_DIR or DATABASE_URL" : "DATA_DIR",
        settings_file_option(), settings_file_option());
    return false;
}

std::unique_ptr<Services> open_services(const Clock& clock, std::optional<milliseconds> statement_time) {
    auto config = load_config();
    if (!config || !has_data(*config)) return nullptr;
    require_keys(*config);
    if (statement_time) config->database.timeout = *statement_time;
    return std::make_unique<Services>(*config, clock, [] {
        // The running service may be of that version.
        throw WrongSettings(
            fmt::format("the schema of the database is that of an earlier version. Make a backup, then start this "
                        "version or run `consentry{} migrate`.",
                        settings_file_option()));
    });
}

namespace {

// Returns nullopt if there is no such account, and has then reported it.
std::optional<User> find_account(Services& services, const AccountChoice& choice) {
    std::optional<User> user;
    if (!choice.id.empty()) {
        if (const auto id = UserId::parse(choice.id)) user = run(services.users.find(*id));
        if (!user) say("consentry: no account has this ID\n");
        return user;
    }
    if (auto canonical = canonical_email(choice.email)) user = run(services.users.find_by_email(std::move(*canonical)));
    if (!user) say("consentry: no account has this email address\n");
    return user;
}

}  // namespace

int with_account(const AccountChoice& choice, const std::function<int(Services&, User)>& work) {
    if (choice.email.empty() == choice.id.empty()) {
        say("consentry: name the account with either --email or --id\n");
        return wrong_use;
    }
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    auto user = find_account(*services, choice);
    return user ? work(*services, std::move(*user)) : failed;
}

int confirm(const std::string& question, const std::string& wanted, std::string_view option) {
    if (!is_terminal(stdin)) {
        say("consentry: add {} to confirm; nothing was changed\n", option);
        return wrong_use;
    }
    say("{} ", question);
    std::string answer;
    std::getline(std::cin, answer);
    if (answer == wanted) return 0;
    say("consentry: not confirmed; nothing was changed\n");
    return failed;
}

std::filesystem::path place_of_file(const std::filesystem::path& name) {
    struct stat facts{};
    if (::lstat(name.c_str(), &facts) != 0) return name;  // free, or NewFile says why it cannot be used
    const bool is_link = S_ISLNK(facts.st_mode);
    // The kernel follows the link, and in a folder of all users, it does not follow that of another user.
    const int target = ::open(name.c_str(), O_PATH | O_CLOEXEC);
    std::filesystem::path place = name;
    std::error_code error;
    if (target < 0 || ::fstat(target, &facts) != 0) error = {errno, std::generic_category()};
    if (!error && is_link) place = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", target), error);
    if (target >= 0) ::close(target);
    if (error) throw WrongSettings(fmt::format("{}: {}", name.string(), error.message()));
    if (S_ISDIR(facts.st_mode)) throw WrongSettings(fmt::format("{} is a folder", name.string()));
    if (!S_ISREG(facts.st_mode)) throw WrongSettings(fmt::format("{} is not a regular file", name.string()));
    return place;
}

NewFile begin_file(const std::string& path) {
    // Anything but a file would be refused only when the file is complete, or not at all.
    const std::filesystem::path place = place_of_file(path);
    try {
        return NewFile(place);
    } catch (const std::system_error& refusal) {
        if (!is_fault_of_place(refusal.code())) throw;
        throw WrongSettings(sentence_of(refusal));
    }
}

CallersFile::CallersFile(const std::string& path) : file_(begin_file(path)) { keep_way_back(); }
CallersFile::~CallersFile() { at_end_.emplace(); }
void CallersFile::replace() {
    const ActAsCaller again;
    file_.replace();
}

int tell(const Services& services, const Error& error) {
    for (const Violation& violation : error.violations())
        say("consentry: {}\n",
            services.locales.text(Language::en, "request.error." + violation.key, violation.placeholders));
    if (error.violations().empty())
        say("consentry: {}\n", services.locales.text(Language::en, error.message_key(), error.data()));
    return failed;
}

}  // namespace consentry
