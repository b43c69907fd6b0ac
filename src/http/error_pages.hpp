// Shows refusals and failures to people who use a browser, in place of an envelope.
#pragma once

#include "base/error.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"

namespace consentry::http {

class ErrorPages {
public:
    virtual ~ErrorPages() = default;
    // Whether a person will see the answer.
    virtual bool concerns(const RequestContext& context) const = 0;
    // Sets the language of the context to that of the page.
    virtual Reply page_of(RequestContext& context, const Error& error) const = 0;
};

}  // namespace consentry::http
