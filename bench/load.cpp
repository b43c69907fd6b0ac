#include "load.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <queue>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "process.hpp"

namespace consentry::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::chrono::seconds patience{30};

std::size_t number_after(std::string_view text, std::string_view name) {
    const auto at = text.find(name);
    std::size_t out = 0;
    if (at != std::string_view::npos) std::from_chars(text.data() + at + name.size(), text.data() + text.size(), out);
    return out;
}

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() {
        if (value_ >= 0) close(value_);
    }
    int get() const { return value_; }

private:
    int value_;
};

struct Connection {
    Descriptor socket;
    std::string_view unsent = {};
    std::string received = {};
    Clock::time_point begun = {};
    bool waiting = false;  // for an answer
};

class Generator {
public:
    explicit Generator(const Load& load) : load_(load), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
        for (std::size_t i = 0; i < load_.connections; ++i) {
            Descriptor socket(connect_to(load_.port));
            if (socket.get() < 0) throw std::runtime_error("load: connection refused");
            fcntl(socket.get(), F_SETFL, O_NONBLOCK);
            epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
            epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket.get(), &event);
            connections_.push_back({.socket = std::move(socket)});
        }
    }

    Outcome run() {
        begin_ = Clock::now();
        const auto share = load_.interval / static_cast<std::int64_t>(load_.connections);
        for (std::size_t i = 0; i < load_.connections; ++i) due_.emplace(begin_ + share * static_cast<int>(i), i);
        while (open_ > 0 || !due_.empty()) turn();
        outcome_.seconds = std::chrono::duration<double>(last_ - begin_).count();
        if (load_.finished) load_.finished();
        return std::move(outcome_);
    }

private:
    void turn() {
        const auto now = Clock::now();
        while (!due_.empty() && due_.top().first <= now) {
            const std::size_t i = due_.top().second;
            due_.pop();
            begin_request(i);
        }
        if (open_ == 0 && due_.empty()) return;
        int wait_ms = static_cast<int>(std::chrono::milliseconds(patience).count());
        if (!due_.empty())
            wait_ms = std::max(
                0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(due_.top().first - now).count()));
        std::array<epoll_event, 256> events;
        const int ready = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), wait_ms);
        if (ready < 0 && errno != EINTR) throw std::runtime_error("load: epoll failed");
        if (ready == 0 && due_.empty()) throw std::runtime_error("load: no response for 30 seconds");
        for (int i = 0; i < ready; ++i) read(events[static_cast<std::size_t>(i)].data.u64);
    }

    void begin_request(std::size_t i) {
        Connection& connection = connections_[i];
        connection.begun = Clock::now();
        if (connection.begun - begin_ >= load_.duration) return;
        connection.unsent = load_.next(i);
        if (connection.unsent.empty()) return;
        connection.waiting = true;
        ++open_;
        // Requests are far smaller than a socket's buffer: one call takes them whole.
        const auto sent = send(connection.socket.get(), connection.unsent.data(), connection.unsent.size(),
                               MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent != static_cast<ssize_t>(connection.unsent.size())) lost("a request cannot be sent");
    }

    void read(std::size_t i) {
        Connection& connection = connections_[i];
        std::array<char, 16 * 1024> bytes;
        const auto count = recv(connection.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) lost("the server closed a connection");
        std::string_view text(bytes.data(), static_cast<std::size_t>(count));
        if (!connection.received.empty()) text = connection.received.append(text);
        const auto end = text.find(head_end);
        const std::size_t head = end == std::string_view::npos ? 0 : end + head_end.size();
        const std::size_t whole = head == 0 ? 0 : head + number_after(text.substr(0, head), "Content-Length: ");
        if (whole == 0 || text.size() < whole) {
            if (connection.received.empty()) connection.received = text;
            return;
        }
        take(i, {.status = static_cast<unsigned>(number_after(text, "HTTP/1.1 ")),
                 .head = text.substr(0, head),
                 .body = text.substr(head, whole - head)});
        connection.received.clear();
        next_turn(i);
    }

    // A server that refuses may close the connection behind its answer: the answer tells why.
    [[noreturn]] void lost(std::string_view what) const {
        throw std::runtime_error(fmt::format(
            "load: {} ({})", what, outcome_.first_refusal.empty() ? "nothing was refused" : outcome_.first_refusal));
    }

    void take(std::size_t i, const Answer& answer) {
        Connection& connection = connections_[i];
        if (!std::exchange(connection.waiting, false)) throw std::runtime_error("load: unexpected response");
        --open_;
        last_ = Clock::now();
        outcome_.by_status[answer.status].add(last_ - connection.begun);
        if (answer.head.find("\r\nRetry-After: ") != std::string_view::npos) ++outcome_.retry_after;
        if (answer.status / 100 != 2 && outcome_.first_refusal.empty())
            outcome_.first_refusal = fmt::format("{} {}", answer.status, answer.body);
        if (load_.answered) load_.answered(i, answer);
    }

    void next_turn(std::size_t i) {
        if (load_.interval.count() == 0)
            begin_request(i);
        else
            due_.emplace(std::max(connections_[i].begun + load_.interval, last_), i);
    }

    using Due = std::pair<Clock::time_point, std::size_t>;
    const Load& load_;
    Descriptor epoll_;
    std::vector<Connection> connections_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
    Clock::time_point begin_ = {};
    Clock::time_point last_ = {};
    std::size_t open_ = 0;
    Outcome outcome_;
};

