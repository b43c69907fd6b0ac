// The chunked transfer coding (RFC 9112 section 7.1), read strictly and byte by byte, wherever the network cut it.
//
// Not Boost.Beast's: its decoder asserts on some cuts of the last chunk, folds trailers, and wants a whole chunk line
// and the whole trailer section in memory before it looks at them, without a bound of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/byte_buffer.hpp"

namespace consentry::http {

// Chunk extensions and trailers of one message together, in bytes. Both are read and dropped.
inline constexpr std::size_t chunk_overhead_bytes_max = 4096;

class ChunkDecoder {
public:
    enum class Status { more, done, malformed, too_large };

    // Appends the data found in `in` to `body` and removes from `in` what belongs to the message. too_large as soon as
    // a chunk announces more than `body_bytes_max` in total, before its data.
    Status decode(std::string_view& in, ByteBuffer& body, std::size_t body_bytes_max);

private:
    enum class State : std::uint8_t {
        size_first,
        size,
        extension_first,
        extension_name,
        extension_value_first,
        extension_value,
        extension_quoted,
        extension_escaped,
        extension_end,
        size_lf,
        data,
        data_cr,
        data_lf,
        trailer_first,
        trailer_name,
        trailer_value,
        trailer_lf,
        end_lf,
        done
    };
    Status step(char c, const ByteBuffer& body, std::size_t body_bytes_max);
    Status step_in_extension(char c);
    Status end_of_size(char c);
    Status count_overhead();

    State state_ = State::size_first;
    std::uint8_t digits_ = 0;
    std::size_t remaining_ = 0;  // of the chunk being read
    std::size_t overhead_ = 0;
};

}  // namespace consentry::http
