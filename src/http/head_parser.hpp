// Parses the head of one request, whose line ends MessageReader has already checked: fills a Request and determines how
// the body is framed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "http/request.hpp"

namespace consentry::http {

// A field takes 32 bytes besides those of the head, which may be four. Browsers and proxies send a few dozen.
inline constexpr std::size_t head_fields_max = 128;  // above: 431

struct Head {
    enum class Body : std::uint8_t { none, length, chunked };
    Body body = Body::none;
    std::size_t body_length = 0;
    bool expects_continue = false;
};

// Fills `request` with views into `bytes`, and `head`. Returns nullptr, or the reason for refusing the request;
// `request` then holds the fields parsed so far.
const ErrorKind* parse_head(std::string_view bytes, std::size_t target_bytes_max, Request& request, Head& head);

// Fills `request` from the complete lines of a head that will not be read to its end. Gives no verdict.
void parse_lines(std::string_view bytes, Request& request);

}  // namespace consentry::http
