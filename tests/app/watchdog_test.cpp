// A service whose threads hang tells nobody that it is alive.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "app/app.hpp"
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
    std::jthread client([&] { HttpClient(app.port()).get("/api/shared/user/profile"); });
    const auto deadline = std::chrono::steady_clock::now() + seconds{20};
    bool is_alive = true;
    while (is_alive && std::chrono::steady_clock::now() < deadline) is_alive = app.is_alive(milliseconds{50});
    EXPECT_FALSE(is_alive);

    clock.go_on();
    client.join();
    EXPECT_TRUE(app.is_alive(seconds{20}));
}

TEST(Liveness, TheWatchdogIsSilentMeanwhile) {
    const TempFolder folder;
    const ServiceManager manager(folder / "notify");
    ::setenv("NOTIFY_SOCKET", (folder / "notify").c_str(), 1);
    {
        std::atomic<int> asked = 0;
        const Watchdog watchdog(milliseconds{2}, [&asked] { return ++asked > 3; });
        EXPECT_EQ(manager.next(), "WATCHDOG=1");
        EXPECT_GT(asked, 3);
    }
    ::unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace consentry::tests
