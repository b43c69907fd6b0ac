// What all measurements share: the data folder, the settings, the servers, the length of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/config/dotenv.hpp"
#include "crypto/signature_keys.hpp"
#include "people.hpp"
#include "process.hpp"
#include "report.hpp"
#include "servers.hpp"

namespace consentry::bench {

// For goal 12 and the scale curves.
struct Masses {
    std::size_t users = 0;
    std::size_t sessions = 0;
};

struct Length {
    int rounds = 5;
    std::chrono::milliseconds window{1500};  // of one measurement of one side
    std::size_t verifications = 2000;        // of second factors, in one round
    Crowd crowd = {};
    Masses small = {.users = 10'000, .sessions = 10'000};
    Masses large = {.users = 1'000'000, .sessions = 10'000'000};
    std::vector<Masses> populations = {{.users = 1'000, .sessions = 10'000},
                                       {.users = 10'000, .sessions = 100'000},
                                       {.users = 100'000, .sessions = 1'000'000},
                                       {.users = 1'000'000, .sessions = 10'000'000}};

    static Length quick();
};

// How many rows a statement adds while a measurement is prepared.
inline constexpr std::int64_t rows_at_once = 20'000;

// A server that runs.
struct Server {
    std::uint16_t port = 0;
    std::unique_ptr<Child> child;
};

// A private key as the settings take it.
std::string new_key(crypto::SignatureAlgorithm algorithm);
// Throws where the settings are unfit.
Config config_of(const Environment& settings);

class Stage {
public:
    // Makes the folder anew and fills it with people; the destructor takes it away. With `servers`, which outlive it,
    // the service keeps its data in database "app" of PostgreSQL and 0 of Redis; else in SQLite and in its own memory.
    Stage(std::filesystem::path folder, Length length, const Servers* servers = nullptr);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    // All programs run in a folder of the stage, or in the one given. In that of the benchmark, the service would read
    // the settings of whatever .env is there, and fill its database.
    //
    // The service as it is in production, on the data folder; `more` goes on top of its settings.
    Server serve(const Environment& more = {}) const { return serve(more, run_folder()); }
    Server serve(const Environment& more, const std::filesystem::path& folder) const;
    // Without waiting until it answers.
    Server launch(const Environment& more = {}) const { return launch(more, run_folder()); }
    Server launch(const Environment& more, const std::filesystem::path& folder) const;
    // The service as a tool runs it: `command` is the tool's command line up to the program. Waits longer, because such
    // tools slow a start.
    Server serve_under(std::vector<std::string> command, const Environment& more) const;
    // Runs a command of the program to its end, with the same settings. Returns the seconds that it took. Throws, with
    // its output, if it fails.
    double run_command(std::vector<std::string> arguments, const Environment& more) const;
    // A new folder beside the data.
    std::filesystem::path working_folder(const std::string& name) const;
    // Settings with which a further service runs beside one on the data folder. SQLite serves one, so it has a copy of
    // the data, which must not be in use yet.
    Environment beside(const std::string& name) const;
    // nginx with a fixed JSON; no child where it is not installed.
    Server serve_nginx(const std::string& body) const;
    Server serve_beast(std::size_t body_bytes) const;
    // The service's endpoints without what all of them share: see bare_service.cpp.
    Server serve_bare() const;

    // The settings with which it does.
    Environment settings(const Environment& more = {}) const;
    const Servers* servers() const { return servers_; }
    std::string engines() const { return servers_ != nullptr ? "PostgreSQL + Redis" : "SQLite"; }

    const Length& length() const { return length_; }
    const People& people() const { return people_; }
    std::size_t threads() const { return threads_; }  // of each server, and of each figure measured without one
    const std::filesystem::path& program() const { return program_; }

private:
    std::filesystem::path log(const std::string& name) const { return folder_ / (name + ".log"); }
    std::filesystem::path run_folder() const { return folder_ / "run"; }
    std::filesystem::path folder_;
    std::filesystem::path program_;
    Length length_;
    const Servers* servers_;
    std::size_t threads_;
    Environment settings_;
    People people_;
};

// How often `work(thread)` can be done per second, on so many threads at once.
struct Pace {
    double per_second = 0;
    double per_cpu_second = 0;
};
Pace pace_of(std::size_t threads, std::chrono::nanoseconds window, const std::function<void(std::size_t)>& work);

}  // namespace consentry::bench
