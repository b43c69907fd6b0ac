// What all measurements share: the data folder, the settings, the servers, the length of a run.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "people.hpp"
#include "process.hpp"
#include "report.hpp"

namespace consentry::bench {

struct Length {
    int rounds = 5;
    std::chrono::milliseconds window{1500};  // of one measurement of one side
    std::size_t verifications = 2000;        // of second factors, in one round
    Crowd crowd = {};

    static Length quick();
};

// A server that runs.
struct Server {
    std::uint16_t port = 0;
    std::unique_ptr<Child> child;
};

class Stage {
public:
    // Makes the folder anew and fills it with people; the destructor takes it away.
    Stage(std::filesystem::path folder, Length length);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    // The service as it is in production, on the data folder; `more` goes on top of its settings.
    Server serve(const Environment& more = {}) const;
    // Without waiting until it answers.
    Server launch(const Environment& more = {}) const;
    // nginx with a fixed JSON; no child where it is not installed.
    Server serve_nginx(const std::string& body) const;
    Server serve_beast(std::size_t body_bytes) const;

    const Length& length() const { return length_; }
    const People& people() const { return people_; }
    std::size_t threads() const { return threads_; }  // of each server, and of each figure measured without one
    const std::filesystem::path& program() const { return program_; }

private:
    std::filesystem::path log(const std::string& name) const { return folder_ / (name + ".log"); }
    std::filesystem::path folder_;
    std::filesystem::path program_;
    Length length_;
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
