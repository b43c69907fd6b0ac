#include "tlog/checkpoint.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

bool is_origin(std::string_view origin) {
    return !origin.empty() && origin.size() <= origin_bytes_max && !origin.contains('\n') &&
           is_note_text(std::string(origin) + "\n");
}

}  // namespace

std::string format_checkpoint(const Checkpoint& checkpoint) {
    if (!is_origin(checkpoint.origin)) throw std::invalid_argument("not the origin of a log");
    return fmt::format("{}\n{}\n{}\n", checkpoint.origin, checkpoint.size, hash_text(checkpoint.root));
}

std::expected<Checkpoint, std::string> parse_checkpoint(std::string_view note_text) {
    LineReader lines(note_text);
    const auto origin = lines.next();
    const auto size_line = lines.next();
    const auto root_line = lines.next();
    if (!root_line) return std::unexpected("a checkpoint has three lines: origin, size and root");
    if (!is_origin(*origin)) return std::unexpected("the first line is not the origin of a log");
    const auto size = parse_decimal(*size_line);
    if (!size) return std::unexpected("the size of the tree is not a decimal number in its usual form");
    const auto root = parse_hash(*root_line);
    if (!root) return std::unexpected("the root of the tree is not 32 bytes in base64");
    if (*size == 0 && *root != empty_root()) return std::unexpected("the root is not that of an empty tree");
    if (!lines.rest().empty()) return std::unexpected("more lines follow the root of the tree");
    return Checkpoint{std::string(*origin), *size, *root};
}

std::expected<SignedCheckpoint, std::string> parse_signed_checkpoint(std::string_view note) {
    auto parsed = parse_note(note);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    auto checkpoint = parse_checkpoint(parsed->text);
    if (!checkpoint) return std::unexpected(std::move(checkpoint.error()));
    return SignedCheckpoint{std::move(*checkpoint), std::move(*parsed)};
}

std::expected<SignedCheckpoint, std::string> open_checkpoint(std::string_view note, const VerifierKey& log) {
    auto parsed = parse_signed_checkpoint(note);
    if (!parsed) return parsed;
    if (parsed->checkpoint.origin != log.name())
        return std::unexpected(
            fmt::format("the checkpoint is of {} and not of {}", parsed->checkpoint.origin, log.name()));
    if (log.type() != KeyType::ed25519) return std::unexpected("the key of a log has type 1");
    if (auto verified = verify_note(parsed->note, {&log, 1}); !verified)
        return std::unexpected(std::move(verified.error()));
    return parsed;
}

}  // namespace consentry::tlog
