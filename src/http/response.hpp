// An answer before it is written. The connection adds Content-Length, Connection and Date.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

namespace consentry::http {

// Produces the next piece of a body; nullopt ends it. Must own what it needs, because it runs after the handler has
// returned. It is destroyed with its answer, even if the stream ends early.
using NextPiece = std::function<boost::asio::awaitable<std::optional<std::string>>()>;

// The request headers that decide which answer an address gives, for caches.
struct Vary {
    bool language = false;  // x-custom-lang
    bool origin = false;
    bool accept_encoding = false;
    bool preflight = false;  // method and headers of the request that it asks about

    void append_to(std::string& headers) const;  // one line, or none
};

enum class StreamEnd { whole, client_gone, failed };

// The part of the body after `Response::body`. Each piece is produced once the client has taken the previous one.
struct BodyStream {
    NextPiece next;  // an exception resets the connection
    // Called once with the bytes written and the text of any exception, unless the server stops in the middle.
    std::function<void(StreamEnd end, std::size_t bytes, std::string_view failure)> ended = {};
};

struct Response {
    unsigned status = 200;
    std::string headers;  // complete lines: "x-version: 1\r\n..."; values already checked (no CR, LF, NUL)
    Vary vary = {};       // becomes a line of the headers once it is complete
    std::string body;     // empty for 204 and 304
    bool close = false;   // end the connection after this answer
    std::optional<BodyStream> stream = {};
    std::size_t streamed_bytes = 0;  // of a stream that has ended
    // The length of the envelope's end, its metadata and closing braces, if the metadata holds only the service's own
    // facts.
    std::size_t metadata_bytes = 0;

    std::size_t body_bytes() const { return body.size() + streamed_bytes; }
    void add_header(std::string_view name, std::string_view value) {
        headers.append(name).append(": ").append(value).append("\r\n");
    }
    void clear() {
        status = 200;
        headers.clear();
        vary = {};
        body.clear();
        close = false;
        stream.reset();
        streamed_bytes = 0;
        metadata_bytes = 0;
    }
};

// Returns the standard reason phrase (RFC 9110 section 15), or "Unknown" for an unassigned status.
std::string_view reason_phrase(unsigned status);

}  // namespace consentry::http
