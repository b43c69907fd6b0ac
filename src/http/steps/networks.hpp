// IP addresses and networks: parsing from settings, normalization, and comparison.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace consentry::http {

using Address = boost::asio::ip::address;

// Normalizes an address: IPv4-mapped IPv6 (::ffff:1.2.3.4) becomes IPv4, and the zone is dropped.
Address canonical(const Address& address);
// Parses an address with or without a port: "1.2.3.4", "::1", "[::1]", "1.2.3.4:80", "[::1]:80".
std::optional<Address> parse_address(std::string_view text);
// Returns the key under which a client is counted: an IPv4 address, or the /64 of an IPv6 address, which one household
// usually has to itself.
std::string client_key(const Address& address);

class Networks {
public:
    // Parses addresses and CIDR blocks. The error describes the fault but not its position. Refuses blocks that cover
    // all addresses (/0).
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
