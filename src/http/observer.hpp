// The interface for observing the outcome of each request: the access log, the metrics.
#pragma once

#include <chrono>
#include <string_view>

#include "base/error.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"
#include "http/response.hpp"

namespace consentry::http {

// A request and its answer. Valid only during the call.
struct Exchange {
    const RequestContext& context;
    const Operation* operation;  // null: no such route
    const Response& response;    // before compression, and before Date, Content-Length and Connection are added
    const ErrorKind* error;      // null: success. `unknown` with a success status: the body was cut off
    std::string_view failure;    // the full text of an exception, never sent to clients; empty if there was none
    std::chrono::microseconds took;
};

class Observer {
public:
    virtual ~Observer() = default;
    // Called on the I/O thread, before the answer is written or, for a streamed body, at the end of the stream. Must be
    // quick and cannot fail.
    virtual void on_answer(const Exchange& exchange) noexcept = 0;
};

}  // namespace consentry::http
