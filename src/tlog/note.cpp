#include "tlog/note.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

constexpr std::string_view line_mark = "\xE2\x80\x94 ";  // em dash (U+2014), space
constexpr std::size_t key_id_size = 4;

std::expected<NoteSignature, std::string> parse_signature_line(std::string_view line) {
    if (!line.starts_with(line_mark)) return std::unexpected("does not begin with an em dash and a space");
    line.remove_prefix(line_mark.size());
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return std::unexpected("has no space behind the name of the key");
    const std::string_view name = line.substr(0, space);
    if (!is_key_name(name)) return std::unexpected("has no proper name of a key");
    const auto bytes = from_base64(line.substr(space + 1));
    if (!bytes) return std::unexpected("is not in base64");
    if (bytes->size() <= key_id_size) return std::unexpected("is too short");
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < key_id_size; ++i) id = id << 8 | (*bytes)[i];
    return NoteSignature{std::string(name), id, Bytes(bytes->begin() + key_id_size, bytes->end())};
}

// Returns the known key that made a signature, or its size if there is none.
std::expected<std::size_t, std::string> key_of(const NoteSignature& signature, std::span<const VerifierKey> known) {
    const auto made = [&](const VerifierKey& key) { return key.made(signature); };
    const auto found = std::ranges::find_if(known, made);
    if (found != known.end() && std::any_of(found + 1, known.end(), made))
        return std::unexpected(fmt::format("two of the known keys have the name {} and one key ID", found->name()));
    return static_cast<std::size_t>(found - known.begin());
}

}  // namespace

std::expected<std::vector<NoteSignature>, std::string> parse_signature_lines(std::string_view lines) {
    if (lines.size() > note_bytes_max) return std::unexpected("the signatures are too long");
    if (!is_note_text(lines)) return std::unexpected("the signatures are not lines of printable UTF-8");
    std::vector<NoteSignature> signatures;
    LineReader reader(lines);
    while (const auto line = reader.next()) {
        if (signatures.size() == note_signatures_max)
            return std::unexpected(fmt::format("there are more than {} signatures", note_signatures_max));
        auto signature = parse_signature_line(*line);
        if (!signature)
            return std::unexpected(fmt::format("signature line {} {}", signatures.size() + 1, signature.error()));
        signatures.push_back(std::move(*signature));
    }
    return signatures;
}

std::string format_signature_lines(std::span<const NoteSignature> signatures) {
    std::string out;
    for (const NoteSignature& one : signatures) {
        Bytes bytes;
        for (unsigned shift = 8 * key_id_size; shift > 0; shift -= 8)
            bytes.push_back(static_cast<std::uint8_t>(one.key_id >> (shift - 8) & 0xFF));
        bytes.insert(bytes.end(), one.signature.begin(), one.signature.end());
        out.append(line_mark).append(one.name).append(" ").append(to_base64(bytes)).append("\n");
    }
    return out;
}

std::expected<Note, std::string> parse_note(std::string_view note) {
    if (note.size() > note_bytes_max) return std::unexpected("the note is too long");
    const auto empty_line = note.rfind("\n\n");
    if (empty_line == std::string_view::npos) return std::unexpected("no empty line separates text and signatures");
    const std::string_view text = note.substr(0, empty_line + 1);
    const std::string_view lines = note.substr(empty_line + 2);
    if (!is_note_text(text)) return std::unexpected("the text of the note is not printable UTF-8");
    if (lines.empty()) return std::unexpected("the note has no signature");
    auto signatures = parse_signature_lines(lines);
    if (!signatures) return std::unexpected(std::move(signatures.error()));
    return Note{std::string(text), std::move(*signatures)};
}

std::string format_note(const Note& note) { return note.text + "\n" + format_signature_lines(note.signatures); }

std::expected<std::vector<VerifiedSignature>, std::string> verify_note(const Note& note,
                                                                       std::span<const VerifierKey> known) {
    std::vector<VerifiedSignature> verified;
    for (const NoteSignature& signature : note.signatures) {
        const auto place = key_of(signature, known);
        if (!place) return std::unexpected(place.error());
        if (*place == known.size()) continue;
        const VerifierKey& key = known[*place];
        if (!key.verify(note.text, signature.signature))
            return std::unexpected(fmt::format("the signature of {} is invalid", key.name()));
        VerifiedSignature one{.key = *place};
        if (key.type() == KeyType::cosignature) one.time = cosignature_time(signature.signature);
        verified.push_back(one);
    }
    if (verified.empty()) return std::unexpected("none of the known keys has signed the note");
    return verified;
}

}  // namespace consentry::tlog
