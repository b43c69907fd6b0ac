// Programs that the benchmark starts: their end, their processor time and their memory. Linux only.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace consentry::bench {

// A child process; it ends with this object, and with the benchmark whatever becomes of that. Its output goes to a
// file. To be started from the main thread: the kernel ties the child's life to the thread that made it. It runs in
// `folder`, which the caller has to choose: Consentry reads the settings of an .env in its working directory.
class Child {
public:
    Child(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
          std::filesystem::path log, const std::filesystem::path& folder);
    ~Child();  // asks to end, and insists after ten seconds
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Returns when the program accepts connections there. Throws, with the end of its log, if it exits before.
    void wait_for_port(std::uint16_t port, std::chrono::seconds patience = std::chrono::seconds{10}) const;
    // Waits until the program has ended by itself. Throws with its output unless it ended with 0.
    void wait_for_success();
    pid_t id() const { return pid_; }
    double cpu_seconds() const;  // user and system time of the process and of its own children
    double memory_mib() const;   // resident

private:
    // What became of it, and what it has said.
    void tell_of_failure() const;
    std::string log_text() const;
    pid_t pid_ = -1;  // -1 once it has ended
    std::filesystem::path log_;
};

// Processor time that the process and its children have used, those that have ended included.
double cpu_seconds_with_children(pid_t pid);

std::uint16_t free_port();
// A TCP connection to this machine, or -1 if it is refused. Blocking. A receive buffer of 0 means the default size.
int connect_to(std::uint16_t port, int receive_buffer_bytes = 0);
// As many open files as the system allows; returns how many.
std::size_t raise_file_limit();

}  // namespace consentry::bench
