// Reads requests from bytes: strict HTTP/1.0 and 1.1 (RFC 9112), independent of sockets.
//
// This is the only place that interprets message length (WEB-1). Input that two readers might interpret differently is
// refused with 400 and ends the connection; it is never repaired. This covers line ends other than CR LF, control
// characters, folded lines, a missing, repeated or malformed Host, a Content-Length that is repeated, not plain digits,
// or next to Transfer-Encoding, a Transfer-Encoding other than a single "chunked", absolute targets of another scheme,
// and authority-form targets of methods other than CONNECT.
//
//     while (reader.advance() needs bytes) { read into reader.space(); reader.commit(n); }
//     reader.request() is complete: answer it; reader.next(); pipelined requests are already buffered
//
// A body that did not arrive with its head takes no memory until space() is called in the state `body`, and none at all
// after drop_body().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "http/byte_buffer.hpp"
#include "http/chunk_decoder.hpp"
#include "http/request.hpp"

namespace consentry::http {

class Application;

struct ReaderLimits {
    std::size_t head_bytes_max;
    std::size_t target_bytes_max;
    std::size_t json_bytes_max;
    std::size_t text_bytes_max;
    // Its upload_bytes_max() is consulted if the Content-Type is not JSON. text_bytes_max applies if the operation
    // takes no file.
    const Application* application = nullptr;
};

class MessageReader {
public:
    enum class State : std::uint8_t {
        empty,     // no byte of the next request has arrived
        head,      // the head is incomplete
        body,      // the head is complete, the body is not
        complete,  // request() can be answered
        refused    // refusal() holds the reason, request() the fields parsed so far; the connection must end
    };
    explicit MessageReader(const ReaderLimits& limits) : limits_(limits) {}

    // Where to read the next bytes into; never empty while more are needed. Call commit() with the number of bytes
    // read, then advance().
    std::span<char> space();
    void commit(std::size_t count);
    State advance();
    // The peer has closed its sending side: an incomplete request is refused.
    State end_of_input();

    State state() const { return state_; }
    Request& request() { return request_; }
    const ErrorKind& refusal() const { return *refusal_; }
    // Whether the client waits for "100 Continue" before it sends the body.
    bool awaits_continue() const { return state_ == State::body && awaits_continue_ && received_of_body() == 0; }

    // In the state `body`: how many bytes the body may take in addition to the buffer that holds its head. For a
    // chunked body, how many it takes so far.
    std::size_t body_memory() const;
    // Discards the rest of the body as it arrives. Returns false if more than `most` bytes are outstanding, or if the
    // length is unknown.
    bool drop_body(std::size_t most);

    // Ends the request, invalidates its views, and moves on to the next one.
    void next();
    // Ends everything and wipes the buffers, because the next user is another connection.
    void clear();

private:
    enum class BodyPlace : std::uint8_t { in_buffer, aside, chunked, nowhere };
    State refuse(const ErrorKind& kind);
    State scan_head();
    State parse_head();
    State begin_body(std::size_t length);
    void take_body();
    State read_body();
    State finish(std::size_t end);
    State too_large();
    void make_room();
    std::size_t received_of_body() const;
    std::size_t body_bytes_max() const;

    ReaderLimits limits_;
    State state_ = State::empty;
    bool skipped_line_ = false;  // RFC 9112 section 2.2: one empty line before a request is ignored
    bool awaits_continue_ = false;
    bool taken_ = false;  // the received part of a separate body has been moved to body_
    BodyPlace place_ = BodyPlace::in_buffer;
    std::size_t begin_ = 0;    // start of the current request in buffer_
    std::size_t scanned_ = 0;  // bytes of its head already checked, in whole lines
    std::size_t end_ = 0;      // start of the next request; valid in state complete only
    std::size_t body_begin_ = 0;
    std::size_t body_length_ = 0;  // for a discarded body, the bytes still to come
    std::size_t body_bytes_max_ = 0;
    ByteBuffer buffer_;
    ByteBuffer body_;  // a body that does not fit behind the head, or was chunked
    ChunkDecoder chunks_;
    Request request_;
    const ErrorKind* refusal_ = nullptr;
};

}  // namespace consentry::http
