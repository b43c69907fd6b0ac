// Text that needs no escaping in JSON: printable ASCII without quotes and backslashes. Inline because every response
// and every log line consists of dozens of short strings.
#pragma once

#include <cstddef>
#include <string_view>

namespace consentry {

// The compiler vectorizes this to compare all bytes of a block at once.
template <std::size_t size>
[[gnu::always_inline]] inline bool is_plain_block(const char* block) {
    bool special = false;
    for (std::size_t i = 0; i < size; ++i) {
        const auto c = static_cast<unsigned char>(block[i]);
        special |= (c < 0x20) | (c >= 0x7F) | (c == '"') | (c == '\\');
    }
    return !special;
}

template <std::size_t block>
inline std::size_t plain_blocks(std::string_view text) {
    std::size_t done = 0;
    while (done + block <= text.size() && is_plain_block<block>(text.data() + done)) done += block;
    // The last block overlaps the one before it.
    const bool rest = done > 0 && done + block > text.size();
    return rest && is_plain_block<block>(text.data() + text.size() - block) ? text.size() : done;
}

// Returns the length of a plain prefix. The result is exact for a plain text of four bytes or more; otherwise it may be
// shorter than the longest plain prefix.
inline std::size_t plain_beginning(std::string_view text) {
    if (text.size() >= 16) return plain_blocks<16>(text);
    return text.size() >= 8 ? plain_blocks<8>(text) : plain_blocks<4>(text);
}

}  // namespace consentry
