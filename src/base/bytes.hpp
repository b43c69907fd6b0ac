// Bytes, and the text forms in which they travel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace consentry {

using Bytes = std::vector<std::uint8_t>;
using BytesView = std::span<const std::uint8_t>;

inline BytesView as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(BytesView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Copies the bytes into an array. Returns nullopt unless there are exactly as many as it holds.
template <class Array>
std::optional<Array> to_array(BytesView bytes) {
    Array out{};
    if (bytes.size() != out.size()) return std::nullopt;
    std::ranges::copy(bytes, out.begin());
    return out;
}

std::string to_hex(BytesView bytes);  // lower case
std::optional<Bytes> from_hex(std::string_view text);

// RFC 4648 section 5, without padding. Reading is strict: no padding, no white space, no '+' or '/',
// unused bits of the last character zero; so each byte string has exactly one spelling (TOK-4).
std::string to_base64url(BytesView bytes);
std::optional<Bytes> from_base64url(std::string_view text);

// RFC 4648 section 4, with padding; reading is strict as above. Keys in settings use it.
std::string to_base64(BytesView bytes);
std::optional<Bytes> from_base64(std::string_view text);

}  // namespace consentry
