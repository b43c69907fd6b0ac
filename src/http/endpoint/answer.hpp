// The types that a handler may return, and their conversion to a reply.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "http/operation.hpp"
#include "http/paging/list.hpp"
#include "http/response.hpp"
#include "http/schema/serialize.hpp"

namespace consentry::http {

struct Done {
    std::string extra_headers = {};  // complete lines with checked values
};
struct NoContent {};
struct Raw {
    std::string content_type;
    std::string body;
    std::string cache_control = "no-store";
    std::string etag = {};                     // quoted; weak if the body may be sent compressed
    std::string content_encoding = {};         // the coding already applied to `body`
    std::string content_security_policy = {};  // empty: the policy of an inert document
    Vary vary = {};                            // what decides the body; compression in transit is known without it
};
// A body of any length, never held in memory as a whole. The first piece is produced before the answer begins, so a
// failure there gets an error answer. A later failure breaks the connection.
struct Stream {
    std::string content_type;
    std::string file_name;  // the name to save it under; letters, digits, '.', '_', '-'
    NextPiece next;
    std::optional<std::uint64_t> length = {};  // in bytes, if it is known: clients can then show progress
};

namespace detail {

template <class T>
inline constexpr bool is_list_page = false;
template <class T>
inline constexpr bool is_list_page<ListPage<T>> = true;

Reply to_reply(Done answer);
Reply to_reply(NoContent answer);
Reply to_reply(Raw answer);
Reply to_reply(Stream answer);
template <class Dto>
Reply to_reply(ListPage<Dto> answer) {
    Reply reply;
    write_json(reply.data, answer.items);
    reply.metadata = std::move(answer.metadata);
    return reply;
}
// Converts a DTO or a vector of DTOs. A DTO whose request may have changed nothing after all has a function of this
// name.
template <class T>
Reply to_reply(const T& answer) {
    Reply reply;
    write_json(reply.data, answer);
    if constexpr (requires { answer.changed_nothing(); }) reply.changed_nothing = answer.changed_nothing();
    return reply;
}

template <class Answer>
void describe_answer(Operation& operation) {
    if constexpr (DtoType<Answer> || IsVector<Answer>::value)
        operation.describe_data = [](Components& components) { return http::describe<Answer>(components); };
    if constexpr (is_list_page<Answer>)
        operation.describe_data = [](Components& components) {
            return http::describe<decltype(std::declval<Answer>().items)>(components);
        };
    operation.no_content = std::is_same_v<Answer, NoContent>;
    operation.raw = std::is_same_v<Answer, Raw> || std::is_same_v<Answer, Stream>;
    operation.compressible = std::is_same_v<Answer, Raw> || IsVector<Answer>::value || is_list_page<Answer>;
}

}  // namespace detail
}  // namespace consentry::http
