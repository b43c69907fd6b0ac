// LOG-4: security events are recorded regardless of the log settings, in a file of their own that is only appended to.
#include <sys/stat.h>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "app/observation/security_event_file.hpp"
#include "tests/support/log_support.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const EventOrigin origin{.address = "203.0.113.7",
                         .user_agent = "curl/8\r\n\x1b[2J" + std::string(1'000, 'u'),
                         .request_id = "018bcfe5-6800-7000-8000-0123456789ab",
                         .correlation_id = "order-66",
                         .trace_id = "0af7651916cd43dd8448eb211c80319c"};

SecurityEvent login_failed() {
    return {
        .name = "login.password",
        .outcome = Outcome::failure,
        .actor = "018bcfe5-0000-7000-8000-000000000001",
        .target = "018bcfe5-0000-7000-8000-000000000002",
        .origin = &origin,
        .detail = {{"method", "password"}, {"token", "canary-1"}, {"note", "eyJhbGciOiJFUzI1NiJ9.canary-2-canary"}}};
}

TEST(LOG_4, EventsAreRecordedWithTheLogSwitchedOff) {
    const WorkingFolder folder;
    Service service({{"LOGGER_ENABLE", "false"}, {"LOGGER_LEVEL", "error"}, {"SECURITY_EVENTS_MAX_IN_MB", "10"}});
    const fs::path file = service.folder() / "data" / "security" / "events.log";
    service.app().services().security_events.record(login_failed());
    service.clock().advance(std::chrono::hours{1});
    service.restart();  // writes the recorded events
    service.app().services().security_events.record({.name = "keys.rotated"});
    service.restart();

    const auto entries = entries_in(file);
    ASSERT_EQ(entries.size(), 2U) << "and a new start appends";
    const json::object& first = entries[0];
    EXPECT_EQ(first.at("time"), "2023-11-14T22:13:30.000Z");
    EXPECT_EQ(first.at("event"), "login.password");
    EXPECT_EQ(first.at("outcome"), "failure");
    EXPECT_EQ(first.at("actor"), "018bcfe5-0000-7000-8000-000000000001");
    EXPECT_EQ(first.at("target"), "018bcfe5-0000-7000-8000-000000000002");
    EXPECT_EQ(first.at("source"), "203.0.113.7");
    EXPECT_EQ(first.at("requestId"), "018bcfe5-6800-7000-8000-0123456789ab");
    EXPECT_EQ(first.at("correlationId"), "order-66");
    EXPECT_EQ(first.at("traceId"), "0af7651916cd43dd8448eb211c80319c");
    EXPECT_EQ(first.at("detail").at("method"), "password");
    EXPECT_LT(first.at("userAgent").as_string().size(), 300U);
    EXPECT_EQ(text_in(file).find("canary"), std::string::npos);
    EXPECT_EQ(entries[1].at("time"), "2023-11-14T23:13:30.000Z");
    EXPECT_FALSE(entries[1].contains("actor"));
    EXPECT_FALSE(fs::exists(folder / "logs")) << "the log is off";
}

TEST(LOG_4, TheStreamIsForTheOwnerAlone) {
    Service service;
    service.app().services().security_events.record(login_failed());
    service.restart();
    const fs::path file = service.folder() / "data" / "security" / "events.log";
    struct stat facts{};
    ASSERT_EQ(::stat(file.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
    ASSERT_EQ(::stat(file.parent_path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0700U);
}

TEST(LOG_4, SeveralProcessesAppendWholeLinesToOneStream) {
    const TempFolder folder;
    const ManualClock clock(from_epoch_ms(1'700'000'000'000));
    constexpr int count = 1'000;
    {
        SecurityEventFile service(folder.path(), 10 << 20, clock);
        SecurityEventFile command(folder.path(), 10 << 20, clock);
        for (int i = 0; i < count; ++i) {
            service.record(login_failed());
            command.record({.name = "user.created"});
        }
    }
    EXPECT_EQ(entries_in(folder / "security/events.log").size() + entries_in(folder / "security/events.log.1").size(),
              2U * count);
}

TEST(LOG_4, LossIsToldInTheStreamItself) {
    const TempFolder folder;
    const ManualClock clock(from_epoch_ms(1'700'000'000'000));
    fs::create_directory(folder / "security");
    fs::create_symlink("/dev/full", folder / "security/events.log");
    SecurityEventFile events(folder.path(), 10 << 20, clock);
    ::testing::internal::CaptureStderr();
    for (std::uint64_t i = 0; i < 3; ++i) {
        events.record(login_failed());
        while (events.lost() < i + 1) std::this_thread::yield();
    }
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("security-events: losing lines"));
    fs::remove(folder / "security/events.log");
    events.record(login_failed());
    const fs::path file = folder / "security/events.log";
    while (std::ranges::count(text_in(file), '\n') < 2) std::this_thread::yield();
    const auto entries = entries_in(file);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].at("event"), "securityEvents.lost");
    EXPECT_EQ(entries[0].at("detail").at("count"), "3");
    EXPECT_EQ(entries[1].at("event"), "login.password");
}

}  // namespace
}  // namespace consentry::tests
