#include "tlog/witness_protocol.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

constexpr std::string_view old_mark = "old ";

}  // namespace

std::string format_add_checkpoint(const AddCheckpoint& request) {
    if (request.proof.size() > witness_hashes_max) throw std::invalid_argument("a proof for a witness is too long");
    return fmt::format("{}{}\n{}\n{}", old_mark, request.old_size, hash_lines(request.proof), request.checkpoint);
}

std::expected<AddCheckpoint, std::string> parse_add_checkpoint(std::string_view body) {
    if (body.size() > add_checkpoint_bytes_max) return std::unexpected("the request is too long");
    LineReader lines(body);
    const auto line = lines.next();
    if (!line || !line->starts_with(old_mark)) return std::unexpected("the first line is not `old` and a size");
    const auto old_size = parse_decimal(line->substr(old_mark.size()));
    if (!old_size) return std::unexpected("the old size is not a decimal number in its usual form");
    auto proof = read_hash_lines(lines, witness_hashes_max);
    if (!proof) return std::unexpected(std::move(proof.error()));
    return AddCheckpoint{*old_size, std::move(*proof), std::string(lines.rest())};
}

std::string format_tree_size(std::uint64_t size) { return fmt::format("{}\n", size); }

std::optional<std::uint64_t> parse_tree_size(std::string_view body) {
    LineReader lines(body);
    const auto line = lines.next();
    if (!line || !lines.rest().empty()) return std::nullopt;
    return parse_decimal(*line);
}

}  // namespace consentry::tlog
