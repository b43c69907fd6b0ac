// The listening side: one thread per core, each with its own io_context and its own acceptor on the shared port
// (SO_REUSEPORT). A connection stays on the thread that accepted it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "http/application.hpp"
#include "http/fair_shares.hpp"

namespace consentry::http {

struct ServerOptions {
    std::string host = "localhost";  // a name or an address; listens on every address it resolves to
    std::uint16_t port = 3000;       // 0: any free port, see Server::port()
    std::vector<int> sockets = {};   // that listen already and replace host and port; the server owns them
    std::size_t threads = 0;         // 0: one per core

    std::size_t head_bytes_max = 16 * 1024;   // request line and headers; above: 431
    std::size_t target_bytes_max = 8 * 1024;  // above: 414
    std::size_t json_bytes_max = 512'000;     // the specification's 500 kb; above: 413
    std::size_t text_bytes_max = 1'048'576;   // text and form bodies: 1 mb
    std::size_t connections_max = 20'000;     // per process, shared among the clients' networks
    // Bytes of all bodies being read or answered, and of all answers that wait for their clients; shared likewise.
    std::size_t body_memory_max = 64 << 20;
    // Whether a peer is a proxy that speaks for many clients, and so does not count as a network of its own.
    std::function<bool(const boost::asio::ip::address&)> is_proxy = {};

    // Whose network pays for the memory of an answer that waits for its client; empty: the peer's.
    std::function<boost::asio::ip::address(const Request&)> client_of = {};

    // From the first byte of a request to the end of its headers. Also the time limit for the first byte of a
    // connection.
    std::chrono::milliseconds head_timeout{10'000};
    std::chrono::milliseconds body_timeout{20'000};   // for the whole body
    std::chrono::milliseconds idle_timeout{75'000};   // between requests
    std::chrono::milliseconds write_timeout{20'000};  // for the peer to take one answer
    // From the end of the headers to the answer, then 408; begins again at the end of the body.
    std::chrono::milliseconds request_timeout{30'000};
    std::chrono::milliseconds stop_timeout{30'000};  // for open requests after stop()
};

class Server {
public:
    // Opens the sockets but does not accept yet. Throws std::runtime_error with the address in its text.
    Server(ServerOptions options, Application& application);
    ~Server();  // calls stop() and join()
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::uint16_t port() const;
    std::size_t threads() const;

    void start();
    // Stops accepting, lets open requests finish within stop_timeout, and closes idle connections. Thread-safe and
    // non-blocking; join() waits for the end.
    void stop();
    void join();

    std::size_t connections() const;  // open now
    // How the connections and the body memory are shared out.
    const FairShares& places() const;
    const FairShares& bodies() const;
    // Returns the executors of the I/O threads in turn, for work that belongs to no connection. After stop(), the
    // executor ends with the last connection, whether or not its work has finished. Objects that may post to it from
    // other threads (a Promise of base/handoff.hpp) must be destroyed before the Server.
    boost::asio::any_io_executor executor();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace consentry::http
