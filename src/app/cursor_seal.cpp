#include "app/cursor_seal.hpp"

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "crypto/digest.hpp"

namespace consentry {
namespace {

// Sealed content: time (8 bytes), digest of the conditions, payload. The conditions are part of the content rather than
// of the associated data, so that a genuine cursor used with other conditions can be told from a forged one.
constexpr std::size_t time_bytes = 8;
constexpr std::size_t digest_bytes = 16;  // half of SHA-256 is enough: a collision would show a user their own list
constexpr std::size_t head_bytes = time_bytes + digest_bytes;

void append_digest(Bytes& out, std::string_view conditions) {
    const crypto::Sha256 digest = crypto::sha256(conditions);
    out.insert(out.end(), digest.begin(), digest.begin() + digest_bytes);
}

}  // namespace

SealedCursors::SealedCursors(const std::vector<std::string>& secrets, const Clock& clock)
    : keys_(secrets, "consentry list cursor"), clock_(clock) {}

std::string SealedCursors::seal(std::string_view content, std::string_view owner, std::string_view conditions) const {
    Bytes plain;
    const auto now = static_cast<std::uint64_t>(epoch_ms(clock_.now()));
    for (int shift = 56; shift >= 0; shift -= 8) plain.push_back(static_cast<std::uint8_t>(now >> shift & 0xFF));
    append_digest(plain, conditions);
    plain.insert(plain.end(), content.begin(), content.end());
    return to_base64url(keys_.seal_in_one(plain, as_bytes(owner)));
}

Result<std::string> SealedCursors::open(std::string_view cursor, std::string_view owner,
                                        std::string_view conditions) const {
    const auto bytes = from_base64url(cursor);
    if (!bytes) return fail(errors::invalid_cursor_format);
    const auto plain = keys_.open_in_one(*bytes, as_bytes(owner));
    if (!plain || plain->size() < head_bytes) return fail(errors::invalid_cursor_format);

    std::uint64_t sealed_at = 0;
    for (const std::uint8_t byte : BytesView(*plain).first(time_bytes)) sealed_at = sealed_at << 8 | byte;
    // Another instance's clock may be slightly ahead: check only the age.
    if (clock_.now() - from_epoch_ms(static_cast<std::int64_t>(sealed_at)) > cursor_age_max)
        return fail(errors::invalid_cursor_format);

    Bytes digest;
    append_digest(digest, conditions);
    if (!crypto::equal_constant_time(digest, BytesView(*plain).subspan(time_bytes, digest_bytes)))
        return fail(errors::pagination_conditions_changed);
    return std::string(plain->begin() + head_bytes, plain->end());
}

}  // namespace consentry
