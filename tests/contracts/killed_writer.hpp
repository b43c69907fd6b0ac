// Runs a program that writes, and kills it while it does.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <spawn.h>

namespace consentry::tests {

// Starts the program words[0] with its arguments, kills it after it has printed `lines` lines, and returns everything
// that it printed as acknowledged. The running test fails if the program ends by itself.
inline std::string printed_until_killed(std::vector<std::string> words, std::size_t lines) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);

    std::string printed;
    std::size_t seen = 0;
    bool killed = false;
    char buffer[4096];
    for (;;) {
        if (!killed && seen >= lines) {
            ::kill(child, SIGKILL);
            killed = true;
        }
        const ssize_t got = ::read(ends[0], buffer, sizeof(buffer));
        if (got <= 0) break;
        printed.append(buffer, static_cast<std::size_t>(got));
        for (ssize_t i = 0; i < got; ++i) seen += buffer[i] == '\n' ? 1 : 0;
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the writer ended by itself: " << status;
    return printed;
}

}  // namespace consentry::tests
