// What every request has to pass, whatever its operation: API keys before the guard, feature flags after it. The
// pipeline knows the order, the features know the rules.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"

namespace consentry::http {

class Gate {
public:
    virtual ~Gate() = default;
    // Asked first, and cheap: most requests have nothing to show and nothing to prove.
    virtual bool concerns(const RequestContext& context, const Operation& operation) const = 0;
    virtual boost::asio::awaitable<Result<void>> admit(RequestContext& context, const Operation& operation) = 0;
};

}  // namespace consentry::http
