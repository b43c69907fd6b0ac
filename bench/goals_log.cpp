// LOG-5: what requests notice of a log whose place is slow or full.
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <poll.h>

#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A place in the log's stead whose write() blocks until somebody reads: 64 KiB, the size of a pipe, in each tenth of a
// second.
class SlowPlace {
public:
    explicit SlowPlace(fs::path path) : path_(std::move(path)) {
        if (::mkfifo(path_.c_str(), 0600) != 0) throw std::system_error(errno, std::generic_category(), path_.string());
        pipe_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        reader_ = std::jthread([this](const std::stop_token& stop) {
            for (; !stop.stop_requested(); std::this_thread::sleep_for(100ms)) take();
        });
    }
    ~SlowPlace() {
        reader_ = {};
        // What still waits in write() gets through; after that the writer looks for its log again.
        fs::remove(path_);
        pollfd readable{.fd = pipe_, .events = POLLIN, .revents = 0};
        while (::poll(&readable, 1, 300) > 0 && take() > 0) continue;
        ::close(pipe_);
    }
    SlowPlace(const SlowPlace&) = delete;
    SlowPlace& operator=(const SlowPlace&) = delete;
    std::int64_t taken() const { return taken_; }

private:
    ssize_t take() {
        std::array<char, 65'536> bytes{};
        const ssize_t count = ::read(pipe_, bytes.data(), bytes.size());
        taken_ += std::max<ssize_t>(count, 0);
        return count;
    }
    const fs::path path_;
    int pipe_ = -1;
    std::atomic<std::int64_t> taken_{0};
    std::jthread reader_;
};

double lost_lines(const Server& server) {
    const std::string metrics = once(server.port, get_request("/metrics"));
    const std::string_view name = "\nconsentry_lines_lost_total{stream=\"log\"} ";
    const auto at = metrics.find(name);
    if (at == std::string::npos) throw std::runtime_error("no count of lost lines among the metrics");
    return std::stod(metrics.substr(at + name.size()));
}

}  // namespace

void measure_log_places(const Stage& stage, Report& report) {
    constexpr double slower_max = 1.1;
    const fs::path path = fs::current_path() / "logs" / "api.log";
    const Server service = stage.serve({{"METRICS_ENABLE", "true"},
                                        {"LOGGER_ENABLE", "true"},
                                        {"LOGGER_LEVEL", "info"},
                                        {"LOGGER_INTO_FILE", "true"},
                                        {"LOGGER_AUTO", "true"}});
    const std::string request = get_request(status_path, stage.people().readers.front().access_token);
    // Far from the machine's limits, so that waiting shows.
    const auto p99 = [&](std::chrono::nanoseconds duration) {
        const Outcome outcome = run(
            {.port = service.port, .connections = 64, .duration = duration, .interval = 20ms, .next = [&](std::size_t) {
                 return std::string_view(request);
             }});
        return outcome.all_well().latencies(200).milliseconds(0.99);
    };
    const auto window = stage.length().window;
    std::vector<double> good;
    std::vector<double> slow;
    std::vector<double> full;
    double lost_slow = 0;
    double lost_full = 0;
    std::int64_t taken = 0;
    for (int round = 0; round < stage.length().rounds * 2; ++round) {
        // Each time: until the log is at its new place, and the queue before it as full as it gets.
        p99(window / 2);
        good.push_back(p99(window));

        const double before = lost_lines(service);
        fs::remove(path);
        {
            const SlowPlace place{path};
            p99(window / 2);
            slow.push_back(p99(window));
            taken += place.taken();
        }
        const double between = lost_lines(service);
        fs::create_symlink("/dev/full", path);
        p99(window / 2);
        full.push_back(p99(window));
        fs::remove(path);
        lost_slow += between - before;
        lost_full += lost_lines(service) - between;
    }
    if (taken == 0) throw std::runtime_error("the slow place was never written to");

    const auto add = [&](const std::string& place, const std::vector<double>& measured, double lost) {
        const Spread slower = ratio(measured, good);
        report.add({.goal = "log-5 p99 of requests whose log has " + place,
                    .floor = "1.1 x on a good disk, what is lost is counted",
                    .measured = fmt::format("{} ms, on a good disk {} ms; {} lines lost", text(spread(measured), 2),
                                            text(spread(good), 2), count(lost)),
                    .ratio = text(slower, 2),
                    .met = slower.median <= slower_max && lost > 0});
    };
    add("a place that takes 640 KiB/s", slow, lost_slow);
    add("a full disk", full, lost_full);
}

}  // namespace consentry::bench
