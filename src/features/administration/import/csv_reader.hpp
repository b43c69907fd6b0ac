// Tables as RFC 4180 describes them, from a stream, one record at a time and none larger than its bound.
//
// Taken besides: a byte order mark, ';' as separator, LF for CRLF, lines without anything between records. A quote in
// an unquoted field, or text behind a closing one, breaks its record and no other.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace consentry {

struct CsvRecord {
    std::vector<std::string> fields;
    // Misplaced quotes, or bytes that are no text (UTF-8 without NUL): the fields cannot be relied on.
    bool malformed = false;
};

class CsvReader {
public:
    static constexpr std::size_t record_bytes_max = 65'536;
    static constexpr std::size_t fields_max = 128;

    explicit CsvReader(std::istream& stream) : stream_(stream) {}

    // nullopt at the end. file_unreadable: a record beyond its bound, or a quote that never closes, which might as well
    // be the rest of the file. Throws std::runtime_error where the stream fails.
    Result<std::optional<CsvRecord>> next();
    std::uint64_t bytes_read() const { return bytes_; }

private:
    int get();
    int peek();
    void find_separator();
    bool fill();

    std::istream& stream_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::uint64_t bytes_ = 0;
    std::int64_t records_ = 0;
    char separator_ = 0;  // not known before the first record
};

}  // namespace consentry
