// The interface for observing the outcome of each request: the access log, the metrics.
#pragma once

#include <chrono>
#include <string_view>

#include "base/errors.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"
#include "http/response.hpp"

namespace consentry::http {

// A request and its answer. Valid only during the call.
struct Exchange {
    const RequestContext& context;
    const Operation* operation;  // null: no such route
    const Response& response;    // before compression, and before Date, Content-Length and Connection are added
    const ErrorKind* error;      // null: success. A page that leads elsewhere may refuse with a redirect
    std::string_view failure;    // the full text of an exception, never sent to clients; empty if there was none
    std::chrono::microseconds took;
    bool changed_nothing;  // see Reply

    // Whether the answer began as a success and its body was cut off.
    bool broke_off() const { return response.status < 400 && error == &errors::unknown; }
};

class Observer {
public:
    virtual ~Observer() = default;
    // Called on the I/O thread, before the answer is written or, for a streamed body, at the end of the stream. Must be
    // quick and cannot fail.
    virtual void on_answer(const Exchange& exchange) noexcept = 0;
};

}  // namespace consentry::http
