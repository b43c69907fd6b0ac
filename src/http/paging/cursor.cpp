#include "http/paging/cursor.hpp"

#include <algorithm>
#include <array>

namespace consentry::http {
namespace {

constexpr std::size_t number_bytes = 8;
constexpr std::size_t id_bytes = 16;

}  // namespace

std::string to_cursor_content(const ListPosition& position) {
    std::string out;
    for (const std::int64_t value : position.values)
        for (int shift = 56; shift >= 0; shift -= 8)
            out.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xFF));
    for (const std::uint8_t byte : position.id.bytes()) out.push_back(static_cast<char>(byte));
    return out;
}

std::optional<ListPosition> from_cursor_content(std::string_view content, std::size_t terms) {
    if (content.size() != terms * number_bytes + id_bytes) return std::nullopt;
    ListPosition out;
    for (std::size_t term = 0; term < terms; ++term) {
        std::uint64_t value = 0;
        for (const char byte : content.substr(term * number_bytes, number_bytes))
            value = value << 8 | static_cast<std::uint8_t>(byte);
        out.values.push_back(static_cast<std::int64_t>(value));
    }
    std::array<std::uint8_t, id_bytes> id{};
    std::ranges::transform(content.substr(terms * number_bytes), id.begin(),
                           [](char byte) { return static_cast<std::uint8_t>(byte); });
    out.id = Uuid(id);
    return out;
}

}  // namespace consentry::http
