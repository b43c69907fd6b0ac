#include "http/steps/networks.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/host_port.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"

namespace consentry::http {
namespace {

namespace ip = boost::asio::ip;

// Whether the first `bits` of both are equal. Both must be of the same family.
template <class Bytes>
bool share_prefix(const Bytes& left, const Bytes& right, unsigned bits) {
    for (unsigned i = 0; i < left.size() && bits > 0; ++i) {
        const unsigned here = bits < 8 ? bits : 8;
        const unsigned mask = 0xFFU << (8 - here) & 0xFFU;
        if ((left[i] & mask) != (right[i] & mask)) return false;
        bits -= here;
    }
    return true;
}

std::optional<unsigned> parse_up_to(unsigned max, std::string_view text) {
    const auto number = parse_number<unsigned>(text);
    return number && *number <= max ? number : std::nullopt;
}

}  // namespace

Address canonical(const Address& address) {
    if (!address.is_v6()) return address;
    const ip::address_v6 v6 = address.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6);
    return ip::address_v6(v6.to_bytes());
}

std::optional<Address> parse_address(std::string_view text) {
    constexpr std::size_t longest = 64;  // fits an IPv6 address with a zone and a port
    if (text.empty() || text.size() > longest) return std::nullopt;
    const bool is_plain_v6 = !text.starts_with('[') && std::ranges::count(text, ':') > 1;
    if (!is_plain_v6) {
        const auto parts = split_host_port(text);
        if (!parts || (parts->port && !parse_up_to(65'535, *parts->port))) return std::nullopt;
        const bool has_brackets = text.starts_with('[');
        text = without_brackets(parts->host);
        if (has_brackets && !text.contains(':')) return std::nullopt;
    }
    boost::system::error_code error;
    const Address address = ip::make_address(std::string(text).c_str(), error);
    if (error) return std::nullopt;
    return canonical(address);
}

std::string client_key(const Address& address) {
    const Address one = canonical(address);
    std::string out;
    // Not to_string(), which uses printf: this runs for every request.
    if (one.is_v4()) {
        for (const unsigned char byte : one.to_v4().to_bytes()) {
            if (!out.empty()) out.push_back('.');
            append_number(out, byte);
        }
        return out;
    }
    const auto bytes = one.to_v6().to_bytes();
    return to_hex(BytesView(bytes).first(8)) + "/64";
}

std::expected<Networks, std::string> Networks::parse(const std::vector<std::string>& list) {
    Networks out;
    for (const std::string_view entry : list) {
        const auto slash = entry.find('/');
        const std::string_view text = entry.substr(0, slash);
        boost::system::error_code error;
        const Address address = ip::make_address(std::string(text).c_str(), error);
        if (error || text.contains('%'))
            return std::unexpected("addresses or networks such as 10.0.0.0/8, separated by commas");
        const unsigned most = address.is_v4() ? 32 : 128;
        const auto bits = slash == std::string_view::npos ? most : parse_up_to(most, entry.substr(slash + 1));
        if (!bits) return std::unexpected("addresses or networks such as 10.0.0.0/8, separated by commas");
        if (*bits == 0) return std::unexpected("a list without a network that covers all addresses (/0)");
        const Address one = canonical(address);
        // The prefix of a mapped IPv4 network counts only its last 32 bits.
        const bool mapped = address.is_v6() && one.is_v4();
        if (mapped && *bits <= 96) return std::unexpected("a list without a network that covers all addresses (/0)");
        out.blocks_.push_back({one, mapped ? *bits - 96 : *bits});
    }
    return out;
}

bool Networks::contains(const Address& address) const {
    for (const Block& block : blocks_) {
        if (block.address.is_v4() != address.is_v4()) continue;
        if (address.is_v4() ? share_prefix(block.address.to_v4().to_bytes(), address.to_v4().to_bytes(), block.bits)
                            : share_prefix(block.address.to_v6().to_bytes(), address.to_v6().to_bytes(), block.bits))
            return true;
    }
    return false;
}

}  // namespace consentry::http
