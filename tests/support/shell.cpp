#include "tests/support/shell.hpp"

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <poll.h>
#include <spawn.h>

#include "base/text.hpp"
#include "tests/support/pointers.hpp"

namespace consentry::tests {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Descriptor {
    int value;
    explicit Descriptor(int descriptor, const char* what) : value(descriptor) {
        if (value < 0) fail(what);
    }
    ~Descriptor() { ::close(value); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
};

// A file instead of a pipe: a background server may keep it open, and it needs no reader meanwhile.
Descriptor output_file() { return Descriptor(::memfd_create("output", MFD_CLOEXEC), "memfd_create"); }

std::string content_of(const Descriptor& file) {
    const off_t size = ::lseek(file.value, 0, SEEK_END);
    if (size < 0) fail("lseek");
    std::string text(static_cast<std::size_t>(size), '\0');
    if (::pread(file.value, text.data(), text.size(), 0) != size) fail("read");
    return text;
}

std::vector<std::string> environment_with(const NamedValues& added) {
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable = *entry;
        if (!added.contains(std::string(variable.substr(0, variable.find('='))))) out.emplace_back(variable);
    }
    for (const auto& [name, value] : added) out.push_back(name + "=" + value);
    return out;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const NamedValues& environment,
                          std::chrono::milliseconds deadline) {
    const Descriptor out = output_file();
    const Descriptor err = output_file();
    std::vector<std::string> words = arguments;
    std::vector<std::string> variables = environment_with(environment);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.value, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.value, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    pid_t pid = -1;
    const int error = ::posix_spawnp(&pid, words.front().c_str(), &actions, nullptr, pointers_to(words).data(),
                                     pointers_to(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + words.front());

    // Not pidfd_open(): glibc 2.36 declares it for C only.
    const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)), "pidfd_open");
    pollfd end{.fd = handle.value, .events = POLLIN, .revents = 0};
    const bool ended = ::poll(&end, 1, static_cast<int>(deadline.count())) == 1;
    if (!ended) ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (!ended) throw std::runtime_error(words.front() + " does not end; it said: " + content_of(err));
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
}

std::string output_of(const std::vector<std::string>& arguments, const NamedValues& environment,
                      std::chrono::milliseconds deadline) {
    CommandResult result = run_command(arguments, environment, deadline);
    if (result.code != 0) throw std::runtime_error(arguments.front() + " failed: " + result.err);
    return std::move(result.out);
}

NamedValues named_values(std::string_view text) {
    NamedValues values;
    while (!text.empty()) {
        const std::string_view line = take_part(text, '\n');
        if (const std::size_t sign = line.find('='); sign != std::string_view::npos)
            values.emplace(line.substr(0, sign), line.substr(sign + 1));
    }
    return values;
}

}  // namespace consentry::tests
