#include "features/published_logs/entry_fields.hpp"

#include <limits>
#include <stdexcept>

namespace consentry {

using std::chrono::sys_seconds;

void append_number(Bytes& out, std::uint64_t number, unsigned bytes) {
    for (unsigned shift = 8 * bytes; shift > 0; shift -= 8)
        out.push_back(static_cast<std::uint8_t>(number >> (shift - 8)));
}

void append_time(Bytes& out, sys_seconds time) {
    if (time.time_since_epoch().count() < 0) throw std::invalid_argument("entry: the time is before 1970");
    append_number(out, static_cast<std::uint64_t>(time.time_since_epoch().count()), 8);
}

std::expected<void, std::string> check_layout(BytesView bytes, std::uint8_t layout, std::size_t size) {
    if (bytes.empty() || bytes.front() != layout)
        return std::unexpected("the entry has a layout that this program does not know");
    if (bytes.size() != size) return std::unexpected("the entry does not have " + std::to_string(size) + " bytes");
    return {};
}

BytesView FieldReader::take(std::size_t bytes) {
    const BytesView out = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return out;
}

std::uint64_t FieldReader::number(std::size_t bytes) {
    std::uint64_t out = 0;
    for (const std::uint8_t byte : take(bytes)) out = out << 8 | byte;
    return out;
}

std::expected<sys_seconds, std::string> read_time(FieldReader& fields) {
    const std::uint64_t time = fields.number(8);
    if (time > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::unexpected("the entry has a time above 2^63 - 1");
    return sys_seconds{std::chrono::seconds{static_cast<std::int64_t>(time)}};
}

}  // namespace consentry
