// What the parameters and the result of a handler say about its endpoint. http/endpoint.hpp shows how to write them.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

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

// The proof that an endpoint without a guard asks for.
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
    using Inputs = typename SplitParameters<std::remove_cvref_t<Parameters>...>::Inputs;  // the parameters behind it
    using Answer = typename R::value_type::value_type;                                    // awaitable<Result<Answer>>
    static constexpr bool guarded = GuardType<Caller>;
};

template <class Handler>
using SignatureOf = Signature<decltype(&Handler::operator())>;

}  // namespace detail
}  // namespace consentry::http
