// Requests that are malformed, ambiguous or merely unusual, and how Consentry reads each of them (WEB-1). The test
// appends an ordinary request to each; a reader that measures the text differently misreads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/refused_requests.hpp"

namespace consentry::tests {

enum class Reader { nginx, node };

struct Framing {
    std::string bytes;
    std::vector<std::string> seen = {};  // "METHOD body-length" of each request, except the appended one
    unsigned refusal = 0;                // status of the refusal; 0: everything is read
    bool closes = false;                 // without a refusal, the appended request is not read

    // A reader that accepts less than Consentry, and the rule that permits Consentry's reading.
    struct Exception {
        Reader reader;
        std::string_view rule;
    };
    std::vector<Exception> exceptions = {};
};

using FramingRows = std::vector<Framing>;

inline Framing refused(std::string bytes, unsigned status = 400, std::vector<std::string> seen_before = {}) {
    return {.bytes = std::move(bytes), .seen = std::move(seen_before), .refusal = status};
}
inline Framing accepted(std::string bytes, std::vector<std::string> seen,
                        std::vector<Framing::Exception> exceptions = {}) {
    return {.bytes = std::move(bytes), .seen = std::move(seen), .exceptions = std::move(exceptions)};
}
inline Framing accepted_and_closed(std::string bytes, std::vector<std::string> seen,
                                   std::vector<Framing::Exception> exceptions = {}) {
    return {.bytes = std::move(bytes), .seen = std::move(seen), .closes = true, .exceptions = std::move(exceptions)};
}

// In each text, the mark is a position where a stray character does harm; tests replace the mark with such characters.
inline constexpr char mark = '@';
inline std::string at_mark(std::string text, std::string_view put) { return text.replace(text.find(mark), 1, put); }

FramingRows length_framings();     // Content-Length, Transfer-Encoding, both
FramingRows chunk_framings();      // sizes, extensions, data, trailers
FramingRows line_framings();       // request lines, versions, targets, methods
FramingRows field_framings();      // names, values, Host, Connection, Expect
FramingRows character_framings();  // control characters and stray line ends everywhere
FramingRows sequence_framings();   // several requests in a row

}  // namespace consentry::tests
