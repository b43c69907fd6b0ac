#include "app/commands/settings_file.hpp"

#include <cerrno>
#include <optional>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include <grp.h>
#include <pwd.h>

namespace consentry {
namespace {

#ifdef CONSENTRY_SETTINGS_FILE
constexpr const char* usual_file = CONSENTRY_SETTINGS_FILE;
constexpr const char* usual_data = "/var/lib/consentry";
#else
constexpr const char* usual_file = ".env";
constexpr const char* usual_data = "./data";
#endif

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
bool settings_file_is_chosen() { return chosen().has_value(); }

std::filesystem::path usual_data_folder() { return usual_data; }

void act_as_owner_of_data(const Config& config) {
    struct stat facts{};
    if (geteuid() != 0 || stat(config.data.directory.c_str(), &facts) != 0 || facts.st_uid == 0) return;
    const passwd* account = getpwuid(facts.st_uid);
    // The group before the user: afterwards nobody may change it any more.
    require(account != nullptr ? initgroups(account->pw_name, facts.st_gid) : setgroups(0, nullptr));
    require(setgid(facts.st_gid));
    require(setuid(facts.st_uid));
}

}  // namespace consentry
