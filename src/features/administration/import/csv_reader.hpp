// Reads RFC 4180 tables from a stream, one record at a time. Each record is limited in size.
//
// Also accepts a byte order mark, ';' as separator, LF instead of CRLF, and empty lines between records. A quote in an
// unquoted field, or text after a closing quote, makes only its own record malformed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace consentry {

struct CsvRecord {
    std::vector<std::string> fields;
    // The record has misplaced quotes or bytes that are not text (UTF-8 without NUL). Its fields are not reliable.
    bool malformed = false;
};

class CsvReader {
public:
    static constexpr std::size_t record_bytes_max = 65'536;
    static constexpr std::size_t fields_max = 128;

    // `limit`: bytes of a record.
    explicit CsvReader(std::istream& stream, std::size_t limit = record_bytes_max) : stream_(stream), limit_(limit) {}

    // Returns nullopt at the end. Error: file_unreadable, if a record exceeds its limit or a quote never closes, since
    // that quote could span the rest of the file. The first record is the header. Throws std::runtime_error if the
    // stream fails.
    Result<std::optional<CsvRecord>> next();
    std::uint64_t bytes_read() const { return bytes_; }

private:
    int get();
    int peek();
    void find_separator();
    bool fill();

    std::istream& stream_;
    const std::size_t limit_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::uint64_t bytes_ = 0;
    std::int64_t records_ = 0;
    char separator_ = 0;  // 0 until the first record is read
};

}  // namespace consentry
