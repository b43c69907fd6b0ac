// What a client does with a body in the content coding gzip.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <zlib.h>

namespace consentry::tests {

// Returns an empty string if `packed` is not gzip or expands to more than `bytes_max`.
inline std::string gunzip(std::string_view packed, std::size_t bytes_max) {
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("zlib cannot begin");
    const std::unique_ptr<z_stream, int (*)(z_streamp)> end(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string out;
    std::array<char, 16 * 1024> part;
    for (;;) {
        stream.next_out = reinterpret_cast<Bytef*>(part.data());
        stream.avail_out = static_cast<uInt>(part.size());
        const int state = inflate(&stream, Z_NO_FLUSH);
        if (state != Z_OK && state != Z_STREAM_END) return {};
        out.append(part.data(), part.size() - stream.avail_out);
        if (out.size() > bytes_max) return {};
        if (state == Z_STREAM_END) return out;
        if (stream.avail_out != 0 && stream.avail_in == 0) return {};  // truncated
    }
}

}  // namespace consentry::tests
