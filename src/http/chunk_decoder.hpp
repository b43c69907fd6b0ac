// A strict decoder of the chunked transfer coding (RFC 9112 section 7.1). It works byte by byte, so input may be split
// anywhere.
//
// Boost.Beast's decoder is not used: it asserts on some splits of the last chunk, folds trailers, and buffers a whole
// chunk line and the whole trailer section, without a limit of its own, before it checks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/byte_buffer.hpp"

namespace consentry::http {

// Limit for the chunk extensions and trailers of one message together, in bytes. Both are read and discarded.
inline constexpr std::size_t chunk_overhead_bytes_max = 4096;

class ChunkDecoder {
public:
    enum class Status { more, done, malformed, too_large };

    // Appends the data found in `in` to `body` and removes the consumed bytes from `in`. Returns too_large as soon as a
    // chunk header brings the total above `body_bytes_max`, before reading that chunk's data.
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
    std::size_t remaining_ = 0;  // bytes left in the current chunk
    std::size_t overhead_ = 0;
};

}  // namespace consentry::http
