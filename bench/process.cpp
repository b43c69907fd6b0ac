#include "process.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/whole_file.hpp"

namespace consentry::bench {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

double cpu_seconds_of(pid_t pid) {
    // Nanoseconds, where /proc/<pid>/stat counts hundredths.
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// In hundredths of a second: the kernel keeps no more of them.
double cpu_seconds_of_ended_children(pid_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(in, line);
    std::istringstream fields(line.substr(line.rfind(')') + 1));  // the name before it may hold anything
    const std::vector<std::string> all{std::istream_iterator<std::string>(fields), {}};
    constexpr std::size_t user = 13;  // cutime, the 16th field in proc(5); the state is the third
    constexpr std::size_t system = 14;
    if (all.size() <= system) return 0;
    return (std::stod(all[user]) + std::stod(all[system])) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::vector<pid_t> children_of(pid_t pid) {
    const std::string id = std::to_string(pid);
    std::ifstream in("/proc/" + id + "/task/" + id + "/children");
    return {std::istream_iterator<pid_t>(in), {}};
}

sockaddr_in local_address(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
             std::filesystem::path log, const std::filesystem::path& folder)
    : log_(std::move(log)) {
    std::vector<std::string> variables;
    variables.reserve(environment.size());
    for (const auto& [name, value] : environment) variables.push_back(fmt::format("{}={}", name, value));
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    std::vector<char*> settings;
    settings.reserve(variables.size() + 1);
    for (const std::string& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
    for (const std::string& one : variables) settings.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    settings.push_back(nullptr);
    const int output = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0) fail("the log of a child");
    pid_ = fork();
    if (pid_ < 0) fail("fork");
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        if (chdir(folder.c_str()) != 0) _exit(127);
        execve(arguments[0], arguments.data(), settings.data());
        _exit(127);
    }
    close(output);
}

Child::~Child() {
    if (pid_ < 0) return;
    if (std::uncaught_exceptions() > 0) tell_of_failure();
    kill(pid_, SIGTERM);
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (waitpid(pid_, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) kill(pid_, SIGKILL);
        std::this_thread::sleep_for(1ms);
    }
}

void Child::wait_for_success() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid");
    pid_ = -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("a command failed: " + log_text());
}

void Child::tell_of_failure() const {
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    const bool is_over = ended.si_pid == pid_;
    fmt::print(stderr, "bench: {}, {}:\n{}\n", log_.stem().string(),
               is_over ? fmt::format("ended with {}", ended.si_status) : "still running", log_text());
}

std::string Child::log_text() const { return read_whole_file(log_).value_or(""); }

void Child::wait_for_port(std::uint16_t port, std::chrono::seconds patience) const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        if (const int socket = connect_to(port); socket >= 0) {
            close(socket);
            return;
        }
        siginfo_t ended{};
        waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
        if (ended.si_pid == pid_ || std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("a server did not start: " + log_text());
        std::this_thread::sleep_for(100us);
    }
}

double cpu_seconds_with_children(pid_t pid) {
    double sum = cpu_seconds_of(pid) + cpu_seconds_of_ended_children(pid);
    for (const pid_t worker : children_of(pid)) sum += cpu_seconds_of(worker);
    return sum;
}

double Child::cpu_seconds() const { return cpu_seconds_with_children(pid_); }

double Child::memory_mib() const {
    std::ifstream in("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    return 0;
}

std::uint16_t free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) fail("socket");
    sockaddr_in address = local_address(0);
    socklen_t size = sizeof(address);
    if (bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        fail("a free port");
    close(socket);
    return ntohs(address.sin_port);
}

int connect_to(std::uint16_t port, int receive_buffer_bytes) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) fail("socket");
    // Before it is connected: the window that the peer sees depends on it.
    if (receive_buffer_bytes > 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    const sockaddr_in address = local_address(port);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        close(socket);
        return -1;
    }
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return socket;
}

std::size_t raise_file_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

}  // namespace consentry::bench
