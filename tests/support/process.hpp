// The program itself as a process of its own: what a person or a service manager starts.
//
// Children get the given environment and nothing else, so that no setting of the machine reaches them. Nothing here
// waits longer than a deadline: then it throws std::runtime_error with what the child has said.
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

// Port 0 of the loopback address, and the cheapest password hash that is allowed.
Settings quick_settings(Settings more = {});

struct ExitStatus {
    int code = -1;   // -1: ended by a signal
    int signal = 0;  // 0: ended by itself
};

// A child with its outputs collected. Killed by the destructor where it still runs.
class Program {
public:
    // `folder` becomes its working directory. `input` is its standard input, whole.
    Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const Settings& environment,
            std::string_view input = {});
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    pid_t pid() const { return pid_; }
    void send(int signal) const;
    ExitStatus wait(std::chrono::milliseconds deadline = std::chrono::seconds{20});

    // What it has written so far; everything, after wait().
    std::string out() const;
    std::string err() const;
    // The rest of the line of standard error behind `mark`, up to the next blank, once it is there.
    std::string word_after(std::string_view mark, std::chrono::milliseconds deadline = std::chrono::seconds{20});

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

// One command, to its end.
struct Finished {
    int code;
    std::string out;
    std::string err;
};
Finished run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                     const Settings& environment, std::string_view input = {});

// `consentry serve` in a folder, from when it listens on.
class ServiceProcess {
public:
    explicit ServiceProcess(const std::filesystem::path& folder, const Settings& environment = quick_settings());

    HttpClient client() const { return HttpClient(port_); }
    std::uint16_t port() const { return port_; }
    // SIGTERM, and what it ended with.
    ExitStatus stop();
    // SIGKILL: what a crash of the machine's software looks like.
    void kill();
    Program& program() { return program_; }

private:
    Program program_;
    std::uint16_t port_;
};

}  // namespace consentry::tests
