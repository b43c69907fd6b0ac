// LOG-5: a pipe at standard error that is not read holds up no request and no end. The service counts what it loses.
#include <chrono>
#include <csignal>
#include <future>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/regex.hpp>
#include <gmock/gmock.h>
#include <poll.h>

#include "tests/support/eventually.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// Twice the lines that such a pipe holds.
constexpr std::size_t many = 100;

// A named pipe that holds 4 KiB.
class SmallPipe {
public:
    explicit SmallPipe(const std::filesystem::path& path) {
        if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
        // Open in both directions, so that the writer does not wait for a reader, and no end of the stream comes.
        end_ = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (end_ < 0 || ::fcntl(end_, F_SETPIPE_SZ, 4096) != 4096) throw std::runtime_error("no small pipe");
    }
    ~SmallPipe() { ::close(end_); }
    SmallPipe(const SmallPipe&) = delete;
    SmallPipe& operator=(const SmallPipe&) = delete;

    // Waits for more for that long.
    void read(std::chrono::milliseconds patience) {
        pollfd ready{.fd = end_, .events = POLLIN, .revents = 0};
        ::poll(&ready, 1, static_cast<int>(patience.count()));
        std::array<char, 4096> bytes{};
        for (ssize_t count = 0; (count = ::read(end_, bytes.data(), bytes.size())) > 0;)
            read_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    void read_until(std::string_view mark) {
        const auto deadline = std::chrono::steady_clock::now() + seconds{60};
        while (!read_.contains(mark)) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("standard error has: " + read_);
            read(std::chrono::milliseconds{100});
        }
    }
    const std::string& all() const { return read_; }

private:
    int end_;
    std::string read_;
};

// A service with so short a queue for passwords that it refuses most of five logins at once. Each refusal writes a line
// to standard error.
class PipedService {
public:
    explicit PipedService(const std::filesystem::path& folder)
        : errors(folder / "errors"),
          program("/bin/sh", {"-c", "exec \"$0\" serve 2> errors", CONSENTRY_PROGRAM}, folder,
                  quick_settings({{"AUTH_PASSWORD_HASH_THREADS", "1"},
                                  {"AUTH_PASSWORD_HASH_QUEUE_MAX", "1"},
                                  {"METRICS_ENABLE", "true"},
                                  {"PAGES_ENABLE", "false"},
                                  {"CONSENT_LOG_ENABLE", "false"}})) {
        errors.read_until("\"website\"}'\n");  // the end of the greeting
        const std::string_view mark = "listens on http://127.0.0.1:";
        port_ = static_cast<std::uint16_t>(std::stoi(errors.all().substr(errors.all().find(mark) + mark.size())));
    }

    HttpClient client() const { return HttpClient(port_); }
    // Returns how many logins were refused for want of room: at least `wanted`, unless the service hangs.
    std::size_t overload(std::size_t wanted) {
        std::size_t refused = 0;
        for (int round = 0; round < 500 && refused < wanted; ++round) {
            const auto answers = at_once(5, [&](std::size_t) { return log_in(); });
            const std::size_t before = refused;
            refused += count(answers, 503U);
            if (refused == before && count(answers, 0U) > 0) break;
        }
        return refused;
    }
    std::size_t lost() const {
        const std::string page = client().get("/metrics").body;
        const std::string_view name = "\nconsentry_lines_lost_total{stream=\"standard_error\"} ";
        const auto at = page.find(name);
        return at == std::string::npos ? 0 : std::stoul(page.substr(at + name.size()));
    }

    SmallPipe errors;
    Program program;

private:
    // Status 0: no answer.
    Answer log_in() {
        // One address would soon be locked, and its password not checked.
        const std::string email = "nobody" + std::to_string(++nobody_) + "@example.org";
        try {
            return client().post("/api/public/user/login/credential",
                                 {{"email", email}, {"password", "Wrong-Harbor-42"}, {"from", "website"}});
        } catch (const std::exception&) {
            return {};
        }
    }

    std::atomic<int> nobody_ = 0;
    std::uint16_t port_ = 0;
};

// Kills a program that hangs, so that its clients get their end. A busy machine is slow: threads that hash passwords
// are the last to get a processor.
template <class Call>
auto within(std::chrono::seconds deadline, const Program& program, Call call) {
    auto result = std::async(std::launch::async, call);
    if (result.wait_for(deadline) != std::future_status::ready) {
        ADD_FAILURE() << "the service hangs";
        program.send(SIGKILL);
    }
    return result.get();
}

TEST(LOG_5, AStandardErrorThatNobodyReadsHoldsUpNothing) {
    const TempFolder folder;
    PipedService service(folder.path());
    const std::size_t refused = within(minutes{2}, service.program, [&] { return service.overload(many); });
    ASSERT_GE(refused, many) << "more lines than the pipe holds";
    const auto status = [&] { return service.client().get("/api/health/live").status; };
    EXPECT_EQ(within(seconds{20}, service.program, status), 200U);
    EXPECT_TRUE(eventually([&] { return service.lost() > 0; }));

    // Once the pipe is read again, lines say how many are missing, and why.
    const boost::regex note(R"(\[warning\] lines lost: \d+; reason: Resource temporarily unavailable\n)");
    EXPECT_TRUE(eventually([&] {
        service.overload(1);
        service.errors.read(std::chrono::milliseconds{100});
        return boost::regex_search(service.errors.all(), note);
    })) << service.errors.all();

    ASSERT_GE(within(minutes{2}, service.program, [&] { return service.overload(many); }), many);
    service.program.send(SIGTERM);
    EXPECT_EQ(service.program.wait(seconds{20}).code, 0) << "a full pipe does not hold up the end either";
}

TEST(LOG_5, AStandardErrorThatIsReadGetsEveryLine) {
    const TempFolder folder;
    PipedService service(folder.path());
    auto load = std::async(std::launch::async, [&] { return service.overload(many); });
    while (load.wait_for(seconds{0}) != std::future_status::ready) service.errors.read(std::chrono::milliseconds{10});
    const std::size_t refused = load.get();
    ASSERT_GE(refused, many);
    EXPECT_EQ(service.lost(), 0U);
    service.program.send(SIGTERM);
    auto end = std::async(std::launch::async, [&] { return service.program.wait(seconds{20}); });
    while (end.wait_for(seconds{0}) != std::future_status::ready) service.errors.read(std::chrono::milliseconds{10});
    EXPECT_EQ(end.get().code, 0);
    service.errors.read(seconds{0});

    std::size_t told = 0;
    const boost::regex whole(
        R"(\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\] \[consentry\] \[error\] request [0-9a-f-]{36} failed: .+)");
    std::istringstream lines(service.errors.all());
    std::string last;
    for (std::string line; std::getline(lines, line); last = line) {
        if (!line.contains(" failed: ")) continue;
        EXPECT_TRUE(boost::regex_match(line, whole)) << line;
        ++told;
    }
    EXPECT_EQ(told, refused);
    EXPECT_EQ(last, "Stopping; waiting for open requests to finish...");
    EXPECT_THAT(service.errors.all(), Not(HasSubstr("lost")));
    EXPECT_THAT(service.errors.all(), Not(HasSubstr("\x1b"))) << "no colors in a pipe";
}

}  // namespace
}  // namespace consentry::tests
