// What a log sends to its witnesses, without the sending: c2sp.org/tlog-witness. A witness answers with signature lines
// (parse_signature_lines() of note.hpp), or with the size that it knows. Errors are sentences that say what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tlog/merkle.hpp"
#include "tlog/note.hpp"

namespace consentry::tlog {

inline constexpr std::size_t witness_hashes_max = 63;
inline constexpr std::size_t add_checkpoint_bytes_max = note_bytes_max + 4096;

// The body of POST <prefix>/add-checkpoint.
struct AddCheckpoint {
    std::uint64_t old_size = 0;  // of the checkpoint that the witness has cosigned before; 0 for none
    std::vector<Hash> proof;     // of consistency between it and the new one; empty if old_size is 0
    std::string checkpoint;      // the signed note of the new one, verbatim
};

std::string format_add_checkpoint(const AddCheckpoint& request);  // throws std::invalid_argument above 63 hashes
// Strict, so that format_add_checkpoint() returns the same bytes. Does not verify the proof or parse the checkpoint.
std::expected<AddCheckpoint, std::string> parse_add_checkpoint(std::string_view body);

// The body of answer 409, of type text/x.tlog.size: a size and a newline.
inline constexpr std::string_view tree_size_media_type = "text/x.tlog.size";
std::string format_tree_size(std::uint64_t size);
std::optional<std::uint64_t> parse_tree_size(std::string_view body);

}  // namespace consentry::tlog
