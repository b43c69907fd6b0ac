// Addresses and networks, as settings list them and as they are compared.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace consentry::http {

using Address = boost::asio::ip::address;

// One spelling per address: IPv4 where IPv6 only carries it (::ffff:1.2.3.4), no zone.
Address canonical(const Address& address);
// An address alone: "1.2.3.4", "::1", "[::1]", with or without a port ("1.2.3.4:80", "[::1]:80").
std::optional<Address> parse_address(std::string_view text);
// What counts as one client: IPv4 addresses are, IPv6 addresses by their /64, which one household has to itself.
std::string client_key(const Address& address);

class Networks {
public:
    // Addresses and CIDR blocks; the error names what is wrong, not where. A block of everything (/0) is refused.
    static std::expected<Networks, std::string> parse(const std::vector<std::string>& list);

    bool contains(const Address& canonical_address) const;
    bool empty() const { return blocks_.empty(); }

private:
    struct Block {
        Address address;
        unsigned bits = 0;
    };
    std::vector<Block> blocks_;
};

}  // namespace consentry::http
