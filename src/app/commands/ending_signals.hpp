// SIGTERM and SIGINT as the wish to end, for commands that serve.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <pthread.h>

namespace consentry {

class EndingSignals {
public:
    // Until begin_serving(), a signal terminates the process: a start may wait for minutes, for example for the upgrade
    // of another instance. Construct this before any thread starts: all threads inherit the mask, so only the thread of
    // this object receives the signals.
    EndingSignals() {
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGTERM);
        sigaddset(&signals_, SIGINT);
        pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
        thread_ = std::thread([this] { receive(); });
    }
    EndingSignals(const EndingSignals&) = delete;
    EndingSignals& operator=(const EndingSignals&) = delete;
    ~EndingSignals() {
        if (!thread_.joinable()) return;
        serving_ = true;
        pthread_kill(thread_.native_handle(), SIGINT);  // one of those that it waits for
        thread_.join();
    }
    // From now on, the first signal only ends wait().
    void begin_serving() { serving_ = true; }
    // Returns at the first signal.
    void wait() { thread_.join(); }
    // From now on a signal terminates the process immediately. Requires that wait() has returned.
    void let_next_one_terminate() {
        std::signal(SIGTERM, SIG_DFL);
        std::signal(SIGINT, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    }

private:
    void receive() {
        pthread_setname_np(pthread_self(), "signals");
        int signal = 0;
        sigwait(&signals_, &signal);
        if (serving_) return;
        let_next_one_terminate();
        std::raise(signal);
        std::_Exit(128 + signal);  // the first process of a container ignores signals that it does not handle
    }

    sigset_t signals_{};
    std::atomic<bool> serving_ = false;
    std::thread thread_;
};

}  // namespace consentry
