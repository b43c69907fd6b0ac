// Requests that are malformed, ambiguous or merely unusual, and what Consentry reads out of each (WEB-1). Every text is
// sent with an ordinary request behind it: who has measured the text otherwise shows it there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/refused_requests.hpp"

namespace consentry::test {

enum class Reader { nginx, node };

struct Framing {
    std::string bytes;
    std::vector<std::string> seen = {};  // requests, as "METHOD length of body", without the one behind
    unsigned refusal = 0;                // the answer that ends the connection; 0: all is read
    bool closes = false;                 // the request behind is not read, without a refusal

    // Consentry accepts more than this reader does; by what rule.
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

// Where a character does harm: into each of these a test puts one, at the mark.
inline constexpr char mark = '@';
inline std::string at_mark(std::string text, std::string_view put) { return text.replace(text.find(mark), 1, put); }

FramingRows length_framings();     // Content-Length, Transfer-Encoding, both
FramingRows chunk_framings();      // sizes, extensions, data, trailers
FramingRows line_framings();       // request lines, versions, targets, methods
FramingRows field_framings();      // names, values, Host, Connection, Expect
FramingRows character_framings();  // control characters and stray line ends everywhere
FramingRows sequence_framings();   // several requests in a row

}  // namespace consentry::test
