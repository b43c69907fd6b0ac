// A person at a terminal who runs the program.
#pragma once

#include <array>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <poll.h>
#include <pty.h>
#include <termios.h>

#include "tests/support/process.hpp"

namespace consentry::tests {

// Simulates a user at a terminal who types each answer when prompted.
class Terminal {
public:
    Terminal(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
             const Settings& environment = quick_settings()) {
        std::vector<std::string> words{CONSENTRY_PROGRAM};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        std::vector<std::string> variables;
        for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
        std::vector<char*> environment_pointers;
        for (std::string& variable : variables) environment_pointers.push_back(variable.data());
        environment_pointers.push_back(nullptr);
        pid_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
        if (pid_ == 0) {
            if (::chdir(folder.c_str()) == 0) ::execve(CONSENTRY_PROGRAM, pointers.data(), environment_pointers.data());
            ::_exit(127);
        }
        if (pid_ < 0) throw std::runtime_error("forkpty");
    }
    ~Terminal() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        ::close(terminal_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    void answer(const std::string& question, const std::string& text) {
        while (!seen_.substr(answered_).contains(question))
            if (!read_more()) throw std::runtime_error("not asked: " + question + "; it said: " + seen_);
        answered_ = seen_.size();
        const std::string line = text + "\n";
        if (::write(terminal_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            throw std::runtime_error("write");
    }
    // Whether the terminal shows what is typed.
    bool echoes() const {
        termios modes{};
        if (::tcgetattr(terminal_, &modes) != 0) throw std::runtime_error("tcgetattr");
        return (modes.c_lflag & ECHO) != 0;
    }
    // Reads until the program ends. Returns what was on the screen, and the exit code.
    std::pair<std::string, int> end() {
        while (read_more()) {
        }
        siginfo_t facts{};
        ::waitid(P_PID, static_cast<id_t>(pid_), &facts, WEXITED | WNOWAIT);
        return {seen_, facts.si_status};
    }

private:
    bool read_more() {
        pollfd ready{.fd = terminal_, .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, 20'000) != 1) throw std::runtime_error("it does not go on; it said: " + seen_);
        std::array<char, 4096> bytes{};
        const ssize_t count = ::read(terminal_, bytes.data(), bytes.size());
        if (count <= 0) return false;  // EIO: the program has ended
        seen_.append(bytes.data(), static_cast<std::size_t>(count));
        return true;
    }

    pid_t pid_ = -1;
    int terminal_ = -1;
    std::string seen_;
    std::size_t answered_ = 0;
};

}  // namespace consentry::tests
