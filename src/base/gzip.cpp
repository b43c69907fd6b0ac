#include "base/gzip.hpp"

#include <algorithm>
#include <stdexcept>

#include <zlib.h>

namespace consentry {
namespace {

constexpr int gzip_window = 15 + 16;  // maximum window size; 16 selects the gzip header and trailer

Bytef* input_of(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

// One per thread and reused: creating one costs more than compressing a page.
class Deflater {
public:
    explicit Deflater(Effort effort) {
        if (deflateInit2(&stream_, static_cast<int>(effort), Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::runtime_error("zlib cannot begin");
    }
    ~Deflater() { deflateEnd(&stream_); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    std::string run(std::string_view text) {
        deflateReset(&stream_);
        std::string out(deflateBound(&stream_, text.size()), '\0');
        stream_.next_in = input_of(text);
        stream_.avail_in = static_cast<uInt>(text.size());
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = static_cast<uInt>(out.size());
        if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib cannot compress");
        out.resize(stream_.total_out);
        return out;
    }

private:
    z_stream stream_{};
};

class Inflater {
public:
    explicit Inflater(std::string_view packed) {
        stream_.next_in = input_of(packed);
        stream_.avail_in = static_cast<uInt>(packed.size());
        if (inflateInit2(&stream_, gzip_window) != Z_OK) throw std::runtime_error("zlib cannot begin");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    // Appends up to `count` bytes and returns how many there were. None: the input has ended, or is damaged from here
    // on.
    std::size_t append(std::string& out, std::size_t count) {
        const std::size_t before = out.size();
        out.resize(before + count);
        stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
        stream_.avail_out = static_cast<uInt>(count);
        const int status = inflate(&stream_, Z_NO_FLUSH);
        has_ended_ = status == Z_STREAM_END && stream_.avail_in == 0;
        is_damaged_ = !has_ended_ && status != Z_OK && status != Z_BUF_ERROR;
        out.resize(out.size() - stream_.avail_out);
        return out.size() - before;
    }
    // zlib has then compared the checksum and the length. Nothing may follow.
    bool has_ended() const { return has_ended_; }
    bool is_damaged() const { return is_damaged_; }

private:
    z_stream stream_{};
    bool has_ended_ = false;
    bool is_damaged_ = false;
};

}  // namespace

std::string gzip(std::string_view text, Effort effort) {
    // Apart, because each has a quarter of a megabyte and few threads need both.
    if (effort == Effort::least) {
        thread_local Deflater quick(Effort::least);
        return quick.run(text);
    }
    thread_local Deflater thorough(Effort::usual);
    return thorough.run(text);
}

std::optional<Unpacked> gunzip(std::string_view packed, std::size_t bytes_max) {
    constexpr std::size_t step_max = std::size_t{1} << 16U;
    Inflater inflater(packed);
    Unpacked out;
    while (out.bytes.size() < bytes_max && !inflater.has_ended()) {
        const std::size_t count = inflater.append(out.bytes, std::min(bytes_max - out.bytes.size(), step_max));
        if (inflater.is_damaged() || (count == 0 && !inflater.has_ended())) return std::nullopt;
    }
    std::string next;  // what does not fit
    if (!inflater.has_ended()) inflater.append(next, 1);
    if (inflater.is_damaged()) return std::nullopt;
    out.is_whole = inflater.has_ended() && next.empty();
    return out;
}

}  // namespace consentry
