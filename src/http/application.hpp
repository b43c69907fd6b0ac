// What a connection talks to: one coroutine per request. http/pipeline.hpp is the one of the service.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"
#include "http/request.hpp"
#include "http/response.hpp"

namespace consentry::http {

class Application {
public:
    virtual ~Application() = default;

    // Answers a request whose head was read, and with it its body where it came at once; else Request::unread reads it,
    // for whoever wants it (WEB-3). What is left unread is thrown away. Never throws for the request's fault. May be
    // cancelled by the request's deadline: then it ends with operation_aborted and the connection asks refuse() for the
    // 408.
    virtual boost::asio::awaitable<void> respond(const Request& request, Response& response) = 0;

    // Of an uploaded file's request, once its head is read: 0 where none is taken and the usual bounds hold.
    virtual std::size_t upload_bytes_max(const Request&) const noexcept { return 0; }

    // Answers for the connection itself: what was read so far is unusable (400, 413, 414, 431) or late (408), or there
    // are more connections than can be served (503).
    // `request` holds what is known, at worst nothing.
    virtual void refuse(const Request& request, const ErrorKind& kind, Response& response) noexcept = 0;

    // For an application that answers whole requests. False: the body cannot be had, and `response` says so.
    boost::asio::awaitable<bool> receive_body(const Request& request, Response& response) {
        if (request.unread == nullptr) co_return true;
        const auto come = co_await request.unread->read(request.peer);
        if (!come) refuse(request, come.error().kind(), response);
        co_return come.has_value();
    }
};

}  // namespace consentry::http
