#include "crypto/phc_text.hpp"

#include <string>

#include "base/numbers.hpp"

namespace consentry::crypto {

std::optional<std::uint32_t> phc_number(std::string_view text) { return parse_canonical_number<std::uint32_t>(text); }

std::optional<Bytes> from_unpadded_base64(std::string_view text) {
    if (text.contains('=')) return std::nullopt;
    std::string padded(text);
    padded.append((4 - padded.size() % 4) % 4, '=');
    auto bytes = from_base64(padded);
    if (bytes && to_base64(*bytes) != padded) return std::nullopt;
    return bytes;
}

}  // namespace consentry::crypto
