// A service whose threads hang does not report that it is alive.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "app/config/read_config.hpp"
#include "app/service_manager.hpp"
#include "tests/support/service.hpp"
#include "tests/support/service_manager.hpp"

namespace consentry::tests {
namespace {

// Threads that ask for the time wait while it is stopped.
class StoppableClock final : public Clock {
public:
    TimePoint now() const override {
        is_stopped_.wait(true);
        return from_epoch_ms(1'700'000'000'000);
    }
    TimePoint lock_time() const override { return from_epoch_ms(1'700'000'000'000); }

    void stop() { is_stopped_ = true; }
    void go_on() {
        is_stopped_ = false;
        is_stopped_.notify_all();
    }

private:
    std::atomic<bool> is_stopped_ = false;
};

TEST(Liveness, AThreadThatHangsIsNoticed) {
    const TempFolder folder;
    StoppableClock clock;
    App app(read_config(test_settings(folder.path(), {{"HTTP_THREADS", "1"}})).value(), clock);
    app.start(std::chrono::hours{1});
    EXPECT_TRUE(app.is_alive(seconds{20}));

    clock.stop();
    std::jthread client([&app] {
        try {
            HttpClient(app.port()).get("/api/shared/user/profile");
        } catch (const std::exception&) {
            // Whether it gets an answer does not matter.
        }
    });
    const auto deadline = std::chrono::steady_clock::now() + seconds{20};
    // A thread that is only slow answers in between.
    for (int silent = 0; silent < 5; silent = app.is_alive(milliseconds{50}) ? 0 : silent + 1)
        if (std::chrono::steady_clock::now() > deadline) {
            ADD_FAILURE() << "nobody notices";
            break;
        }

    clock.go_on();
    client.join();
    EXPECT_TRUE(app.is_alive(seconds{20}));
}

TEST(Liveness, TheWatchdogIsSilentMeanwhile) {
    const TempFolder folder;
    const ServiceManager manager(folder / "notify");
    const char* usual = std::getenv("NOTIFY_SOCKET");
    const std::string before = usual != nullptr ? usual : "";
    ::setenv("NOTIFY_SOCKET", (folder / "notify").c_str(), 1);
    {
        std::atomic<int> asked = 0;
        const Watchdog watchdog(milliseconds{2}, [&asked] { return ++asked == 4; });
        while (asked < 8) std::this_thread::yield();
    }
    EXPECT_EQ(manager.waiting(), 1) << "for the one time that all threads answered";
    usual != nullptr ? ::setenv("NOTIFY_SOCKET", before.c_str(), 1) : ::unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace consentry::tests
