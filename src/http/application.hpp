// The interface through which a connection answers requests: one coroutine per request. http/pipeline.hpp implements it
// for the service.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"
#include "http/request.hpp"
#include "http/response.hpp"

namespace consentry::http {

class Application {
public:
    virtual ~Application() = default;

    // Answers a request whose head is complete. The body is in Request::body if it arrived with the head; otherwise the
    // application reads it through Request::unread (WEB-3). The connection discards a body that stays unread. Never
    // throws for a fault of the request. The request's deadline may cancel what it awaits; it then answers 408, or ends
    // with operation_aborted, and the connection calls refuse() for the 408. Ends with operation_aborted if the client
    // is gone.
    virtual boost::asio::awaitable<void> respond(const Request& request, Response& response) = 0;

    // Returns the body limit in bytes for a file upload, asked once the head is read. 0: the operation takes no file,
    // and the usual limits apply.
    virtual std::size_t upload_bytes_max(const Request&) const noexcept { return 0; }

    // Writes an answer on behalf of the connection: for unusable input (400, 413, 414, 431), a missed deadline (408),
    // or a connection over the limit (503). `request` holds what is known so far, possibly nothing.
    virtual void refuse(const Request& request, const ErrorKind& kind, Response& response) noexcept = 0;

    // For applications that always need the whole body. Returns false if the body cannot be read; `response` then holds
    // the refusal.
    boost::asio::awaitable<bool> receive_body(const Request& request, Response& response) {
        if (request.unread == nullptr) co_return true;
        const auto come = co_await request.unread->read(request.peer);
        if (!come) refuse(request, come.error().kind(), response);
        co_return come.has_value();
    }
};

}  // namespace consentry::http
