// LOG-5: the service answers requests whatever happens to the log. It counts and reports the lines it loses.
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "app/observation/logging.hpp"
#include "tests/support/log_support.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Sends requests that are logged, and expects each to be answered as usual.
void expect_answers(const Service& service, int count) {
    for (int i = 0; i < count; ++i) EXPECT_EQ(service.get("/api/nowhere").status, 404U);
}
std::uint64_t lost_after(const Service& service, const Log& log, std::uint64_t at_least) {
    for (int i = 0; i < 10'000 && log.lost() < at_least; ++i) expect_answers(service, 1);
    return log.lost();
}

TEST(LOG_5, AFullDiskHurtsNoRequestAndIsToldOnce) {
    const WorkingFolder folder;
    fs::create_directory(folder / "logs");
    fs::create_symlink("/dev/full", folder / "logs/api.log");
    ::testing::internal::CaptureStderr();
    {
        Service service(everything_logged());
        EXPECT_GE(lost_after(service, *service.app().log(), 5), 5U);
        fs::remove(folder / "logs/api.log");
        while (!fs::exists(folder / "logs/api.log")) expect_answers(service, 1);
    }
    const std::string told = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(told, HasSubstr("log: losing lines"));
    EXPECT_THAT(told, HasSubstr("No space left on device"));
    EXPECT_EQ(told.find("are being lost"), told.rfind("are being lost")) << told;
    // Once there is space again, the log reports how many lines it has lost.
    const auto entries = entries_in(folder / "logs/api.log");
    ASSERT_FALSE(entries.empty());
    EXPECT_EQ(entries.front().at("context"), "Log");
    EXPECT_GE(entries.front().at("lost").to_number<int>(), 5);
}

TEST(LOG_5, AFolderThatCannotBeMadeHurtsNoRequest) {
    const WorkingFolder folder;
    std::ofstream(folder / "logs") << "a file in the place of the folder";
    ::testing::internal::CaptureStderr();
    {
        Service service(everything_logged());
        EXPECT_GE(lost_after(service, *service.app().log(), 5), 5U);
    }
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("Not a directory"));
}

TEST(LOG_5, RotationAtTenMegabytesUnderLoadLosesNothing) {
    const WorkingFolder folder;
    constexpr std::size_t requests = 2'000;
    json::object body;
    for (int i = 0; i < 7; ++i) body["field" + std::to_string(i)] = std::string(1'000, 'x');
    {
        Service service(everything_logged());
        at_once(4, [&](std::size_t) {
            Answer answer;
            for (std::size_t i = 0; i < requests / 4; ++i) {
                answer = service.post("/api/public/user/login/credential", body);
                EXPECT_EQ(answer.status, 422U);
            }
            return answer;
        });
        EXPECT_EQ(service.app().log()->lost(), 0U);
    }
    ASSERT_TRUE(fs::exists(folder / "logs/api.log.1"));
    EXPECT_LE(fs::file_size(folder / "logs/api.log.1"), std::size_t{10} << 20);
    EXPECT_GE(fs::file_size(folder / "logs/api.log.1"), std::size_t{9} << 20);
    EXPECT_EQ(entries_in(folder / "logs/api.log").size() + entries_in(folder / "logs/api.log.1").size(), requests);
}

struct PipeEnds {
    PipeEnds() {
        int ends[2];
        if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
        read = ends[0];
        write = ends[1];
    }
    ~PipeEnds() {
        close_reader();
        ::close(write);
    }
    void close_reader() {
        if (read >= 0) ::close(read);
        read = -1;
    }
    int read;
    int write;
};

TEST(LOG_5, AReaderThatIsGoneOrAsleepHoldsUpNothing) {
    std::signal(SIGPIPE, SIG_IGN);  // as `serve` does
    const ManualClock clock(from_epoch_ms(1'700'000'000'000));
    const std::string lines = std::string(99, 'x') + "\n";
    {
        PipeEnds pipe;
        const auto target = log_descriptor(pipe.write, false, clock);
        EXPECT_EQ(target->write(lines), 100U);
        pipe.close_reader();
        EXPECT_EQ(target->write(lines), 0U);
        EXPECT_THAT(target->trouble(), HasSubstr("Broken pipe"));
    }
    PipeEnds asleep;
    const auto target = log_descriptor(asleep.write, false, clock);
    std::string many;
    while (many.size() < (1 << 20)) many += lines;  // more than a pipe can hold
    const std::size_t written = target->write(many);
    EXPECT_LT(written, many.size());
    EXPECT_THAT(target->trouble(), HasSubstr("temporarily unavailable"));
    // When the reader wakes up, the line that was cut off ends before the next one begins.
    ASSERT_NE(written % lines.size(), 0U) << "no line was cut off";
    std::string seen(written, ' ');
    ASSERT_EQ(::read(asleep.read, seen.data(), seen.size()), static_cast<ssize_t>(written));
    const std::string next = target->loss_note(7) + "\n" + lines;
    EXPECT_EQ(target->write(next), next.size());
    EXPECT_EQ(target->write(lines), lines.size());
    seen.resize(1'000);
    seen.resize(static_cast<std::size_t>(::read(asleep.read, seen.data(), seen.size())));
    EXPECT_EQ(seen, "\n" + next + lines);
}

// Two ends of a terminal that no program reads.
class Terminal {
public:
    Terminal() : screen(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
        if (::grantpt(screen) != 0 || ::unlockpt(screen) != 0) throw std::runtime_error("no terminal");
        program = ::open(::ptsname(screen), O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    ~Terminal() {
        ::close(program);
        ::close(screen);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    const int screen;
    int program;
};

TEST(LOG_5, ATerminalThatNobodyReadsHoldsUpNothing) {
    const ManualClock clock(from_epoch_ms(1'700'000'000'000));
    const Terminal terminal;
    const auto target = log_descriptor(terminal.program, false, clock);
    std::string many;
    while (many.size() < (1 << 20)) many += std::string(149, 'x') + "\n";
    EXPECT_LT(target->write(many), many.size());
    EXPECT_THAT(target->trouble(), HasSubstr("temporarily unavailable"));
    EXPECT_EQ(::fcntl(terminal.program, F_GETFL) & O_NONBLOCK, 0) << "the shell's own is not changed";
}

}  // namespace
}  // namespace consentry::tests
