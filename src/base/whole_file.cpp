#include "base/whole_file.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

namespace consentry {

std::optional<std::string> read_whole_file(const std::filesystem::path& file) {
    return read_whole_file(file, std::numeric_limits<std::size_t>::max() - 1);
}

std::optional<std::string> read_whole_file(const std::filesystem::path& file, std::size_t bytes_max) {
    constexpr std::size_t piece_bytes = std::size_t{64} * 1024;
    std::ifstream in(file, std::ios::binary);
    std::string out;
    while (in && out.size() <= bytes_max) {
        const std::size_t before = out.size();
        out.resize(before + std::min(piece_bytes, bytes_max + 1 - before));
        in.read(out.data() + before, static_cast<std::streamsize>(out.size() - before));
        out.resize(before + static_cast<std::size_t>(in.gcount()));
    }
    if (!in.is_open() || in.bad()) return std::nullopt;
    return out;
}

}  // namespace consentry
