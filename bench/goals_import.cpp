#include <algorithm>
#include <fstream>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/services.hpp"
#include "goals.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;

constexpr std::size_t users_full = 100'000;
constexpr std::size_t users_quick = 20'000;

// Addresses in no order, as they come in real files: an index does not grow at its end only.
void write_table(const fs::path& file, std::size_t users) {
    std::ofstream out(file);
    out << "email;name;isVerified;passwordHash\n";
    for (std::size_t i = 0; i < users; ++i)
        fmt::print(out,
                   "{:08x}.person@example.org;Person {};true;"
                   "$2a$10$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui\n",
                   static_cast<std::uint32_t>(i) * 2'654'435'761U, i);
}

// Somebody else who writes all the while, as a service beside it does: how long the slowest of their writes took.
class Neighbor {
public:
    explicit Neighbor(const Config& config)
        : services_(config, clock_), thread_([this](std::stop_token stop) {
              while (!stop.stop_requested()) {
                  const auto begin = std::chrono::steady_clock::now();
                  asio::io_context context(1);
                  auto done = asio::co_spawn(context, write(), asio::use_future);
                  context.run();
                  done.get();
                  slowest_ = std::max(slowest_,
                                      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
                  std::this_thread::sleep_for(std::chrono::milliseconds{1});
              }
          }) {}
    void end() {
        thread_.request_stop();
        thread_.join();
    }
    double slowest() const { return slowest_; }
    std::size_t refused() const { return refused_; }

private:
    storage::awaitable<void> write() {
        try {
            co_await services_.passwords.clear(UserId{});  // nobody's: it takes the lock and changes nothing
        } catch (const Unavailable&) {
            ++refused_;
        }
    }

    const SystemClock clock_;
    Services services_;
    double slowest_ = 0;
    std::size_t refused_ = 0;
    std::jthread thread_;
};

}  // namespace

void measure_import(const Stage& stage, Report& report) {
    const bool quick = stage.length().rounds < Length{}.rounds;
    const std::size_t users = quick ? users_quick : users_full;
    const double floor = stage.servers() != nullptr ? 10'000 : 20'000;
    const fs::path folder = stage.working_folder("import");
    const fs::path file = folder / "users.csv";
    write_table(file, users);
    std::vector<double> alone;
    std::vector<double> slowest;
    std::size_t refused = 0;
    const int rounds = quick ? 1 : 3;
    for (int round = 0; round < rounds; ++round) {
        for (const bool beside : {false, true}) {
            const std::string name = fmt::format("import{}{}", round, beside ? "b" : "a");
            Environment settings{{"DATA_DIR", (folder / name).string()}};
            if (stage.servers() != nullptr) {
                stage.servers()->create_database(name);
                settings["DATABASE_URL"] = stage.servers()->database_url(name);
            }
            const SystemClock clock;
            {
                const Services makes_the_schema(config_of(stage.settings(settings)), clock);
            }
            const std::vector<std::string> import{"user", "import", file.string()};
            if (!beside) {
                alone.push_back(static_cast<double>(users) / stage.run_command(import, settings));
                continue;
            }
            Neighbor neighbor(config_of(stage.settings(settings)));
            stage.run_command(import, settings);
            neighbor.end();
            slowest.push_back(neighbor.slowest());
            refused += neighbor.refused();
        }
    }
    report.add({.goal = fmt::format("import of {} accounts with password hashes, {}", count(static_cast<double>(users)),
                                    stage.engines()),
                .floor = fmt::format("{}/s", count(floor)),
                .measured = fmt::format("{}/s", bench::text(spread(alone), 0)),
                .judged = {at_least(spread(alone), floor, "per second")}});
    report.add({.goal = fmt::format("import: longest wait of a concurrent write, {}", stage.engines()),
                .floor = "none refused (after 5 s)",
                .measured = fmt::format("{} s, {} refused", bench::text(spread(slowest), 2), refused),
                .also = refused == 0});
}

}  // namespace consentry::bench
