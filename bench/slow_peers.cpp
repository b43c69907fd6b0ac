#include "slow_peers.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "goals.hpp"
#include "load.hpp"
#include "process.hpp"

namespace consentry::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds between_bytes{10};
constexpr int little_window = 4096;
constexpr std::size_t answers_not_read = 500;

const std::string& opening(std::size_t kind) {
    static const std::array<std::string, 3> all = [] {
        std::string many;
        for (std::size_t i = 0; i < answers_not_read; ++i)
            many.append("GET ").append(hello_path).append(" HTTP/1.1\r\nHost: localhost\r\n\r\n");
        return std::array<std::string, 3>{
            "GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n",
            many};
    }();
    return all[kind];
}

}  // namespace

SlowPeers::SlowPeers(std::uint16_t port, std::size_t count)
    : port_(port), epoll_(epoll_create1(EPOLL_CLOEXEC)), peers_(count) {
    // One after another, as strangers come: their deadlines lie apart as well. All at once, they would be cut off at
    // one moment and come back at the next, and what others felt would be that storm of connections.
    const auto step = between_bytes / static_cast<double>(count);
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) {
        std::this_thread::sleep_until(begin + step * static_cast<double>(i));
        peers_[i].kind = i % 20 == 0 ? Kind::reader : i % 2 == 0 ? Kind::body : Kind::head;
        if (!connect(i)) throw std::runtime_error("slow peers: connection refused");
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { take_time(stop); });
}

SlowPeers::~SlowPeers() {
    thread_ = {};
    for (const Peer& peer : peers_)
        if (peer.socket >= 0) close(peer.socket);
    close(epoll_);
}

bool SlowPeers::connect(std::size_t i) {
    Peer& peer = peers_[i];
    peer.socket = connect_to(port_, peer.kind == Kind::reader ? little_window : 0);
    if (peer.socket < 0) return false;
    const std::string& bytes = opening(static_cast<std::size_t>(peer.kind));
    send(peer.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    // A reader's answers are always there; of it only the end is of interest.
    const std::uint32_t events = peer.kind == Kind::reader ? EPOLLRDHUP : EPOLLIN | EPOLLRDHUP;
    epoll_event event{.events = events, .data = {.u64 = i}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, peer.socket, &event);
    return true;
}

void SlowPeers::take_time(const std::stop_token& stop) {
    const auto step = between_bytes / static_cast<double>(peers_.size());
    const auto begin = std::chrono::steady_clock::now();
    std::size_t touched = 0;
    while (!stop.stop_requested()) {
        std::array<epoll_event, 256> events;
        const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 10);
        for (int i = 0; i < ready; ++i) end(events[static_cast<std::size_t>(i)].data.u64);
        while (begin + step * static_cast<double>(touched) < std::chrono::steady_clock::now())
            touch(touched++ % peers_.size());
    }
}

void SlowPeers::touch(std::size_t i) {
    char byte = 'x';
    if (peers_[i].socket < 0) return;
    if (peers_[i].kind == Kind::reader)
        recv(peers_[i].socket, &byte, 1, MSG_DONTWAIT);
    else
        send(peers_[i].socket, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void SlowPeers::end(std::size_t i) {
    ++cut_off_;
    close(std::exchange(peers_[i].socket, -1));
    peers_[i].kind = Kind::head;
    if (!connect(i)) ++lost_;
}

}  // namespace consentry::bench
