// The load generator: many keep-alive connections, one request at a time on each, all on the calling thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace consentry::bench {

struct Answer {
    unsigned status = 0;
    std::string_view head;  // views live as long as the call that gets them
    std::string_view body;
};

struct Load {
    std::uint16_t port = 0;
    std::size_t connections = 64;
    std::chrono::nanoseconds duration{};  // no request begins later
    std::chrono::nanoseconds interval{};  // between the beginnings of requests of one connection; zero: at once
    // What a connection sends next, as it goes over the wire; empty: it is done. To stay valid until its next call.
    std::function<std::string_view(std::size_t connection)> next = {};
    std::function<void(std::size_t connection, const Answer& answer)> answered = {};
    // While all connections are still open.
    std::function<void()> finished = {};
};

class Latencies {
public:
    void add(std::chrono::nanoseconds latency) { all_.push_back(latency.count()); }
    std::size_t count() const { return all_.size(); }
    double milliseconds(double quantile) const;  // 0.5 is the median; 0 where there are none

private:
    mutable std::vector<std::int64_t> all_;
    mutable std::size_t sorted_ = 0;
};

struct Outcome {
    std::map<unsigned, Latencies> by_status;
    std::size_t retry_after = 0;  // answers with that header
    double seconds = 0;           // until the last answer
    std::string first_refusal;    // the first answer that is not 2xx, for the message

    std::size_t count(unsigned status) const;
    const Latencies& latencies(unsigned status) const;
    double per_second(unsigned status = 200) const { return static_cast<double>(count(status)) / seconds; }
    // Throws unless every answer was a 200 and there was one: errors must not be counted as speed.
    const Outcome& all_well() const;
};

// Throws std::runtime_error where a connection is refused or lost, or an answer does not come within 30 seconds.
Outcome run(const Load& load);

// One request on a connection of its own.
std::string once(std::uint16_t port, std::string_view request);

// Requests as programs send them: eight headers, JSON.
std::string get_request(std::string_view path, std::string_view token = {});
std::string post_request(std::string_view path, std::string_view body, std::string_view token = {});
// The text of a member anywhere in a JSON body whose texts need no escapes; throws where it is not there.
std::string_view member(std::string_view body, std::string_view name);

}  // namespace consentry::bench
