// Checkpoints: c2sp.org/tlog-checkpoint. The text of a signed note that names a log, its size and its root. Extension
// lines are refused: no monitor could audit them. Errors are sentences that say what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "tlog/merkle.hpp"
#include "tlog/note.hpp"

namespace consentry::tlog {

inline constexpr std::size_t origin_bytes_max = key_name_bytes_max;  // the origin is the name of the log's key

struct Checkpoint {
    std::string origin;  // of a log of ours also the name of its key
    std::uint64_t size = 0;
    Hash root{};
    bool operator==(const Checkpoint&) const = default;
};

// Three lines. Throws std::invalid_argument if the origin is empty, too long, not one line, or not valid UTF-8.
std::string format_checkpoint(const Checkpoint& checkpoint);
// Accepts no other spelling, and for size 0 no other root than that of the empty tree.
std::expected<Checkpoint, std::string> parse_checkpoint(std::string_view note_text);

struct SignedCheckpoint {
    Checkpoint checkpoint;
    Note note;
};
// Parses note and text; verifies nothing.
std::expected<SignedCheckpoint, std::string> parse_signed_checkpoint(std::string_view note);
// The same, and the log's key has signed it: its name is the origin, and its type is ed25519.
std::expected<SignedCheckpoint, std::string> open_checkpoint(std::string_view note, const VerifierKey& log);

}  // namespace consentry::tlog
