// Builds the actor that a guard passes to a handler.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "app/app.hpp"
#include "tests/support/run.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

template <class Guard>
Actor admitted(Service& service, const std::string& token) {
    const std::string header = "Bearer " + token;
    http::Request request;
    request.headers.emplace_back("authorization", header);
    http::RequestContext context{.request = request, .now = service.clock().now()};
    const auto ask = [&]() -> awaitable<std::optional<Actor>> {
        auto guarded = co_await service.app().services().session_guard.admit(context, std::type_identity<Guard>{});
        if (!guarded) co_return std::nullopt;
        co_return guarded->actor();
    };
    auto actor = run(ask());
    if (!actor) throw std::runtime_error("the guard refuses");
    return *actor;
}

}  // namespace consentry::tests
