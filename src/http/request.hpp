// A request as read from the connection. Everything refers into the connection's buffer: valid until the answer
// is written, and not a moment longer.
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

// A body that was left where it is when its head was read: nobody has been asked yet whether it is wanted.
class UnreadBody {
public:
    // Reads it; then it is Request::body. `client` is who takes up the memory. Errors: 400, 408, 413, and 503 where the
    // memory of bodies is full. Throws operation_aborted where the client is gone. At most once.
    virtual boost::asio::awaitable<Result<void>> read(const boost::asio::ip::address& client) = 0;

protected:
    ~UnreadBody() = default;
};

struct Request {
    Method method = Method::other;
    std::string_view method_text;
    std::string_view target;  // as sent: path and query, percent-encoded
    std::string_view path;    // the part before '?'
    std::string_view query;   // the part after '?', without it
    unsigned version = 11;    // 10 or 11
    bool keep_alive = true;
    std::vector<std::pair<std::string_view, std::string_view>> headers;  // names as sent, values trimmed
    BorrowedText body;
    UnreadBody* unread = nullptr;   // set: there is a body, and it has not been read
    boost::asio::ip::address peer;  // the other end of the connection
    std::uint16_t peer_port = 0;

    // The value of a header that may stand once; nullopt where it is absent. Names without case.
    // Where it stands twice, the first; ask count() where that matters.
    std::optional<std::string_view> header(std::string_view name) const;
    std::size_t count(std::string_view name) const;
};

// 415, with the media types that would have been taken; answered with an Accept header (RFC 9110 section 15.5.16).
Error wrong_media_type(const ErrorKind& kind, std::string_view taken);
// 415 for a body that does not come as it is.
Error wrong_content_coding();

}  // namespace consentry::http
