// The fields of log entries: numbers with the most significant byte first, times, and bytes of a fixed length.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>

#include "base/bytes.hpp"

namespace consentry {

void append_number(Bytes& out, std::uint64_t number, unsigned bytes);
// Eight bytes of seconds since 1970. Throws std::invalid_argument for an earlier time.
void append_time(Bytes& out, std::chrono::sys_seconds time);

// Whether an entry begins with this layout and has this length. The error is a sentence.
std::expected<void, std::string> check_layout(BytesView bytes, std::uint8_t layout, std::size_t size);

// Takes fields off the front; the caller has checked the length of the whole.
class FieldReader {
public:
    explicit FieldReader(BytesView bytes) : rest_(bytes) {}
    std::uint64_t number(std::size_t bytes);
    void copy_to(auto& array) { std::ranges::copy(take(array.size()), array.begin()); }
    std::string text(std::size_t bytes) { return std::string(as_text(take(bytes))); }

private:
    BytesView take(std::size_t bytes);
    BytesView rest_;
};
std::expected<std::chrono::sys_seconds, std::string> read_time(FieldReader& fields);

}  // namespace consentry
