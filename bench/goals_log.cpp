// LOG-5: what requests notice of a log whose place is slow or full.
#include <array>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A pipe read slowly, so that write() blocks: 64 KiB, the size of the pipe, every tenth of a second.
class SlowPlace {
public:
    explicit SlowPlace(const fs::path& path) {
        if (::mkfifo(path.c_str(), 0600) != 0) throw std::system_error(errno, std::generic_category(), path.string());
        pipe_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        reader_ = std::jthread([this](const std::stop_token& stop) {
            std::array<char, 65'536> bytes{};
            for (; !stop.stop_requested(); std::this_thread::sleep_for(hurries_ ? 1ms : 100ms))
                if (::read(pipe_, bytes.data(), bytes.size()) > 0) was_used_ = true;
        });
    }
    ~SlowPlace() {
        reader_ = {};
        ::close(pipe_);
    }
    SlowPlace(const SlowPlace&) = delete;
    SlowPlace& operator=(const SlowPlace&) = delete;

    bool was_used() const { return was_used_; }
    void hurry() { hurries_ = true; }  // so that who writes can end

private:
    int pipe_ = -1;
    std::atomic<bool> was_used_{false};
    std::atomic<bool> hurries_{false};
    std::jthread reader_;
};

double lost_lines(const Server& server) {
    const std::string metrics = once(server.port, get_request("/metrics"));
    const std::string_view name = "\nconsentry_lines_lost_total{stream=\"log\"} ";
    const auto at = metrics.find(name);
    if (at == std::string::npos) throw std::runtime_error("the metrics do not contain a count of lost lines");
    return std::stod(metrics.substr(at + name.size()));
}

}  // namespace

void measure_log_places(const Stage& stage, Report& report) {
    constexpr double slower_max = 1.1;
    const Environment logged{{"METRICS_ENABLE", "true"},
                             {"LOGGER_ENABLE", "true"},
                             {"LOGGER_LEVEL", "info"},
                             {"LOGGER_INTO_FILE", "true"},
                             {"LOGGER_AUTO", "true"}};
    const fs::path good_folder = stage.working_folder("good");
    const fs::path slow_folder = stage.working_folder("slow");
    const fs::path full_folder = stage.working_folder("full");
    for (const fs::path& folder : {slow_folder, full_folder}) fs::create_directory(folder / "logs");
    fs::create_symlink("/dev/full", full_folder / "logs" / "api.log");
    SlowPlace slow_place(slow_folder / "logs" / "api.log");

    const auto with_own_data = [&](const std::string& name) {
        Environment out = logged;
        out.merge(stage.beside(name));
        return out;
    };
    const Environment slow_settings = with_own_data("slow");
    const Environment full_settings = with_own_data("full");
    const Server good = stage.serve(logged, good_folder);
    const Server slow = stage.serve(slow_settings, slow_folder);
    const Server full = stage.serve(full_settings, full_folder);
    const std::string request = get_request(status_path, stage.people().readers.front().access_token);
    // Far from the machine's limits, so that waiting shows.
    const auto p99 = [&](const Server& server, std::chrono::nanoseconds duration) {
        const Outcome outcome = run(
            {.port = server.port, .connections = 64, .duration = duration, .interval = 20ms, .next = [&](std::size_t) {
                 return std::string_view(request);
             }});
        return outcome.all_well().latencies(200).milliseconds(0.99);
    };
    // Many short windows: of a machine that others share, some are spoilt.
    const int rounds = stage.length().rounds * 8;
    const auto window = stage.length().window / 4;
    struct Log {
        const Server& server;
        std::vector<double> p99_ms = {};
    };
    std::array logs{Log{good}, Log{slow}, Log{full}};
    for (const Log& log : logs) p99(log.server, stage.length().window * 2);  // until what waits is as long as it gets
    for (int round = 0; round < rounds; ++round)
        for (Log& log : logs) log.p99_ms.push_back(p99(log.server, window));

    if (!slow_place.was_used()) throw std::runtime_error("nothing was logged to the slow disk");
    const auto add = [&](const std::string& place, const Log& log) {
        const Spread slower = ratio(log.p99_ms, logs[0].p99_ms);
        const double lost = lost_lines(log.server);
        report.add({.goal = "log-5 p99 of requests logged to " + place,
                    .floor = "1.1 x a good disk, lost lines counted",
                    .measured = fmt::format("{} ms, good disk {} ms; {} lines lost", text(spread(log.p99_ms), 2),
                                            text(spread(logs[0].p99_ms), 2), count(lost)),
                    .ratio = text(slower, 2),
                    .judged = {at_most(slower, slower_max, "x a good disk, p99")},
                    .also = lost > 0});
    };
    add("a disk that writes 640 KiB/s", logs[1]);
    add("a full disk", logs[2]);
    report.note(fmt::format("log-5: {} lines lost on the good disk", count(lost_lines(good))));
    slow_place.hurry();
}

}  // namespace consentry::bench
