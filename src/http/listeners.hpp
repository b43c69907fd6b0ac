// Opens the listening sockets of a server: one per thread and address of its host (SO_REUSEPORT), all on the same port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace consentry::http {

using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

struct Listeners {
    std::uint16_t port = 0;
    std::vector<std::vector<Acceptor>> of_context;  // one entry per context, in the same order
};

// Throws std::runtime_error, with the address in its text, if the host is unknown, the port is in use, or permission is
// missing. Skips addresses that this machine does not have as long as one remains ("localhost" without IPv6).
Listeners open_listeners(const std::string& host, std::uint16_t port,
                         const std::vector<boost::asio::io_context*>& contexts);

// The same with sockets that another process has opened and listens on, and that it keeps: connections wait there while
// no server accepts them. Every context gets a copy of each. Takes the sockets over. Throws std::runtime_error if one
// of them is not a listening TCP socket.
Listeners adopt_listeners(const std::vector<int>& sockets, const std::vector<boost::asio::io_context*>& contexts);

// Throws what open_listeners() would throw now, without listening. Fails if a server is already running on the port.
void require_listenable(const std::string& host, std::uint16_t port);

}  // namespace consentry::http
