// The gzip format (RFC 1952).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace consentry {

enum class Effort { least = 1, usual = 6 };  // zlib's levels

// Throws std::runtime_error if there is no memory. Requires less than 4 GB.
std::string gzip(std::string_view text, Effort effort);

struct Unpacked {
    std::string bytes;
    bool is_whole = false;
};

// Returns at most the first `bytes_max` bytes of what was packed, so that a small input cannot fill the memory.
// Nullopt: the input is damaged, or does not end with what was packed.
std::optional<Unpacked> gunzip(std::string_view packed, std::size_t bytes_max);

// How many bytes gzip() needs at most for the first `bytes` of a text: with so many, gunzip() returns these.
constexpr std::size_t packed_bytes_max(std::size_t bytes) {
    constexpr std::size_t stored_block = 5;  // bytes that deflate adds to a block which it cannot compress, ...
    constexpr std::size_t block = 16'383;    // ... and the size of the smallest of them
    constexpr std::size_t frame = 64;        // gzip's header and trailer, and the start of the next block
    return bytes + (bytes / block + 1) * stored_block + frame;
}

}  // namespace consentry
