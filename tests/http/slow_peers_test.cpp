// Hundreds of peers that are slow in different ways delay no other client (WEB-4). script/bench does the same with ten
// thousand.
#include <list>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

void allow_open_files(rlim_t count) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= count) return;
    limit.rlim_cur = std::min(count, limit.rlim_max);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ASSERT_GE(limit.rlim_cur, count) << "too few open files are allowed: ulimit -Hn";
}

TEST(WEB_4, HundredsOfSlowPeersEndInTimeWhileOthersAreServed) {
    constexpr std::size_t peers = 500;
    allow_open_files(2 * peers + 100);
    http::ServerOptions options = on_loopback();
    options.head_timeout = options.body_timeout = options.write_timeout = 500ms;
    const RunningServer running(options);

    struct Peer {
        Peer(std::uint16_t port, bool does_read) : client(port, does_read ? 0 : 4096), reads(does_read) {}
        RawClient client;
        bool reads;
        bool sends = true;
    };
    std::list<Peer> slow;
    for (std::size_t i = 0; i < peers; ++i) {
        Peer& peer = slow.emplace_back(running.server.port(), i % 20 != 3);
        constexpr std::string_view starts[] = {
            "GET /slow HTTP/1.1\r\nHost: a\r\nX: ", "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
            "POST /slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n186A0\r\n",
            // The peer requests more than the socket buffers hold and does not read it.
            "GET /large?8000000 HTTP/1.1\r\nHost: a\r\n\r\n"};
        peer.client.send(starts[peer.reads ? i % 3 : 3]);
    }
    // Serve another client for as long as slow peers are connected.
    RawClient other{running.server.port()};
    std::size_t served = 0;
    do {
        for (Peer& peer : slow)
            if (peer.reads && peer.sends) peer.sends = peer.client.send("x");
        other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n");
        ASSERT_EQ(other.read_answer().status, 200U);
        ++served;
    } while (running.server.connections() > 1);
    EXPECT_GE(served, 3U);

    for (Peer& peer : slow) {
        if (peer.reads) {
            EXPECT_EQ(peer.client.read_answer().status, 408U);
            while (!peer.client.is_closed()) {
            }
        } else {
            EXPECT_LT(peer.client.read_all().size(), 8'000'000U);
        }
    }
    for (const std::string& target : running.application.seen()) EXPECT_NE(target, "/slow");
}

}  // namespace
}  // namespace consentry::tests
