// Libraries that only some installations use are loaded when a setting asks for them, and their absence is told.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<std::string> on_demand{"libpq.so.5", "libcurl.so.4"};

// A folder with files that bear the libraries' names and are none: the loader finds them first, and refuses them.
class WithoutLibraries {
public:
    WithoutLibraries() {
        for (const std::string& name : on_demand) std::ofstream(folder_ / name) << "not a library\n";
    }
    Settings settings(Settings more = {}) const {
        more.emplace("LD_LIBRARY_PATH", folder_.path().string());
        return quick_settings(std::move(more));
    }

private:
    TempFolder folder_;
};

// Expects that `serve` and `config check` say the same about a library that a setting needs.
void expect_said(const Settings& settings, const std::string& setting, const std::string& library,
                 const std::string& package) {
    const WithoutLibraries machine;
    const TempFolder folder;
    const auto said = AllOf(HasSubstr(setting + ": "), HasSubstr(library + " cannot be loaded"),
                            HasSubstr("install the Debian package " + package + "\n"));
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"serve"}, std::vector<std::string>{"config", "check"}}) {
        const Finished ended = run_program(command, folder.path(), machine.settings(settings));
        EXPECT_NE(ended.code, 0) << command.front();
        EXPECT_THAT(ended.err, said) << command.front();
    }
}

// libpq and libcurl bring along Kerberos, LDAP and GnuTLS, of which nothing is ever called.
TEST(Libraries, AnEmbeddedServiceMapsNeitherLibpqNorLibcurlNorWhatComesWithThem) {
    const TempFolder folder;
    ServiceProcess service(folder.path());
    EXPECT_EQ(service.client().get("/api/health").status, 200U);
    const std::string maps = text_in("/proc/" + std::to_string(service.program().pid()) + "/maps");
    ASSERT_THAT(maps, HasSubstr("libsqlite3.so")) << "the mappings could be read";
    for (const std::string& library : {"libpq", "libcurl", "libgssapi", "libgnutls", "libldap", "libssh2"})
        EXPECT_FALSE(maps.contains("/" + library)) << library;
}

TEST(Libraries, AnEmbeddedServiceStartsWithoutThem) {
    const WithoutLibraries machine;
    const TempFolder folder;
    ServiceProcess service(folder.path(), machine.settings());
    EXPECT_EQ(service.client().get("/api/health").status, 200U);
    EXPECT_EQ(service.stop().code, 0);
}

TEST(Libraries, AMissingLibpqIsSaidBeforeTheStart) {
    expect_said({{"DATABASE_URL", "postgresql://consentry@127.0.0.1:1/consentry"}}, "DATABASE_URL", "libpq.so.5",
                "libpq5");
}

TEST(Libraries, AMissingLibcurlIsSaidBeforeTheStart) {
    expect_said({{"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}}, "MAIL_URL", "libcurl.so.4", "libcurl4");
}

TEST(Libraries, AServiceThatSendsMailsLoadsLibcurlBeforeItListens) {
    const TempFolder folder;
    ServiceProcess service(folder.path(), quick_settings({{"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}}));
    const std::string maps = text_in("/proc/" + std::to_string(service.program().pid()) + "/maps");
    EXPECT_THAT(maps, HasSubstr("/libcurl.so.4"));
    EXPECT_FALSE(maps.contains("/libpq.so")) << "no setting asks for PostgreSQL";
}

}  // namespace
}  // namespace consentry::tests
