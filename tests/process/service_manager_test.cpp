// What the service and a service manager tell each other: systemd's protocols, without systemd.
#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <poll.h>

#include "process/account.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::AnyOf;

// The socket on which a service manager listens.
class Manager {
public:
    explicit Manager(const std::filesystem::path& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
        if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("bind");
    }
    ~Manager() { ::close(socket_); }
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;

    std::string next() const {
        pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, 20'000) != 1) return "nothing";
        std::array<char, 256> bytes{};
        const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
        return {bytes.data(), static_cast<std::size_t>(count)};
    }

private:
    const int socket_;
};

TEST(ServiceManager, HearsOfTheStartOfLifeAndOfTheEnd) {
    const TempFolder folder;
    const Manager manager(folder / "notify");
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
    ~PassedSocket() { ::close(socket_); }
    PassedSocket(const PassedSocket&) = delete;
    PassedSocket& operator=(const PassedSocket&) = delete;

    std::uint16_t port() const { return port_; }
    pid_t start(const std::filesystem::path& folder, int passed = 1) const {
        Settings settings = quick_settings({{"LISTEN_FDS", std::to_string(passed)}});
        const pid_t pid = ::fork();
        if (pid != 0) return pid;
        settings["LISTEN_PID"] = std::to_string(::getpid());
        std::vector<std::string> variables;
        for (const auto& [name, value] : settings) variables.push_back(name + "=" + value);
        std::vector<char*> environment;
        for (std::string& variable : variables) environment.push_back(variable.data());
        environment.push_back(nullptr);
        std::array<char*, 3> arguments{const_cast<char*>(CONSENTRY_PROGRAM), const_cast<char*>("serve"), nullptr};
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

TEST(ServiceManager, NoConnectionIsLostOverRestarts) {
    const TempFolder folder;
    make_data(folder.path());
    const PassedSocket socket;
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
    for (int i = 0; i < 10; ++i) {
        const std::int64_t before = answered;
        const pid_t pid = socket.start(folder.path());
        while (answered < before + 50) std::this_thread::yield();
        EXPECT_EQ(PassedSocket::end(pid), 0);
    }
    const pid_t last = socket.start(folder.path());
    const std::int64_t before = answered;
    while (answered < before + 50) std::this_thread::yield();
    stop = true;
    clients.clear();
    EXPECT_EQ(PassedSocket::end(last), 0);
    EXPECT_EQ(lost, 0);
    EXPECT_GE(answered, 550);
}

// The unit of the package is the one that docs and scripts name.
TEST(ServiceUnit, LeavesLittleToAnAttacker) {
    const auto seen =
        run_command({"systemd-analyze", "--offline=true", "--threshold=13", "--no-pager", "security", CONSENTRY_UNIT});
    EXPECT_EQ(seen.code, 0) << "the exposure is above 1.3:\n" << seen.out << seen.err;
    EXPECT_THAT(seen.out, ::testing::HasSubstr("Overall exposure level"));
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
