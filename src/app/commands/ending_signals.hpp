// SIGTERM and SIGINT as the wish to end, for commands that serve.
#pragma once

#include <csignal>

namespace consentry {

class EndingSignals {
public:
    // Blocks the signals. Construct it before any thread starts: all threads inherit the mask, so only wait() receives
    // them.
    EndingSignals() {
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGTERM);
        sigaddset(&signals_, SIGINT);
        pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    }
    // Returns at the first signal.
    void wait() {
        int signal = 0;
        sigwait(&signals_, &signal);
    }
    // From now on a signal terminates the process immediately.
    void let_next_one_terminate() {
        std::signal(SIGTERM, SIG_DFL);
        std::signal(SIGINT, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    }

private:
    sigset_t signals_{};
};

}  // namespace consentry
