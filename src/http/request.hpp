// A request as read from the connection. All views refer to the connection's buffer and are valid until the answer is
// written.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>

#include "base/borrowed_text.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"

namespace consentry::http {

enum class Method { get, head, post, put, patch, delete_, options, other };
std::string_view name_of(Method method);

// A body left unread when its head was read, because the guard has not yet decided whether to accept the request.
class UnreadBody {
public:
    // Reads the body into Request::body. `client` is the address charged for the memory. Errors: 400, 408, 413, and 503
    // if the body memory is exhausted. Throws operation_aborted if the client has disconnected. Call at most once.
    virtual boost::asio::awaitable<Result<void>> read(const boost::asio::ip::address& client) = 0;

protected:
    ~UnreadBody() = default;
};

// The time that a request has for its answer (ServerOptions::request_timeout).
class RequestTime {
public:
    // Gives the next step of long work the time of a whole request. Each step must be short; the number of steps must
    // be bounded by the work. Call on the thread of the request.
    virtual void renew() noexcept = 0;
    // The time is up, and the client waits for an answer. What awaits on the thread of the request is canceled.
    virtual bool is_over() const noexcept = 0;

protected:
    ~RequestTime() = default;
};

struct Request {
    Method method = Method::other;
    std::string_view method_text;
    std::string_view target;  // as sent: path and query, percent-encoded
    std::string_view path;    // the part before '?'
    std::string_view query;   // the part after '?'
    unsigned version = 11;    // 10 or 11
    bool keep_alive = true;
    std::vector<std::pair<std::string_view, std::string_view>> headers;  // names as sent, values trimmed
    BorrowedText body;
    UnreadBody* unread = nullptr;   // not null: the request has a body that has not been read
    RequestTime* time = nullptr;    // not null while a handler runs
    boost::asio::ip::address peer;  // the remote end of the connection
    std::uint16_t peer_port = 0;

    // Returns the value of a header, or nullopt if it is absent. Names are case-insensitive. Returns the first value of
    // a repeated header; use count() if repetition matters.
    std::optional<std::string_view> header(std::string_view name) const;
    std::size_t count(std::string_view name) const;
};

// Returns a 415 that lists the accepted media types in an Accept header (RFC 9110 section 15.5.16).
Error wrong_media_type(const ErrorKind& kind, std::string_view taken);
// Returns a 415 for a body with a content coding.
Error wrong_content_coding();

}  // namespace consentry::http
