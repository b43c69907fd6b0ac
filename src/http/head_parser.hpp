// The head of one request, its lines already checked by MessageReader: fields into a Request, and how its body is
// framed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "http/request.hpp"

namespace consentry::http {

struct Head {
    enum class Body : std::uint8_t { none, length, chunked };
    Body body = Body::none;
    std::size_t body_length = 0;
    bool expects_continue = false;
};

// Fills `request` with views into `bytes` and `head`; nullptr, or why the request is refused. Then `request` still
// holds what was understood.
const ErrorKind* parse_head(std::string_view bytes, std::size_t target_bytes_max, Request& request, Head& head);

// The same for whole lines of a head that will not be read to its end: no verdict, only what can be known.
void parse_lines(std::string_view bytes, Request& request);

}  // namespace consentry::http
