// Derives an endpoint's properties from the parameters and the result of its handler. See http/endpoint.hpp for how to
// write one.
#pragma once

#include <tuple>
#include <type_traits>

namespace consentry::http {

template <class Dto>
struct FromPath {
    Dto value;
    const Dto* operator->() const { return &value; }
};
template <class Dto>
struct FromQuery {
    Dto value;
    const Dto* operator->() const { return &value; }
};

namespace detail {

template <class T>
concept GuardType = requires { typename T::Guard; };

// The caller type of endpoints without a guard.
struct Anybody {};

template <class... Parameters>
struct SplitParameters {
    using Caller = Anybody;
    using Inputs = std::tuple<Parameters...>;
};
template <GuardType First, class... Rest>
struct SplitParameters<First, Rest...> {
    using Caller = First;
    using Inputs = std::tuple<Rest...>;
};

template <class Function>
struct Signature;
template <class Class, class R, class... Parameters>
struct Signature<R (Class::*)(Parameters...) const> {
    using Caller = typename SplitParameters<std::remove_cvref_t<Parameters>...>::Caller;
    using Inputs = typename SplitParameters<std::remove_cvref_t<Parameters>...>::Inputs;  // without the guard
    using Answer = typename R::value_type::value_type;                                    // awaitable<Result<Answer>>
    static constexpr bool guarded = GuardType<Caller>;
};

template <class Handler>
using SignatureOf = Signature<decltype(&Handler::operator())>;

}  // namespace detail
}  // namespace consentry::http
