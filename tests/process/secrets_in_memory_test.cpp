// What of a user's secrets can be read from the memory of the program, while it runs and after it crashed.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "crypto/random.hpp"
#include "tests/process/core_dump.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/instrumented.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::IsEmpty;

std::string random_password(std::size_t size) { return "Zq7-" + crypto::random_text(size - 4, crypto::alphanumerics); }

// Those of `texts` that the writable memory of a process contains. Throws if this memory cannot be read.
std::set<std::string> found_in(pid_t pid, const std::vector<std::string>& texts) {
    const std::string process = "/proc/" + std::to_string(pid);
    std::ifstream memory(process + "/mem", std::ios::binary);
    std::ifstream mappings(process + "/maps");
    if (!memory || !mappings) throw std::runtime_error("cannot read the memory of the process");
    std::set<std::string> out;
    for (std::string line; std::getline(mappings, line);) {
        std::istringstream words(line);
        std::uintptr_t from = 0;
        std::uintptr_t to = 0;
        char dash = 0;
        std::string rights;
        words >> std::hex >> from >> dash >> to >> rights;
        if (!rights.starts_with("rw")) continue;
        std::string content(to - from, '\0');
        memory.clear();
        memory.seekg(static_cast<std::streamoff>(from));
        memory.read(content.data(), static_cast<std::streamsize>(content.size()));  // fails if it was just unmapped
        for (const std::string& text : texts)
            if (content.contains(text)) out.insert(text);
    }
    return out;
}

Answer send_password(const HttpClient& client, const std::string& email, const std::string& password,
                     std::string_view end = "\"}") {
    const std::string body =
        R"({"from":"website","email":")" + email + R"(","password":")" + password + std::string(end);
    return client.call("POST", "/api/public/user/login/credential", body, {{"Content-Type", "application/json"}});
}

TEST(LOG_7, NoPasswordIsKeptInMemory) {
    if (instrumented) GTEST_SKIP() << "sanitizers keep what is freed, and map too much to read";
    const TempFolder folder;
    const std::string control = "Service-" + crypto::random_text(20, crypto::alphanumerics);
    // Freed memory that a thread caches keeps its content the longest.
    const Settings settings =
        quick_settings({{"APP_NAME", control}, {"GLIBC_TUNABLES", "glibc.malloc.tcache_count=200"}});
    make_data(folder.path(), settings);
    const std::string email = "ada@example.org";
    const std::string right = random_password(40);
    ASSERT_EQ(
        run_program({"user", "create", "--email", email, "--role", "user"}, folder.path(), settings, right + "\n").code,
        0);
    ServiceProcess service(folder.path(), settings);
    const pid_t pid = service.program().pid();
    try {
        ASSERT_EQ(found_in(pid, {control}), std::set<std::string>{control});
    } catch (const std::runtime_error& error) {
        GTEST_SKIP() << error.what();
    }

    // A part of a password counts as well.
    const auto end_of = [](const std::string& password) { return password.substr(password.size() - 11); };
    std::vector<std::string> ends{end_of(right)};
    // Strings hold up to 15 characters themselves, and longer texts in memory of their own.
    const auto another = [&](std::size_t size = 40) {
        std::string password = random_password(size);
        ends.push_back(end_of(password));
        return password;
    };
    const HttpClient client = service.client();
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(send_password(client, email, right).status, 200U);
        EXPECT_EQ(send_password(client, email, another()).status, 400U);
        EXPECT_EQ(send_password(client, "short@example.org", another(15)).status, 400U);
        EXPECT_EQ(send_password(client, "nobody@example.org", another()).status, 400U);
        EXPECT_EQ(send_password(client, email, another(), "\"").status, 400U) << "broken JSON";
        EXPECT_EQ(send_password(client, email, another(), R"(","x":1})").status, 422U);
    }
    // What a connection received is wiped when it has ended, which may come after the answer.
    std::set<std::string> found;
    eventually([&] { return (found = found_in(pid, ends)).empty(); });
    EXPECT_THAT(found, IsEmpty());
}

TEST(LOG_7, ACrashOfTheServiceLeavesNoCore) {
    const CoresAllowed allowed;
    const TempFolder local;
    ServiceProcess on_a_desk(local.path());
    if (!dumps_core(on_a_desk.program())) GTEST_SKIP() << "this machine or build writes no cores at all";
    const TempFolder folder;
    ServiceProcess service(folder.path(), production_settings());
    EXPECT_FALSE(dumps_core(service.program()));
    EXPECT_FALSE(std::filesystem::exists(folder / "core"));
}

}  // namespace
}  // namespace consentry::tests
