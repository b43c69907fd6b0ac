// Signed notes: c2sp.org/signed-note. Text that anyone can read, then a line for each signature. A text counts only
// after verify_note(). Errors are sentences that say what is wrong.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tlog/note_keys.hpp"

namespace consentry::tlog {

// The format demands at least 16. A signature of a key that a verifier does not know may be one of ML-DSA-44, which
// takes 3.3 KB in base64.
inline constexpr std::size_t note_signatures_max = 100;
inline constexpr std::size_t note_bytes_max = 1024 * 1024;

struct Note {
    std::string text;  // with its last newline
    std::vector<NoteSignature> signatures;
};

// Strict, so that format_note() returns the same bytes: valid UTF-8, no ASCII control character but newlines, one line
// for each signature, canonical base64, nothing behind the last line. The last empty line ends the text.
std::expected<Note, std::string> parse_note(std::string_view note);
std::string format_note(const Note& note);

// The signature lines alone, as a witness answers.
std::expected<std::vector<NoteSignature>, std::string> parse_signature_lines(std::string_view lines);
std::string format_signature_lines(std::span<const NoteSignature> signatures);

struct VerifiedSignature {
    std::size_t key = 0;                             // place in the known keys
    std::optional<std::chrono::sys_seconds> time{};  // of a cosignature
};

// Signatures of keys that are not among the known ones are ignored. Refuses the note if a signature of a known key is
// false, if it has none of a known key, or if it has one whose name and ID two known keys share. A key may have signed
// twice.
std::expected<std::vector<VerifiedSignature>, std::string> verify_note(const Note& note,
                                                                       std::span<const VerifierKey> known);

}  // namespace consentry::tlog
