// Paths of tiles: one that is read has one spelling, and cannot leave its folder.
#include "tlog/tile_path.hpp"

#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view path = fuzz::text_of(data, size);
    const auto tile = tlog::parse_tile_path(path);
    if (!tile) return 0;
    fuzz::require(tlog::tile_path(*tile) == path, "a path has one spelling");
    fuzz::require(tile->level >= tlog::entry_level && tile->level <= 63, "the level keeps its limits");
    fuzz::require(tile->width >= 1 && tile->width <= tlog::tile_width, "the width keeps its limits");
    fuzz::require(path.find("..") == std::string_view::npos, "no step upwards");
    return 0;
}
