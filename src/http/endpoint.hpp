// How a feature declares its endpoints:
//
//     router.post("/user/2fa/confirm")
//         .also_at("/shared/user/2fa/enable")
//         .id("enableTwoFactor").says("Turns two-factor on and hands out the backup codes")
//         .message("user.twoFactor.enable")
//         .may_fail({&errors::two_factor_invalid, &errors::two_factor_already_enabled})
//         .handled_by([&two_factor](const SignedIn& caller, EnableRequest body) {
//             return two_factor.enable(caller, std::move(body));
//         });
//
// A second function adds the violations that only the service can tell, such as a date in the past, to those of the
// body's DTO, so that one answer lists them all. It takes (body, report) or (caller, body, report), and must cope with
// values that the DTO has found wrong:
//
//         .handled_by([&keys](const SignedIn& caller, CreateRequest body) { ... },
//                     [&keys](const CreateRequest& body, Report& report) { keys.check(body.end_at, report); });
//
// The handler returns awaitable<Result<X>>, where X is a DTO, a vector of DTOs, Done (an envelope without data),
// NoContent (204), ListPage<DTO>, Raw or Stream. Its parameters declare its inputs, in this order:
//   - optionally a guard type (SignedIn ...): a type with a nested Guard, which alone can construct it, so that a
//     protected handler cannot be mounted unprotected;
//   - const RequestContext&, FromPath<Dto>, FromQuery<Dto> or List<Listing>, and at most one body: a plain DTO, or an
//     Upload or FileBody in its place.
// A handler must not itself be a coroutine lambda, whose captures could die before it ends: it calls a member function
// that takes its arguments by value.
#pragma once

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "http/endpoint/answer.hpp"
#include "http/endpoint/inputs.hpp"
#include "http/endpoint/signature.hpp"
#include "http/gate.hpp"
#include "http/operation.hpp"
#include "http/reply.hpp"
#include "http/router.hpp"

namespace consentry::http {
namespace detail {

template <class Caller>
struct GuardOf {
    using type = typename Caller::Guard;
};
template <>
struct GuardOf<Anybody> {
    using type = Anybody;
};

// Marks a guard that finds no user. The gate, which could learn nothing from it, then comes first: a function that is
// off verifies no token.
template <class Guard>
concept KnowsNoUser = requires { requires Guard::knows_no_user; };

inline bool is_gated(const RequestContext& context) {
    return context.flag_gate != nullptr && context.flag_gate->concerns(context, *context.operation);
}

// The body is read only after the guard and the gates have admitted the request (WEB-3).
inline bool is_unread(const RequestContext& context) {
    const Operation& operation = *context.operation;
    return context.request.unread != nullptr && (operation.takes_body || !operation.ignores_input);
}

// The check of endpoints whose DTO knows all rules.
struct NoCheck {};

}  // namespace detail

template <class Function, class Check = detail::NoCheck>
class HandlerOf final : public OperationHandler {
public:
    using Signature = detail::SignatureOf<Function>;
    using Caller = typename Signature::Caller;
    using Guard = typename detail::GuardOf<Caller>::type;
    using Answer = typename Signature::Answer;
    using Inputs = detail::InputReader<typename Signature::Inputs>;

    // `guard` is null if the endpoint has none.
    HandlerOf(Function function, Check check, Guard* guard, const Operation& operation, const CursorSeal* cursors)
        : function_(std::move(function)), check_(std::move(check)), guard_(guard), inputs_(operation, cursors) {}

    boost::asio::awaitable<Result<Reply>> run(RequestContext& context) override {
        std::optional<Caller> caller;
        constexpr bool gate_first = detail::KnowsNoUser<Guard>;
        if (gate_first && detail::is_gated(context)) {
            auto passed = co_await context.flag_gate->admit(context, *context.operation);
            if (!passed) co_return fail(std::move(passed.error()));
        }
        if constexpr (Signature::guarded) {
            // The guard runs before validation and before the body is read: an unauthenticated caller learns nothing
            // about the request format and takes up no memory.
            Result<Caller> admitted = co_await guard_->admit(context, std::type_identity<Caller>{});
            if (!admitted) co_return fail(std::move(admitted.error()));
            caller.emplace(std::move(*admitted));
        }
        if (!gate_first && detail::is_gated(context)) {
            auto passed = co_await context.flag_gate->admit(context, *context.operation);
            if (!passed) co_return fail(std::move(passed.error()));
        }
        if (detail::is_unread(context)) {
            auto come = co_await context.request.unread->read(context.client);
            if (!come) co_return fail(std::move(come.error()));
        }
        auto inputs =
            inputs_.read(context, [&](const auto& body, Report& report) { add_violations(caller, body, report); });
        if (!inputs) co_return fail(std::move(inputs.error()));
        Result<Answer> answer = co_await call(caller, *inputs);
        if (!answer) co_return fail(std::move(answer.error()));
        co_return detail::to_reply(std::move(*answer));
    }

    static void describe(Operation& operation) {
        if constexpr (Signature::guarded) operation.access = Guard::access(std::type_identity<Caller>{});
        Inputs::describe(operation);
        detail::describe_answer<Answer>(operation);
    }

private:
    template <class Body>
    void add_violations(const std::optional<Caller>& caller, const Body& body, Report& report) const {
        if constexpr (std::is_same_v<Check, detail::NoCheck>)
            return;
        else if constexpr (std::is_invocable_v<const Check&, const Caller&, const Body&, Report&>)
            check_(*caller, body, report);
        else
            check_(body, report);
    }

    auto call(const std::optional<Caller>& caller, typename Inputs::Inputs& inputs) {
        return std::apply(
            [&](auto&... input) {
                if constexpr (Signature::guarded)
                    return function_(*caller, std::forward<decltype(detail::pass(input))>(detail::pass(input))...);
                else
                    return function_(std::forward<decltype(detail::pass(input))>(detail::pass(input))...);
            },
            inputs);
    }

    Function function_;
    [[no_unique_address]] Check check_;
    Guard* guard_;
    Inputs inputs_;
};

template <class Function>
void Endpoint::handled_by(Function function) {
    handled_by(std::move(function), detail::NoCheck{});
}

template <class Function, class Check>
void Endpoint::handled_by(Function function, Check check) {
    using Handler = HandlerOf<Function, Check>;
    typename Handler::Guard* guard = nullptr;
    if constexpr (Handler::Signature::guarded) guard = &router_.provided<typename Handler::Guard>();
    const CursorSeal* cursors = nullptr;
    if constexpr (Handler::Inputs::needs_cursors()) cursors = &router_.provided<CursorSeal>();
    Handler::describe(operation_);
    operation_.handler = std::make_unique<Handler>(std::move(function), std::move(check), guard, operation_, cursors);
}

}  // namespace consentry::http
