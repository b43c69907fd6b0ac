// LOG-4: one client cannot crowd the events of others out of the stream, and every suppressed event is counted.
#include "app/observation/bounded_events.hpp"

#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/support/log_support.hpp"

namespace consentry::tests {
namespace {

using ::testing::ElementsAre;

// Records each event as a line such as "password.locked refused 203.0.113.7". A line about suppressed events ends with
// their name and number, such as " + password.locked 1990".
class Kept final : public SecurityEvents {
public:
    void record(const SecurityEvent& event) noexcept override {
        std::string line = std::string(event.name) + " " + std::string(text_of(event.outcome)) + " " +
                           (event.origin == nullptr ? "operator" : event.origin->address);
        const std::lock_guard lock(mutex_);
        for (const auto& [name, value] : event.detail) {
            if (name == "event") line += " + " + value;
            if (name == "suppressed") {
                line += " " + value;
                suppressed += std::stoull(value);
            }
        }
        if (event.name != "securityEvents.suppressed") ++told;
        lines.push_back(std::move(line));
    }
    std::vector<std::string> lines;
    std::uint64_t told = 0;
    std::uint64_t suppressed = 0;

private:
    std::mutex mutex_;
};

struct Bounded {
    explicit Bounded(BoundedEvents::Options options = {}) { events.emplace(kept, clock, options); }
    void tell(std::string_view name, const std::string& client, Outcome outcome = Outcome::refused) {
        EventOrigin origin;
        origin.address = client;
        events->record({.name = name, .outcome = outcome, .origin = &origin});
    }
    Kept kept;
    ManualClock clock{from_epoch_ms(1'700'000'000'000)};
    std::optional<BoundedEvents> events;
};

TEST(LOG_4, OfOneClientAndKindTheFirstAreToldAndTheRestIsCounted) {
    Bounded t({.refusals_max = 2});
    for (int i = 0; i < 7; ++i) t.tell("password.locked", "203.0.113.7");
    t.tell("password.locked", "203.0.113.8");
    t.tell("password.failed", "203.0.113.7");
    t.clock.advance(std::chrono::minutes{10});
    t.events->settle();
    t.tell("password.locked", "203.0.113.7");
    EXPECT_THAT(t.kept.lines, ElementsAre("password.locked refused 203.0.113.7", "password.locked refused 203.0.113.7",
                                          "password.locked refused 203.0.113.8", "password.failed refused 203.0.113.7",
                                          "securityEvents.suppressed refused 203.0.113.7 + password.locked 5",
                                          "password.locked refused 203.0.113.7"));
}

TEST(LOG_4, TheCountIsToldByTheNextEventOfAnybodyAndAtTheEnd) {
    Bounded t({.refusals_max = 1});
    t.tell("a", "203.0.113.7");
    t.tell("a", "203.0.113.7");
    t.clock.advance(std::chrono::minutes{10});
    t.tell("b", "203.0.113.8");
    t.tell("b", "203.0.113.8");
    t.events.reset();
    EXPECT_THAT(t.kept.lines,
                ElementsAre("a refused 203.0.113.7", "securityEvents.suppressed refused 203.0.113.7 + a 1",
                            "b refused 203.0.113.8", "securityEvents.suppressed refused 203.0.113.8 + b 1"));
}

TEST(LOG_4, AClientIsANetworkOfOneHousehold) {
    Bounded t({.refusals_max = 1});
    t.tell("a", "2001:db8::1");
    t.tell("a", "2001:db8::ffff");
    t.tell("a", "2001:db8:0:1::1");
    EXPECT_EQ(t.kept.told, 2U);
}

TEST(LOG_4, WhatOperatorsAndAdministratorsDoIsAlwaysTold) {
    Bounded t({.refusals_max = 1, .successes_max = 1});
    for (int i = 0; i < 3; ++i) {
        t.tell("admin.change", "203.0.113.7", Outcome::success);
        t.events->record({.name = "password.set"});
    }
    EXPECT_EQ(t.kept.told, 6U);
    EXPECT_EQ(t.events->windows(), 0U);
}

TEST(LOG_4, SoManyClientsThatTheirWindowsDoNotFitAreStillTold) {
    Bounded t({.refusals_max = 1, .windows_max = 3});
    for (int i = 0; i < 100; ++i)
        for (int n = 0; n < 2; ++n) t.tell("a", "203.0.113." + std::to_string(i));
    EXPECT_EQ(t.events->windows(), 3U);
    EXPECT_EQ(t.kept.told, 100U);
    t.events.reset();
    EXPECT_EQ(t.kept.suppressed, 100U);
}

TEST(LOG_4, AClockThatIsSetBackKeepsNobodySilent) {
    Bounded t({.refusals_max = 1});
    t.tell("a", "203.0.113.7");
    t.clock.advance(-std::chrono::hours{1});
    t.tell("a", "203.0.113.7");
    EXPECT_EQ(t.kept.told, 2U);
}

TEST(LOG_4, ManyThreadsLoseNothing) {
    Bounded t({.refusals_max = 10, .windows_max = 4});
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&, thread] {
                for (int i = 0; i < 1'000; ++i) t.tell("a", "203.0.113." + std::to_string((i + thread) % 6));
            });
    }
    t.events.reset();
    EXPECT_EQ(t.kept.told + t.kept.suppressed, 4'000U);
}

// Before the limit, 2,000 refusals wrote 596 kB.
TEST(LOG_4, OneClientAtALockedAccountDoesNotWashOutTheStream) {
    constexpr std::uint64_t attempts = 300;
    Service service({{"HTTP_TRUSTED_PROXIES", "127.0.0.1"}});
    const Person person = service.make_person();
    const auto log_in_from = [&](const char* client, const std::string& password) {
        return service
            .post("/api/public/user/login/credential",
                  {{"email", person.email}, {"password", password}, {"from", "website"}}, {{"X-Forwarded-For", client}})
            .status;
    };
    for (std::uint64_t i = 0; i < attempts; ++i) log_in_from("203.0.113.7", "Wrong-Harbor-42");
    EXPECT_EQ(log_in_from("203.0.113.8", "Wrong-Harbor-42"), 403U);
    service.restart();
    const auto entries = entries_in(service.folder() / "data" / "security" / "events.log");
    EXPECT_LT(entries.size(), 100U);
    std::uint64_t logins = 0;
    std::uint64_t of_others = 0;
    for (const auto& entry : entries) {
        const auto& name = entry.at("event").as_string();
        if (name == "login.credential") ++(entry.at("source") == "203.0.113.7" ? logins : of_others);
        if (name != "securityEvents.suppressed") continue;
        EXPECT_EQ(entry.at("source"), "203.0.113.7");
        EXPECT_EQ(entry.at("detail").at("event"), "login.credential");
        logins += std::stoull(std::string(entry.at("detail").at("suppressed").as_string()));
    }
    EXPECT_EQ(logins, attempts);
    EXPECT_EQ(of_others, 1U);
}

}  // namespace
}  // namespace consentry::tests
