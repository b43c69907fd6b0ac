// What the service and a service manager tell each other: systemd's protocols, without systemd.
#include "tests/support/service_manager.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "storage/sqlite/connection.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wanted.hpp"

namespace consentry::tests {
namespace {

using ::testing::AnyOf;

TEST(ServiceManager, HearsOfTheStartOfLifeAndOfTheEnd) {
    const TempFolder folder;
    const ServiceManager manager(folder / "notify");
    ServiceProcess service(
        folder.path(), quick_settings({{"NOTIFY_SOCKET", (folder / "notify").string()}, {"WATCHDOG_USEC", "200000"}}));
    EXPECT_EQ(manager.next(), "READY=1");
    EXPECT_EQ(service.client().get("/api/health/ready").status, 200U);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(manager.next(), "WATCHDOG=1");
    EXPECT_EQ(service.stop().code, 0);
    std::string last = manager.next();
    while (last == "WATCHDOG=1") last = manager.next();
    EXPECT_EQ(last, "STOPPING=1");
}

TEST(ServiceManager, AManagerThatIsGoneConcernsNobody) {
    const TempFolder folder;
    ServiceProcess service(folder.path(), quick_settings({{"NOTIFY_SOCKET", (folder / "nobody").string()},
                                                          {"WATCHDOG_USEC", "not a number"}}));
    EXPECT_EQ(service.client().get("/api/health/ready").status, 200U);
    EXPECT_EQ(service.stop().code, 0);
}

// The socket stays open while one service ends and the next one starts, as systemd's socket units keep it.
class PassedSocket {
public:
    PassedSocket() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(socket_, 4096) != 0 ||
            ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            throw std::runtime_error("listen");
        port_ = ntohs(address.sin_port);
    }
    ~PassedSocket() { close(); }
    PassedSocket(const PassedSocket&) = delete;
    PassedSocket& operator=(const PassedSocket&) = delete;

