// Requests out of bytes: strict HTTP/1.0 and 1.1 (RFC 9112), without a socket.
//
// The one reading of message length (WEB-1): whatever two readers might understand differently is refused with 400 and
// ends the connection, never repaired: line ends other than CR LF, control characters, folded lines, a missing,
// repeated or malformed Host, Content-Length that is repeated, not plain digits, or beside Transfer-Encoding,
// Transfer-Encoding other than "chunked" once, absolute targets of another scheme, authority-form targets of other
// methods than CONNECT.
//
//     while (reader.advance() needs bytes) { read into reader.space(); reader.commit(n); }
//     reader.request() is whole: answer it; reader.next(); what was pipelined behind it is there already
//
// A body that did not come with its head takes no memory before space() is asked for in the state `body`, and none at
// all after drop_body().
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
    // Asked for upload_bytes_max() where something else than JSON follows a head; where it takes no such file,
    // text_bytes_max holds.
    const Application* application = nullptr;
};

class MessageReader {
public:
    enum class State : std::uint8_t {
        empty,     // nothing of the next request is here
        head,      // its head is not whole
        body,      // its head is; its body is not
        complete,  // request() can be answered
        refused    // refusal() says why; request() holds what was understood; the connection must end
    };
    explicit MessageReader(const ReaderLimits& limits) : limits_(limits) {}

    // Where the next bytes go: never empty while more are needed. Then commit() how many came, and advance().
    std::span<char> space();
    void commit(std::size_t count);
    State advance();
    // The peer sends no more: a request that is not whole is refused.
    State end_of_input();

    State state() const { return state_; }
    Request& request() { return request_; }
    const ErrorKind& refusal() const { return *refusal_; }
    // The client waits for "100 Continue" before it sends the body.
    bool awaits_continue() const { return state_ == State::body && awaits_continue_ && received_of_body() == 0; }

    // In the state `body`: how much memory the body may take beside the buffer that holds its head; of one in chunks,
    // how much it takes by now.
    std::size_t body_memory() const;
    // Nobody wants the body: what comes is thrown away. False where that would be more than `most`, or cannot be known.
    bool drop_body(std::size_t most);

    // Ends the request (its views with it) and moves on to what follows.
    void next();
    // Ends everything and wipes it: the next user is another connection.
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
    bool taken_ = false;  // what has come of a body aside has been moved there
    BodyPlace place_ = BodyPlace::in_buffer;
    std::size_t begin_ = 0;    // of the current request in buffer_
    std::size_t scanned_ = 0;  // whole lines of its head that are in order
    std::size_t end_ = 0;      // where the next request begins; complete only
    std::size_t body_begin_ = 0;
    std::size_t body_length_ = 0;  // where it is nowhere: of what is still to come
    std::size_t body_bytes_max_ = 0;
    ByteBuffer buffer_;
    ByteBuffer body_;  // what does not fit behind the head, or was chunked
    ChunkDecoder chunks_;
    Request request_;
    const ErrorKind* refusal_ = nullptr;
};

}  // namespace consentry::http
