// Runs the program as a separate process, as an operator or a service manager does.
//
// A child gets only the given environment, so that no setting of the machine affects it. Every wait has a deadline;
// when it passes, the function throws std::runtime_error with the child's output so far.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "tests/support/http_client.hpp"

namespace consentry::tests {

using Settings = std::map<std::string, std::string>;

// Uses port 0 of the loopback address and the cheapest permitted password hash.
Settings quick_settings(Settings more = {});

struct ExitStatus {
    int code = -1;   // -1: ended by a signal
    int signal = 0;  // 0: exited by itself
};

// A child process whose output is collected. The destructor kills it if it still runs.
class Program {
public:
    // `folder` becomes its working directory, `input` its entire standard input.
    Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const Settings& environment,
            std::string_view input = {})
        : Program(CONSENTRY_PROGRAM, arguments, folder, environment, input) {}
    // Another program than Consentry.
    Program(const char* executable, const std::vector<std::string>& arguments, const std::filesystem::path& folder,
            const Settings& environment, std::string_view input = {});
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    pid_t pid() const { return pid_; }
    void send(int signal) const;
    ExitStatus wait(std::chrono::milliseconds deadline = std::chrono::minutes{1});

    // Returns the output so far; after wait(), all of it.
    std::string out() const;
    std::string err() const;
    // Waits for `mark` on standard error. Returns the text after it, up to the next blank.
    std::string word_after(std::string_view mark, std::chrono::milliseconds deadline = std::chrono::minutes{1});

private:
    void collect(int out, int err);

    pid_t pid_ = -1;
    int handle_ = -1;  // pidfd
    std::optional<ExitStatus> ended_;
    mutable std::mutex mutex_;
    std::condition_variable_any more_;
    std::string out_;
    std::string err_;
    bool silent_ = false;  // both outputs are closed
    std::jthread collector_;
};

// The result of one command that ran to completion.
struct Finished {
    int code;
    std::string out;
    std::string err;
};
Finished run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                     const Settings& environment, std::string_view input = {});

// `consentry serve` in a folder. The constructor returns once it listens.
class ServiceProcess {
public:
    explicit ServiceProcess(const std::filesystem::path& folder, const Settings& environment = quick_settings());

    HttpClient client() const { return HttpClient(port_); }
    std::uint16_t port() const { return port_; }
    // Sends SIGTERM and returns the exit status.
    ExitStatus stop();
    // Sends SIGKILL, which simulates a crash of the process.
    void kill();
    Program& program() { return program_; }

private:
    Program program_;
    std::uint16_t port_;
};

}  // namespace consentry::tests
