#include "tlog/lines.hpp"

#include <fmt/format.h>

#include "base/numbers.hpp"

namespace consentry::tlog {

std::optional<std::string_view> LineReader::next() {
    const auto end = rest_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
}

std::optional<std::uint64_t> parse_decimal(std::string_view digits) {
    return parse_canonical_number<std::uint64_t>(digits);
}

std::string hash_text(const Hash& hash) { return to_base64(hash); }

std::optional<Hash> parse_hash(std::string_view base64) {
    constexpr std::size_t text_size = 44;  // of 32 bytes
    if (base64.size() != text_size) return std::nullopt;
    const auto bytes = from_base64(base64);
    return bytes ? to_array<Hash>(*bytes) : std::nullopt;
}

std::string hash_lines(const std::vector<Hash>& hashes) {
    std::string out;
    for (const Hash& hash : hashes) out.append(hash_text(hash)).push_back('\n');
    return out;
}

std::expected<std::vector<Hash>, std::string> read_hash_lines(LineReader& lines, std::size_t count_max) {
    std::vector<Hash> hashes;
    for (;;) {
        const auto line = lines.next();
        if (!line) return std::unexpected("the empty line after the hashes is missing");
        if (line->empty()) return hashes;
        if (hashes.size() == count_max) return std::unexpected(fmt::format("there are more than {} hashes", count_max));
        const auto hash = parse_hash(*line);
        if (!hash) return std::unexpected(fmt::format("hash {} is not 32 bytes in base64", hashes.size() + 1));
        hashes.push_back(*hash);
    }
}

}  // namespace consentry::tlog
