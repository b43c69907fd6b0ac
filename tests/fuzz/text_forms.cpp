// Bytes encoded as text: an accepted text is the only encoding of its bytes (TOK-4).
#include "base/bytes.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    const BytesView bytes(data, size);
    if (const auto read = from_base64url(text)) fuzz::require(to_base64url(*read) == text, "base64url: one spelling");
    if (const auto read = from_base64(text)) fuzz::require(to_base64(*read) == text, "base64: one spelling");
    if (const auto read = from_hex(text)) fuzz::require(read->size() * 2 == size, "hex: two digits a byte");

    const Bytes same(bytes.begin(), bytes.end());
    fuzz::require(from_base64url(to_base64url(bytes)) == same, "base64url: there and back");
    fuzz::require(from_base64(to_base64(bytes)) == same, "base64: there and back");
    fuzz::require(from_hex(to_hex(bytes)) == same, "hex: there and back");
    return 0;
}
