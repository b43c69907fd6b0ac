#include "tlog/tile_path.hpp"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

constexpr std::string_view prefix = "tile/";
constexpr std::string_view entries = "entries";
constexpr std::string_view partial_mark = ".p/";
constexpr std::uint64_t level_max = 63;

std::string index_path(std::uint64_t index) {
    std::string path = fmt::format("{:03}", index % 1000);
    while ((index /= 1000) > 0) path = fmt::format("x{:03}/{}", index % 1000, path);
    return path;
}

// Reads one or more groups of three digits; the caller checks that they are the usual spelling of the number.
std::optional<std::uint64_t> parse_index(std::string_view path) {
    std::uint64_t index = 0;
    for (;;) {
        const bool is_last = !path.starts_with('x');
        if (!is_last) path.remove_prefix(1);
        if (path.size() < 3) return std::nullopt;
        for (const char digit : path.substr(0, 3)) {
            if (!is_digit(digit)) return std::nullopt;
            const auto value = static_cast<std::uint64_t>(digit - '0');
            if (index > (std::numeric_limits<std::uint64_t>::max() - value) / 10) return std::nullopt;
            index = index * 10 + value;
        }
        path.remove_prefix(3);
        if (is_last) return path.empty() ? std::optional(index) : std::nullopt;
        if (!path.starts_with('/')) return std::nullopt;
        path.remove_prefix(1);
    }
}

std::optional<TileId> read_path(std::string_view path) {
    if (!path.starts_with(prefix)) return std::nullopt;
    path.remove_prefix(prefix.size());
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string_view kind = path.substr(0, slash);
    path.remove_prefix(slash + 1);

    TileId tile{.level = entry_level};
    if (kind != entries) {
        const auto level = parse_decimal(kind);
        if (!level || *level > level_max) return std::nullopt;
        tile.level = static_cast<int>(*level);
    }
    if (const auto mark = path.find(partial_mark); mark != std::string_view::npos) {
        const auto width = parse_decimal(path.substr(mark + partial_mark.size()));
        if (!width || *width == 0 || *width >= tile_width) return std::nullopt;
        tile.width = static_cast<unsigned>(*width);
        path = path.substr(0, mark);
    }
    const auto index = parse_index(path);
    if (!index) return std::nullopt;
    tile.index = *index;
    return tile;
}

}  // namespace

std::string tile_path(const TileId& tile) {
    std::string path(prefix);
    path += tile.level == entry_level ? std::string(entries) : fmt::format("{}", tile.level);
    path += '/' + index_path(tile.index);
    if (!tile.is_full()) path += fmt::format("{}{}", partial_mark, tile.width);
    return path;
}

std::expected<TileId, std::string> parse_tile_path(std::string_view path) {
    const auto tile = read_path(path);
    if (!tile || tile_path(*tile) != path) return std::unexpected("not the path of a tile");
    return *tile;
}

std::vector<TileId> new_entry_bundles(std::uint64_t from, std::uint64_t to) {
    std::vector<TileId> bundles;
    if (from >= to) return bundles;
    const std::uint64_t full = to / tile_width;
    for (std::uint64_t index = from / tile_width; index < full; ++index)
        bundles.push_back({entry_level, index, tile_width});
    if (const auto width = static_cast<unsigned>(to % tile_width); width > 0)
        bundles.push_back({entry_level, full, width});
    return bundles;
}

}  // namespace consentry::tlog
