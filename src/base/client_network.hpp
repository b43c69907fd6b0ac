// Identifies the client of a request when a resource is shared out between clients: an IPv4 address, or the /64 prefix
// of an IPv6 address, which usually belongs to one household or machine.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <boost/asio/ip/address.hpp>

namespace consentry {

struct ClientNetwork {
    std::uint64_t prefix = 0;
    std::uint8_t version = 0;  // 4 or 6; 0: the service itself, or an unknown client

    static ClientNetwork of(const boost::asio::ip::address& address) {
        namespace ip = boost::asio::ip;
        if (address.is_v4()) return {address.to_v4().to_uint(), 4};
        const ip::address_v6 v6 = address.to_v6();
        // An IPv4 client that connected through a dual-stack socket (::ffff:1.2.3.4).
        if (v6.is_v4_mapped()) return {ip::make_address_v4(ip::v4_mapped, v6).to_uint(), 4};
        std::uint64_t prefix = 0;
        const auto bytes = v6.to_bytes();
        for (std::size_t i = 0; i < sizeof prefix; ++i) prefix = prefix << 8 | bytes[i];
        return {prefix, 6};
    }
    auto operator<=>(const ClientNetwork&) const = default;
};

}  // namespace consentry

template <>
struct std::hash<consentry::ClientNetwork> {
    std::size_t operator()(const consentry::ClientNetwork& network) const noexcept {
        return std::hash<std::uint64_t>{}(network.prefix * 0x9E37'79B9'7F4A'7C15 + network.version);
    }
};
