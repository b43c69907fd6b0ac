#include "http/listeners.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/ip/v6_only.hpp>

#include "base/error_text.hpp"

namespace consentry::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr int backlog = 4096;
constexpr int free_port_attempts = 16;

[[noreturn]] void fail(const std::string& what, const error_code& error) {
    throw std::system_error(error.value(), std::system_category(), what);
}

std::string name_of(const tcp::endpoint& endpoint) {
    const std::string address = endpoint.address().to_string();
    return "cannot listen on " + (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
           std::to_string(endpoint.port());
}

std::vector<tcp::endpoint> resolve(asio::io_context& context, const std::string& host) {
    // Loopback by definition (RFC 6761 section 6.3), even without an entry in a hosts file.
    if (host == "localhost")
        return {tcp::endpoint{asio::ip::address_v4::loopback(), 0}, tcp::endpoint{asio::ip::address_v6::loopback(), 0}};
    error_code error;
    tcp::resolver resolver(context);
    const auto found = resolver.resolve(host, "", tcp::resolver::passive, error);
    if (error) throw std::runtime_error("cannot listen on " + host + ": " + sentence_of(error));
    std::vector<tcp::endpoint> endpoints;
    for (const auto& entry : found)
        if (std::ranges::find(endpoints, entry.endpoint()) == endpoints.end()) endpoints.push_back(entry.endpoint());
    return endpoints;
}

class Opener {
public:
    Opener(asio::io_context& context, bool v6_only) : context_(context), v6_only_(v6_only) {}

    Acceptor bind(asio::io_context& context, const tcp::endpoint& endpoint, bool shared, error_code& error) const {
        Acceptor acceptor(context);
        acceptor.open(endpoint.protocol(), error);
        if (error) return acceptor;
        acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error && endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(v6_only_), error);
        if (!error && shared) acceptor.set_option(ReusePort(true), error);
        if (!error) acceptor.bind(endpoint, error);
        return acceptor;
    }
    // Returns the port, which is a free one if the endpoint's port is 0. A given port is bound without SO_REUSEPORT, so
    // that the kernel reports a port in use. With it, a second server could start on the same port and take half of the
    // connections. A free port stays taken as long as the caller holds the socket, so that no other program gets it
    // before the listeners have it. That socket must listen: of two that do not, the kernel lets both have the port. No
    // client knows the port yet.
    std::uint16_t probe(const tcp::endpoint& endpoint, std::vector<Acceptor>& held, error_code& error) const {
        const bool is_any = endpoint.port() == 0;
        Acceptor acceptor = bind(context_, endpoint, is_any, error);
        // If all ports have lingering connections (TIME_WAIT), the kernel reuses one only without SO_REUSEPORT. Then
        // the port cannot be held.
        const bool all_linger = is_any && error == asio::error::address_in_use;
        if (all_linger) acceptor = bind(context_, endpoint, false, error);
        if (!error && is_any) acceptor.listen(1, error);
        if (error) return 0;
        const std::uint16_t port = acceptor.local_endpoint().port();
        if (is_any && !all_linger) held.push_back(std::move(acceptor));
        return port;
    }

private:
    asio::io_context& context_;
    bool v6_only_;
};

bool is_missing_address(const error_code& error) {
    return error == asio::error::address_family_not_supported || error == boost::system::errc::address_not_available;
}

// Determines the port for all endpoints and drops endpoints whose address this machine does not have. Returns nullopt
// if the free port of one address is in use at another.
std::optional<std::uint16_t> settle_port(const Opener& opener, std::vector<tcp::endpoint>& endpoints,
                                         std::uint16_t wanted, std::vector<Acceptor>& held) {
    held.clear();
    std::uint16_t port = wanted;
    for (auto endpoint = endpoints.begin(); endpoint != endpoints.end();) {
        endpoint->port(port);
        error_code error;
        const std::uint16_t bound = opener.probe(*endpoint, held, error);
        if (error && is_missing_address(error) && endpoints.size() > 1) {
            endpoint = endpoints.erase(endpoint);
            continue;
        }
        if (error && wanted == 0 && error == asio::error::address_in_use) return std::nullopt;
        if (error) fail(name_of(*endpoint), error);
        port = bound;
        endpoint->port(port);
        ++endpoint;
    }
    return port;
}

