// Peers that hold connections and take their time: one byte in ten seconds, sent or read. From a thread of their own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <vector>

namespace consentry::bench {

class SlowPeers {
public:
    // Returns when all are connected. One in twenty asks for more answers than the buffers between the two take and
    // reads them byte by byte; the others send a head or a body that way. A disconnected peer reconnects at once to
    // send a head. Throws std::runtime_error where a connection is refused.
    SlowPeers(std::uint16_t port, std::size_t count);
    ~SlowPeers();
    SlowPeers(const SlowPeers&) = delete;
    SlowPeers& operator=(const SlowPeers&) = delete;

    std::size_t cut_off() const { return cut_off_; }  // how many the server has ended with a 408, or without a word
    std::size_t lost() const { return lost_; }        // or could not come back

private:
    enum class Kind : std::uint8_t { head, body, reader };
    struct Peer {
        int socket = -1;
        Kind kind = Kind::head;
    };
    bool connect(std::size_t i);
    void take_time(const std::stop_token& stop);
    void touch(std::size_t i);
    void end(std::size_t i);

    std::uint16_t port_;
    int epoll_;
    std::vector<Peer> peers_;
    std::atomic<std::size_t> cut_off_{0};
    std::atomic<std::size_t> lost_{0};
    std::jthread thread_;
};

}  // namespace consentry::bench
