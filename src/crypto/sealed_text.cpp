#include "crypto/sealed_text.hpp"

#include "base/bytes.hpp"

namespace consentry::crypto {
namespace {

constexpr std::size_t iv_bytes = 12;
constexpr std::size_t text_max = 4'096;

}  // namespace

std::string sealed_text(const SealingKeys& keys, std::string_view content, std::string_view bound_to) {
    const auto [iv, sealed] = keys.seal(as_bytes(content), as_bytes(bound_to));
    Bytes bytes = iv;
    bytes.insert(bytes.end(), sealed.begin(), sealed.end());
    return to_base64url(bytes);
}

std::optional<std::string> opened_text(const SealingKeys& keys, std::string_view text, std::string_view bound_to) {
    if (text.size() > text_max) return std::nullopt;
    const auto bytes = from_base64url(text);
    if (!bytes || bytes->size() <= iv_bytes) return std::nullopt;
    const auto middle = bytes->begin() + iv_bytes;
    const auto content =
        keys.open({.iv = Bytes(bytes->begin(), middle), .bytes = Bytes(middle, bytes->end())}, as_bytes(bound_to));
    if (!content) return std::nullopt;
    return std::string(as_text(*content));
}

}  // namespace consentry::crypto
