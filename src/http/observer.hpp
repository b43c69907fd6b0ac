// Whoever wants to know what became of each request: the access log, the metrics.
#pragma once

#include <chrono>
#include <string_view>

#include "base/error.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"
#include "http/response.hpp"

namespace consentry::http {

// A request and its answer. Valid during the call.
struct Exchange {
    const RequestContext& context;
    const Operation* operation;  // null: no such route
    const Response& response;    // before compression, and before Date, Content-Length and Connection are added
    const ErrorKind* error;      // null: success; unknown with a status of success: the body broke off
    std::string_view failure;    // what was thrown, in full, never for clients; empty where nothing was
    std::chrono::microseconds took;
};

class Observer {
public:
    virtual ~Observer() = default;
    // On the I/O thread, before the answer is written, or where its body is a stream, at its end: quick, and without a
    // way to fail.
    virtual void on_answer(const Exchange& exchange) noexcept = 0;
};

}  // namespace consentry::http