    std::uint16_t port() const { return port_; }
    // Connections that wait are reset.
    void close() {
        if (socket_ >= 0) ::close(socket_);
        socket_ = -1;
    }
    pid_t start(const std::filesystem::path& folder, int passed = 1, const char* standard_error = nullptr) const {
        Settings settings =
            quick_settings({{"LISTEN_FDS", std::to_string(passed)}, {"HTTP_PORT", std::to_string(port_)}});
        const pid_t pid = ::fork();
        if (pid != 0) return pid;
        settings["LISTEN_PID"] = std::to_string(::getpid());
        std::vector<std::string> variables;
        for (const auto& [name, value] : settings) variables.push_back(name + "=" + value);
        std::vector<char*> environment;
        for (std::string& variable : variables) environment.push_back(variable.data());
        environment.push_back(nullptr);
        std::array<char*, 3> arguments{const_cast<char*>(CONSENTRY_PROGRAM), const_cast<char*>("serve"), nullptr};
        if (standard_error != nullptr && ::dup2(::open(standard_error, O_WRONLY), STDERR_FILENO) < 0) ::_exit(127);
        if (socket_ == 3) ::fcntl(3, F_SETFD, 0);
        if (::dup2(socket_, 3) == 3 && ::chdir(folder.c_str()) == 0)
            ::execve(CONSENTRY_PROGRAM, arguments.data(), environment.data());
        ::_exit(127);
    }
    static int end(pid_t pid) {
        ::kill(pid, SIGTERM);
        int status = 0;
        ::waitpid(pid, &status, 0);
        return status;
    }

private:
    int socket_;
    std::uint16_t port_ = 0;
};

// CONSENTRY_RESTARTS=100 CONSENTRY_CONNECTIONS=1000 make it a measurement.
TEST(ServiceManager, NoConnectionIsLostOverRestarts) {
    const TempFolder folder;
    make_data(folder.path());
    PassedSocket socket;
    std::atomic<bool> stop = false;
    std::atomic<std::int64_t> answered = 0;
    std::atomic<std::int64_t> lost = 0;
    std::vector<std::jthread> clients;
    for (int i = 0; i < 4; ++i)
        clients.emplace_back([&] {
            while (!stop) {
                try {
                    // A connection of its own: one that waits for its next request may be closed at any time.
                    const bool well = HttpClient(socket.port()).get("/api/health/live").status == 200U;
                    ++(well ? answered : lost);
                } catch (const std::exception&) {
                    ++lost;
                }
            }
        });
    const std::int64_t restarts = wanted("CONSENTRY_RESTARTS", 10);
    const std::int64_t connections = wanted("CONSENTRY_CONNECTIONS", 50);
    bool has_ended = false;
    for (std::int64_t i = 0; i <= restarts && !has_ended; ++i) {
        const std::int64_t before = answered;
        const pid_t pid = socket.start(folder.path());
        has_ended = pid <= 0;
        int status = 0;
        while (answered < before + connections && !has_ended) {
            std::this_thread::yield();
            has_ended = ::waitpid(pid, &status, WNOHANG) == pid;
        }
        EXPECT_FALSE(has_ended) << "a service ends by itself, with status " << status;
        stop = i == restarts || has_ended;
        if (has_ended) socket.close();
        if (stop) clients.clear();
        if (!has_ended) EXPECT_EQ(PassedSocket::end(pid), 0);
    }
    EXPECT_EQ(lost, 0);
    EXPECT_GE(answered, (restarts + 1) * connections);
    std::cout << answered << " connections over " << restarts << " restarts, " << lost << " lost\n";
}

TEST(ServiceManager, AnUpgradeDoesNotMistakeThePassedSocketForAnotherService) {
    const TempFolder folder;
    make_data(folder.path());
    take_back_newest_migration(folder / "data/consentry.db");
    const PassedSocket socket;
    const pid_t pid = socket.start(folder.path());
    EXPECT_EQ(HttpClient(socket.port()).get("/api/health/live").status, 200U);
    EXPECT_EQ(PassedSocket::end(pid), 0);
}

// Whether a process has the file open.
bool holds(pid_t pid, const std::filesystem::path& file) {
    std::error_code gone;
    for (const auto& one : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", gone))
        if (std::filesystem::read_symlink(one, gone) == file) return true;
    return false;
}

// Regression: a service that waited for the upgrade of another one noticed no signal, upgraded the database itself and
// only then ended.
TEST(ServiceManager, ASignalDuringTheStartEndsItAtOnce) {
    for (const int signal : {SIGTERM, SIGINT}) {
        const TempFolder folder;
        const std::filesystem::path database = std::filesystem::canonical(folder.path()) / "data/consentry.db";
        make_data(folder.path());
        take_back_newest_migration(database);
        const auto before = run_sql(database, "SELECT max(number) FROM schema_migrations");
        storage::sqlite::Connection other({.file = database});
        other.run("BEGIN IMMEDIATE");
        Program service({"serve"}, folder.path(), quick_settings());
        ASSERT_TRUE(eventually([&] { return holds(service.pid(), database); }));
        service.send(signal);
        const ExitStatus ended = service.wait(std::chrono::seconds{20});
        EXPECT_EQ(ended.signal, signal);
        other.run("ROLLBACK");
        EXPECT_EQ(run_sql(database, "SELECT max(number) FROM schema_migrations"), before);
    }
}

// Regression: systemd ended each upgrade of the schema after ten minutes, and started the next one, without an end.
TEST(ServiceManager, HearsThatAnUpgradeNeedsMoreTime) {
    const TempFolder folder;
    make_data(folder.path());
    take_back_newest_migration(folder / "data/consentry.db");
    storage::sqlite::Connection other({.file = folder / "data/consentry.db"});
    other.run("BEGIN IMMEDIATE");
    const ServiceManager manager(folder / "notify");
    Program service({"serve"}, folder.path(),
                    quick_settings({{"NOTIFY_SOCKET", (folder / "notify").string()}, {"WATCHDOG_USEC", "200000"}}));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(manager.next(), "EXTEND_TIMEOUT_USEC=400000");
    other.run("ROLLBACK");
    std::string later = manager.next();
    while (later.starts_with("EXTEND_TIMEOUT_USEC=")) later = manager.next();
    EXPECT_EQ(later, "READY=1");
    EXPECT_EQ(manager.next(), "WATCHDOG=1");
    service.send(SIGTERM);
    EXPECT_EQ(service.wait(std::chrono::seconds{20}).code, 0);
}

TEST(ServiceManager, AStandardErrorThatTakesNothingStopsNoService) {
    const TempFolder folder;
    make_data(folder.path());
    PassedSocket socket;
    const pid_t pid = socket.start(folder.path(), 1, "/dev/full");
    socket.close();  // if the service ends, the connection is refused instead of waiting
    EXPECT_EQ(HttpClient(socket.port()).get("/api/health").status, 200U);
    EXPECT_EQ(PassedSocket::end(pid), 0);
}

// The unit of the package is the one that docs and scripts name.
TEST(ServiceUnit, LeavesLittleToAnAttacker) {
    const auto seen =
        run_command({"systemd-analyze", "--offline=true", "--threshold=13", "--no-pager", "security", CONSENTRY_UNIT});
    EXPECT_EQ(seen.code, 0) << "the exposure is above 1.3:\n" << seen.out << seen.err;
    EXPECT_THAT(seen.out, ::testing::HasSubstr("Overall exposure level"));
}

// systemd ignores what it does not understand, and says so.
TEST(ServiceUnit, UnitAndSocketAreReadWithoutComplaint) {
    const TempFolder folder;
    const std::filesystem::path unit = CONSENTRY_UNIT;
    std::filesystem::path socket = unit;
    socket.replace_extension(".socket");
    std::filesystem::copy_file(socket, folder / "consentry.socket");
    // The program is not installed where the unit expects it.
    const auto copied = run_command({"sed", "s|/usr/bin/consentry|" CONSENTRY_PROGRAM "|", unit.string()});
    std::ofstream(folder / "consentry.service") << copied.out;
    const auto seen = run_command({"systemd-analyze", "verify", "--man=no", (folder / "consentry.service").string(),
                                   (folder / "consentry.socket").string()});
    EXPECT_EQ(seen.code, 0);
    EXPECT_EQ(seen.out + seen.err, "");
}

// Systemd gives up after some starts in quick succession, unless the unit says otherwise.
TEST(ServiceUnit, StartsAgainUntilTheDatabaseAnswers) {
    std::ifstream file(CONSENTRY_UNIT);
    std::string section;
    std::vector<std::string> settings;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('[')) section = line;
        settings.push_back(section + line);
    }
    EXPECT_THAT(settings, ::testing::IsSupersetOf({"[Unit]StartLimitIntervalSec=0", "[Service]Restart=on-failure"}));
}

}  // namespace
}  // namespace consentry::tests
