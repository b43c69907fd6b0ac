// host[:port], as in URLs, headers and settings (RFC 3986 section 3.2, without user information).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace consentry {

struct HostPort {
    std::string_view host;                 // an IPv6 address keeps its brackets
    std::optional<std::string_view> port;  // what follows the colon, perhaps no number
};
// Only separates the parts; the caller checks each. Returns nullopt if a bracket is not closed, or if anything other
// than a port follows it. The first colon ends a host without brackets, so an IPv6 address needs them. Both parts refer
// to `text`.
std::optional<HostPort> split_host_port(std::string_view text);

// A number from 1 to 65535. Boost's port_number() takes 99999 for 34463.
std::optional<std::uint16_t> parse_port(std::string_view text);

// Whether a URL names no port, or one from 1 to 65535. Does not examine the rest.
bool has_possible_port(std::string_view url);

// The address in the brackets; `host` itself if there are none.
std::string_view without_brackets(std::string_view host);

}  // namespace consentry
