// Which sockets a server listens on: every address of its host, one socket per thread and address (SO_REUSEPORT),
// all on the same port.
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
    std::vector<std::vector<Acceptor>> of_context;  // as many as there are contexts, in their order
};

// Throws std::runtime_error whose text names the address: unknown host, port in use, no right to it.
// Addresses that this machine does not have are passed over as long as one remains ("localhost" without IPv6).
Listeners open_listeners(const std::string& host, std::uint16_t port,
                         const std::vector<boost::asio::io_context*>& contexts);

// Throws as open_listeners() would at this moment; listens on nothing. A running server on the port is in the way.
void require_listenable(const std::string& host, std::uint16_t port);

}  // namespace consentry::http