std::string request(std::string_view method, std::string_view path, std::string_view token, std::string_view body) {
    std::string out = fmt::format(
        "{} {} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: consentry-bench\r\nAccept: application/json\r\n"
        "Accept-Language: en\r\nCache-Control: no-cache\r\nx-custom-lang: en\r\n"
        "x-correlation-id: 7f9c24e8-3b12-4f7a-9a51-0d2c4b1e6a30\r\n",
        method, path);
    if (!token.empty()) out += fmt::format("Authorization: Bearer {}\r\n", token);
    if (method != "GET") out += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
    return out.append("\r\n").append(body);
}

}  // namespace

double Latencies::milliseconds(double quantile) const {
    if (all_.empty()) return 0;
    if (sorted_ != all_.size()) {
        std::ranges::sort(all_);
        sorted_ = all_.size();
    }
    const auto index = static_cast<std::size_t>(quantile * static_cast<double>(all_.size() - 1));
    return static_cast<double>(all_[index]) * 1e-6;
}

const Latencies& Outcome::latencies(unsigned status) const {
    static const Latencies none;
    const auto found = by_status.find(status);
    return found == by_status.end() ? none : found->second;
}

std::size_t Outcome::count(unsigned status) const { return latencies(status).count(); }

const Outcome& Outcome::all_well() const {
    if (!first_refusal.empty()) throw std::runtime_error("load: refused: " + first_refusal);
    if (count(200) == 0) throw std::runtime_error("load: no successful response");
    return *this;
}

Outcome run(const Load& load) { return Generator(load).run(); }

std::string once(std::uint16_t port, std::string_view request) {
    std::string body;
    bool sent = false;
    run({.port = port,
         .connections = 1,
         .duration = patience,
         .next = [&](std::size_t) { return std::exchange(sent, true) ? std::string_view() : request; },
         .answered = [&](std::size_t, const Answer& answer) { body = answer.body; }})
        .all_well();
    return body;
}

std::string get_request(std::string_view path, std::string_view token) { return request("GET", path, token, {}); }

std::string post_request(std::string_view path, std::string_view body, std::string_view token) {
    return request("POST", path, token, body);
}

std::string_view member(std::string_view body, std::string_view name) {
    const std::string key = fmt::format("\"{}\":\"", name);
    const auto at = body.find(key);
    if (at == std::string_view::npos) throw std::runtime_error(fmt::format("load: no {} in {}", name, body));
    const std::string_view rest = body.substr(at + key.size());
    return rest.substr(0, rest.find('"'));
}

}  // namespace consentry::bench
