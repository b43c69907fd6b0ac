#include "tests/support/process.hpp"

#include <array>
#include <charconv>
#include <csignal>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <poll.h>
#include <spawn.h>

#include "tests/support/pointers.hpp"

namespace consentry::tests {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Pipe {
    int read = -1;
    int write = -1;
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
        read = ends[0];
        write = ends[1];
    }
    static void close(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
    ~Pipe() {
        close(read);
        close(write);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
};

// Sanitizers and coverage read their options from the environment; the service's settings do not use these names.
void add_sanitizer_options(std::vector<std::string>& environment) {
    for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE"})
        if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
}

// Appends the available bytes. Returns false at the end of the stream.
bool take(int from, std::string& into) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(from, bytes.data(), bytes.size());
    if (count <= 0) return false;
    into.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
}

}  // namespace

Settings quick_settings(Settings more) {
    more.insert({{"HTTP_HOST", "127.0.0.1"},
                 {"HTTP_PORT", "0"},
                 {"HTTP_THREADS", "2"},
                 {"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "8192"},
                 {"AUTH_PASSWORD_ARGON2_PASSES", "1"},
                 {"LINK_REQUESTS_MAX_PER_CLIENT", "0"},
                 {"THROTTLE_LIMIT", "0"}});  // tests send requests faster than people do
    return more;
}

Program::Program(const char* executable, const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                 const Settings& environment, std::string_view input) {
    Pipe in;
    Pipe out;
    Pipe err;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    // The child must not inherit this process's sockets, which would keep open a port that a test believes closed.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);

    std::vector<std::string> all_arguments{executable};
    all_arguments.insert(all_arguments.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables;
    for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
    add_sanitizer_options(variables);
    const int result = ::posix_spawn(&pid_, executable, &actions, nullptr, pointers_to(all_arguments).data(),
                                     pointers_to(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0)
        throw std::system_error(result, std::generic_category(), std::string("cannot start ") + executable);
    // Not pidfd_open(): glibc 2.36 declares it for C only.
    handle_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (handle_ < 0) fail("pidfd_open");

    // The input fits in the pipe's buffer, so this write cannot block.
    if (!input.empty() && ::write(in.write, input.data(), input.size()) != static_cast<ssize_t>(input.size()))
        fail("write");
    collector_ = std::jthread([this, from_out = std::exchange(out.read, -1), from_err = std::exchange(err.read, -1)] {
        collect(from_out, from_err);
    });
}

Program::~Program() {
    if (!ended_) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    if (handle_ >= 0) ::close(handle_);
}

void Program::collect(int out, int err) {
    std::array<pollfd, 2> sources{
        {{.fd = out, .events = POLLIN, .revents = 0}, {.fd = err, .events = POLLIN, .revents = 0}}};
    while (sources[0].fd >= 0 || sources[1].fd >= 0) {
        ::poll(sources.data(), sources.size(), -1);
        for (std::size_t i = 0; i < sources.size(); ++i) {
            if (sources[i].fd < 0 || sources[i].revents == 0) continue;
            std::string bytes;
            const bool open = take(sources[i].fd, bytes);
            if (!open) ::close(std::exchange(sources[i].fd, -1));
            const std::lock_guard lock(mutex_);
            (i == 0 ? out_ : err_) += bytes;
            more_.notify_all();
        }
    }
    const std::lock_guard lock(mutex_);
    silent_ = true;
    more_.notify_all();
}

void Program::send(int signal) const {
    if (::kill(pid_, signal) != 0) fail("kill");
}

ExitStatus Program::wait(std::chrono::milliseconds deadline) {
    if (!ended_) {
        pollfd end{.fd = handle_, .events = POLLIN, .revents = 0};
        if (::poll(&end, 1, static_cast<int>(deadline.count())) != 1)
            throw std::runtime_error("the program does not end; it said: " + err());
        int status = 0;
        ::waitpid(pid_, &status, 0);
        ended_ = WIFEXITED(status) ? ExitStatus{.code = WEXITSTATUS(status), .signal = 0}
                                   : ExitStatus{.code = -1, .signal = WTERMSIG(status)};
        if (collector_.joinable()) collector_.join();
    }
    return *ended_;
}

std::string Program::out() const {
    const std::lock_guard lock(mutex_);
    return out_;
}
std::string Program::err() const {
    const std::lock_guard lock(mutex_);
    return err_;
}

std::string Program::word_after(std::string_view mark, std::chrono::milliseconds deadline) {
    std::unique_lock lock(mutex_);
    std::string word;
    const auto found = [&] {
        const std::size_t at = err_.find(mark);
        if (at == std::string::npos) return false;
        const std::size_t begin = at + mark.size();
        const std::size_t end = err_.find_first_of(" \n", begin);
        if (end == std::string::npos) return false;
        word = err_.substr(begin, end - begin);
        return true;
    };
    const bool told = more_.wait_for(lock, deadline, [&] { return found() || silent_; });
    if (!told || word.empty())
        throw std::runtime_error("the program did not say '" + std::string(mark) + "' but: " + err_);
    return word;
}

Finished run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                     const Settings& environment, std::string_view input) {
    Program program(arguments, folder, environment, input);
    const ExitStatus status = program.wait();
    return {status.code, program.out(), program.err()};
}

ServiceProcess::ServiceProcess(const std::filesystem::path& folder, const Settings& environment)
    : program_({"serve"}, folder, environment) {
    const std::string address = program_.word_after("listens on http://");
    const std::string digits = address.substr(address.rfind(':') + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), port_).ec != std::errc{})
        throw std::runtime_error("no port in " + address);
}

ExitStatus ServiceProcess::stop() {
    program_.send(SIGTERM);
    return program_.wait();
}

void ServiceProcess::kill() {
    program_.send(SIGKILL);
    program_.wait();
}

}  // namespace consentry::tests
