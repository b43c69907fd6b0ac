// Operations whose handler is a function of the whole request: those of pages that are neither shown nor forms.
#pragma once

#include <memory>
#include <utility>

#include "http/operation.hpp"

namespace consentry {

// `function` takes http::RequestContext& and returns an awaitable<Result<http::Reply>>.
template <class Function>
std::unique_ptr<http::OperationHandler> handler_of(Function function) {
    class Handler final : public http::OperationHandler {
    public:
        explicit Handler(Function function) : function_(std::move(function)) {}
        boost::asio::awaitable<Result<http::Reply>> run(http::RequestContext& context) override {
            return function_(context);
        }

    private:
        Function function_;
    };
    return std::make_unique<Handler>(std::move(function));
}

}  // namespace consentry
