// A check that applies to every operation: API keys before the guard, feature flags after it, or before a guard that
// knows no user. The pipeline and http/endpoint.hpp define the order, the features define the rules.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"

namespace consentry::http {

class Gate {
public:
    virtual ~Gate() = default;
    // Called first. Must be cheap, because most requests do not concern the gate.
    virtual bool concerns(const RequestContext& context, const Operation& operation) const = 0;
    virtual boost::asio::awaitable<Result<void>> admit(RequestContext& context, const Operation& operation) = 0;
};

}  // namespace consentry::http
