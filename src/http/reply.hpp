// Helpers for endpoints that only forward the result of their service. A refusal is forwarded unchanged; an accepted
// value is converted to the answer:
//
//     return http::reply<Done>(accounts.verify(std::move(body.token), cause_of(context)));
//     return http::reply<ApiKeyResponse>(keys.rename(caller.actor(), path->api_key_id, std::move(body.name)));
//     return http::reply(roles.get(path->role_id), to_response);
//     return http::reply(
//         std::move(wanted), [&keys](const ListQuery& query) { return keys.list(query); }, ApiKeyResponse::of);
//
// The first two construct the answer with its function of(), if it has one, and otherwise from the members of the
// value; Done and NoContent ignore the value. The last form is for an http::List. Every form also accepts an operation
// that cannot be refused. The conversion function runs after the handler has returned, so it must own what it captures.
#pragma once

#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"
#include "base/list_query.hpp"
#include "http/endpoint/answer.hpp"
#include "http/paging/list.hpp"

namespace consentry::http {
namespace detail {

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;

// The value type, without the Result around it.
template <class T>
struct Accepted {
    using type = T;
};
template <class T>
struct Accepted<Result<T>> {
    using type = T;
};
template <class T>
using AcceptedType = typename Accepted<T>::type;

template <class ToAnswer, class Value>
struct MadeBy : std::invoke_result<ToAnswer&, Value> {};
template <class ToAnswer>
struct MadeBy<ToAnswer, void> : std::invoke_result<ToAnswer&> {};

template <class Find>
using Found = AcceptedType<typename std::invoke_result_t<Find&, const ListQuery&>::value_type>;
template <class Find>
using FoundItem = typename decltype(Found<Find>::items)::value_type;

}  // namespace detail

template <class Made, class ToAnswer>
auto reply(boost::asio::awaitable<Made> work, ToAnswer to_answer) -> boost::asio::awaitable<
    Result<detail::AcceptedType<typename detail::MadeBy<ToAnswer, detail::AcceptedType<Made>>::type>>> {
    if constexpr (std::is_void_v<Made>) {
        co_await std::move(work);
        co_return to_answer();
    } else if constexpr (!detail::is_result<Made>) {
        Made made = co_await std::move(work);
        co_return to_answer(std::move(made));
    } else {
        Made made = co_await std::move(work);
        if (!made) co_return fail(std::move(made.error()));
        if constexpr (std::is_void_v<detail::AcceptedType<Made>>)
            co_return to_answer();
        else
            co_return to_answer(std::move(*made));
    }
}

template <class Answer, class Made>
boost::asio::awaitable<Result<Answer>> reply(boost::asio::awaitable<Made> work) {
    return reply(std::move(work), []<class... Value>(Value&&... value) -> Answer {
        if constexpr (sizeof...(Value) == 0 || std::is_same_v<Answer, Done> || std::is_same_v<Answer, NoContent>)
            return Answer{};
        else if constexpr (requires { Answer::of(std::forward<Value>(value)...); })
            return Answer::of(std::forward<Value>(value)...);
        else
            return Answer{std::forward<Value>(value)...};
    });
}

template <ListingType L, class Find, class ToDto>
auto reply(List<L> wanted, Find find, ToDto to_dto)
    -> boost::asio::awaitable<Result<ListPage<std::invoke_result_t<ToDto&, const detail::FoundItem<Find>&>>>> {
    auto found = co_await find(wanted.query());
    if constexpr (detail::is_result<decltype(found)>) {
        if (!found) co_return fail(std::move(found.error()));
        co_return wanted.page(*found, std::move(to_dto));
    } else {
        co_return wanted.page(found, std::move(to_dto));
    }
}

}  // namespace consentry::http
