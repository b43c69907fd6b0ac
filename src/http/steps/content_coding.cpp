#include "http/steps/content_coding.hpp"

#include <algorithm>
#include <stdexcept>

#include <zlib.h>

#include "base/text.hpp"
#include "http/steps/accept.hpp"

namespace consentry::http {
namespace {

constexpr int gzip_window = 15 + 16;  // maximum window size; 16 selects the gzip header and trailer
constexpr int fastest = 1;

// One per thread and reused: creating one costs more than compressing a page.
class Deflater {
public:
    Deflater() {
        if (deflateInit2(&stream_, fastest, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::runtime_error("zlib cannot begin");
    }
    ~Deflater() { deflateEnd(&stream_); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    std::string run(std::string_view text) {
        deflateReset(&stream_);
        std::string out(deflateBound(&stream_, text.size()), '\0');
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
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

}  // namespace

bool accepts_gzip(const Request& request) {
    bool any = false;
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "accept-encoding")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const auto [coding, weight] = take_weighted(rest);
            if (equal_ignoring_case(coding, "gzip")) return weight > 0;
            if (coding == "*") any = weight > 0;
        }
    }
    return any;
}

bool names_tag(std::string_view if_none_match, std::string_view tag) {
    const auto opaque = [](std::string_view text) { return text.starts_with("W/") ? text.substr(2) : text; };
    if (trim(if_none_match) == "*") return true;
    while (!if_none_match.empty()) {
        const std::string_view item = if_none_match.substr(0, if_none_match.find(','));
        if_none_match.remove_prefix(std::min(if_none_match.size(), item.size() + 1));
        if (opaque(trim(item)) == opaque(tag)) return true;
    }
    return false;
}

std::string gzip(std::string_view text) {
    thread_local Deflater deflater;
    return deflater.run(text);
}

void compress(const Request& request, Response& response) {
    if (!accepts_gzip(request)) return;
    std::string packed = gzip(response.body);
    if (packed.size() >= response.body.size()) return;
    response.body = std::move(packed);
    response.add_header("Content-Encoding", "gzip");
}

}  // namespace consentry::http
