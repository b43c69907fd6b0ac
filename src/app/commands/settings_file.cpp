#include "app/commands/settings_file.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/algorithm/string/replace.hpp>
#include <grp.h>
#include <pwd.h>

#include "app/config/values.hpp"
#include "base/ascii.hpp"
#include "base/folder_of.hpp"

namespace consentry {
namespace {

#ifdef CONSENTRY_SETTINGS_FILE
constexpr const char* usual_file = CONSENTRY_SETTINGS_FILE;
constexpr const char* usual_data = "/var/lib/consentry";
constexpr const char* service_account = "consentry";  // User= of the unit
#else
constexpr const char* usual_file = ".env";
constexpr const char* usual_data = "./data";
constexpr const char* service_account = "";  // the program is not packaged
#endif

// Whether the unit of the package runs the service: not in a container.
bool is_run_by_unit() {
    std::error_code error;
    return *service_account != '\0' && std::filesystem::exists("/run/systemd/system", error);
}

struct DataOwner {
    Owner ids;
    const passwd* account;  // null if no account has this number
};

DataOwner data_owner(const struct stat& facts) {
    if (facts.st_uid != 0) return {{.user = facts.st_uid, .group = facts.st_gid}, getpwuid(facts.st_uid)};
    if (const passwd* account = is_run_by_unit() ? getpwnam(service_account) : nullptr; account != nullptr)
        return {{.user = account->pw_uid, .group = account->pw_gid}, account};
    return {{.user = 0, .group = facts.st_gid}, nullptr};
}

bool keeps_way_back = false;

std::optional<std::filesystem::path>& chosen() {
    static std::optional<std::filesystem::path> file;
    return file;
}

void require(int result) {
    if (result != 0)
        throw std::system_error(errno, std::generic_category(), "cannot act as the owner of the data folder");
}

}  // namespace

std::filesystem::path settings_file() { return chosen().value_or(usual_file); }
void choose_settings_file(std::filesystem::path file) { chosen() = std::move(file); }
bool chosen_settings_file_is_missing() {
    std::error_code error;
    return chosen() && !std::filesystem::exists(*chosen(), error);
}

bool is_usual_settings_file() { return settings_file() == usual_file; }

std::string settings_file_option() {
    if (is_usual_settings_file()) return {};
    const auto is_plain = [](char c) { return is_alphanumeric(c) || std::string_view("_-./").contains(c); };
    std::string file = settings_file().string();
    if (!std::ranges::all_of(file, is_plain)) {
        boost::algorithm::replace_all(file, "'", R"('\'')");
        file = "'" + file + "'";
    }
    return " --env-file " + file;
}

std::filesystem::path usual_data_folder() { return usual_data; }

void act_as_owner_of_data(const Config& config) {
    struct stat facts{};
    if (geteuid() != 0 || stat(config.data.directory.c_str(), &facts) != 0) return;
    const auto [owner, account] = data_owner(facts);
    if (owner.user == 0) return;
    // The group before the user: afterwards the process may no longer change it.
    require(account != nullptr ? initgroups(account->pw_name, owner.group) : setgroups(0, nullptr));
    require(setgid(owner.group));
    require(keeps_way_back ? setresuid(owner.user, owner.user, 0) : setuid(owner.user));
}

Owner owner_in(const std::filesystem::path& folder) {
    std::filesystem::path place = std::filesystem::absolute(folder).lexically_normal();
    struct stat facts{};
    while (stat(place.c_str(), &facts) != 0 && place.has_relative_path()) place = place.parent_path();
    return data_owner(facts).ids;
}

void keep_way_back() { keeps_way_back = true; }

// For this thread alone: another one, such as that of the security events, may create a file of the service meanwhile.
// Has no effect unless root was the caller.
ActAsCaller::ActAsCaller() { setfsuid(keeps_way_back ? 0 : geteuid()); }
ActAsCaller::~ActAsCaller() { setfsuid(geteuid()); }

ReadAsOwnerOf::ReadAsOwnerOf(const std::filesystem::path& folder) {
    struct stat facts{};
    if (geteuid() != 0 || stat(folder.c_str(), &facts) != 0) return;
    setfsgid(facts.st_gid);
    setfsuid(facts.st_uid);
}
ReadAsOwnerOf::~ReadAsOwnerOf() {
    setfsuid(geteuid());
    setfsgid(getegid());
}

std::vector<ConfigProblem> unit_warnings(const Config& config) {
    std::vector<ConfigProblem> out;
    if (!is_run_by_unit()) return out;
    const auto is_below = [](const std::filesystem::path& folder, const std::filesystem::path& other) {
        const auto way = std::filesystem::absolute(folder).lexically_normal().lexically_relative(
            std::filesystem::absolute(other).lexically_normal());
        return !way.empty() && *way.begin() != "..";
    };
    const auto check = [&](std::string_view setting, const std::filesystem::path& folder) {
        if (is_below(folder, usual_data)) return;
        // What lies in the folder of all data needs no line of its own.
        if (setting != "DATA_DIR" && is_below(folder, config.data.directory)) return;
        out.push_back({.setting = std::string(setting),
                       .text = "the service can write below " + std::string(usual_data) +
                               " only, unless a drop-in of its unit has [Service] ReadWritePaths=" + folder.string()});
    };
    check("DATA_DIR", config.data.directory);
    if (config.database.url.empty()) check("DATABASE_URL", folder_of(config.database.file));
    for (const auto& [setting, url] : {std::pair{"STORAGE_URL", &config.storage.url}, {"MAIL_URL", &config.mail.url}})
        if (const auto folder = folder_of_url(*url)) check(setting, *folder);
    return out;
}

}  // namespace consentry