struct Settled {
    std::vector<tcp::endpoint> endpoints;  // including the port
    std::uint16_t port;
    bool v6_only;
    std::vector<Acceptor> held = {};  // keeps a free port until the listeners are open
};

Settled settle(asio::io_context& context, const std::string& host, std::uint16_t port) {
    std::vector<tcp::endpoint> endpoints = resolve(context, host);
    // "::" alone also serves IPv4; next to an IPv4 address, it would conflict with it.
    const bool v6_only = std::ranges::any_of(endpoints, [](const auto& e) { return e.address().is_v4(); });
    const Opener opener(context, v6_only);
    std::vector<Acceptor> held;
    std::optional<std::uint16_t> settled;
    for (int attempt = 0; attempt < free_port_attempts && !settled; ++attempt)
        settled = settle_port(opener, endpoints, port, held);
    if (!settled) fail(name_of(endpoints.front()), asio::error::address_in_use);
    return {.endpoints = std::move(endpoints), .port = *settled, .v6_only = v6_only, .held = std::move(held)};
}

}  // namespace

Listeners open_listeners(const std::string& host, std::uint16_t port, const std::vector<asio::io_context*>& contexts) {
    const auto [endpoints, settled_port, v6_only, held] = settle(*contexts.front(), host, port);
    const Opener opener(*contexts.front(), v6_only);
    Listeners listeners{.port = settled_port, .of_context = {}};
    for (asio::io_context* context : contexts) {
        std::vector<Acceptor>& own = listeners.of_context.emplace_back();
        for (const tcp::endpoint& endpoint : endpoints) {
            error_code error;
            Acceptor acceptor = opener.bind(*context, endpoint, true, error);
            if (!error) acceptor.listen(backlog, error);
            if (!error) acceptor.non_blocking(true, error);
            if (error) fail(name_of(endpoint), error);
            own.push_back(std::move(acceptor));
        }
    }
    return listeners;
}

Listeners adopt_listeners(const std::vector<int>& sockets, const std::vector<asio::io_context*>& contexts) {
    Listeners listeners{.port = 0, .of_context = std::vector<std::vector<Acceptor>>(contexts.size())};
    for (const int socket : sockets) {
        const auto facts = [socket](int option) {
            int value = 0;
            socklen_t size = sizeof value;
            return getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
        };
        const int family = facts(SO_DOMAIN);
        if ((family != AF_INET && family != AF_INET6) || facts(SO_TYPE) != SOCK_STREAM || facts(SO_ACCEPTCONN) != 1)
            throw std::runtime_error(
                "cannot listen: a socket that the service manager passed on is not a listening TCP socket");
        const tcp protocol = family == AF_INET ? tcp::v4() : tcp::v6();
        for (std::size_t i = 0; i < contexts.size(); ++i) {
            error_code error;
            const int copy = i == 0 ? socket : fcntl(socket, F_DUPFD_CLOEXEC, 0);
            if (copy < 0) fail("cannot listen", error_code(errno, boost::system::system_category()));
            Acceptor acceptor(*contexts[i]);
            acceptor.assign(protocol, copy, error);
            if (!error) acceptor.non_blocking(true, error);
            if (error) fail("cannot listen", error);
            listeners.port = acceptor.local_endpoint().port();
            listeners.of_context[i].push_back(std::move(acceptor));
        }
    }
    return listeners;
}

void require_listenable(const std::string& host, std::uint16_t port) {
    asio::io_context context;
    settle(context, host, port);
}

}  // namespace consentry::http
