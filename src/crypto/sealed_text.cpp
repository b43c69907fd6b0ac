#include "crypto/sealed_text.hpp"

#include "base/bytes.hpp"

namespace consentry::crypto {
namespace {

constexpr std::size_t text_max = 4'096;

}  // namespace

std::string sealed_text(const SealingKeys& keys, std::string_view content, std::string_view bound_to) {
    return to_base64url(keys.seal_in_one(as_bytes(content), as_bytes(bound_to)));
}

std::optional<std::string> opened_text(const SealingKeys& keys, std::string_view text, std::string_view bound_to) {
    if (text.size() > text_max) return std::nullopt;
    const auto bytes = from_base64url(text);
    if (!bytes) return std::nullopt;
    const auto content = keys.open_in_one(*bytes, as_bytes(bound_to));
    if (!content) return std::nullopt;
    return std::string(as_text(*content));
}

}  // namespace consentry::crypto
