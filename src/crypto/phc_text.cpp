#include "crypto/phc_text.hpp"

#include <charconv>
#include <string>

namespace consentry::crypto {

std::optional<std::uint32_t> phc_number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (text.size() > 1 && text.front() == '0') return std::nullopt;
    return value;
}

std::optional<Bytes> from_unpadded_base64(std::string_view text) {
    if (text.contains('=')) return std::nullopt;
    std::string padded(text);
    padded.append((4 - padded.size() % 4) % 4, '=');
    auto bytes = from_base64(padded);
    if (bytes && to_base64(*bytes) != padded) return std::nullopt;
    return bytes;
}

}  // namespace consentry::crypto
