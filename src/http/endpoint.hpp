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
// The handler returns awaitable<Result<X>>, where X is a DTO, a vector of DTOs, Done (an envelope without data),
// NoContent (204), ListPage<DTO>, Raw or Stream. Its parameters say what it needs, in this order:
//   - a guard type (SignedIn ...), if any, first: a type with a nested Guard that alone can make one, so that a
//     protected handler cannot be mounted unprotected;
//   - const RequestContext&, FromPath<Dto>, FromQuery<Dto> or List<Listing>, and at most one plain DTO, the body, or
//     one Upload or FileBody, a file in its place.
// A handler is no coroutine lambda itself: it calls a member function, which owns what it takes by value.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "base/errors.hpp"
#include "http/gate.hpp"
#include "http/operation.hpp"
#include "http/paging/list.hpp"
#include "http/router.hpp"
#include "http/schema/serialize.hpp"
#include "http/upload.hpp"

namespace consentry::http {

struct Done {
    std::string extra_headers = {};  // complete lines, their values checked
};
struct NoContent {};
struct Raw {
    std::string content_type;
    std::string body;
    std::string cache_control = "no-store";
    std::string etag = {};                     // quoted; weak where the body may travel compressed
    std::string content_encoding = {};         // of `body` as it stands
    std::string content_security_policy = {};  // empty: that of an inert document
};
// A body of any length, never held as a whole. The first piece is made before the answer begins: what fails there is
// answered; what fails later breaks the connection.
struct Stream {
    std::string content_type;
    std::string file_name;  // to be saved under; letters, digits, '.', '_', '-'
    NextPiece next;
};
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

template <class T>
struct IsFromPath : std::false_type {};
template <class T>
struct IsFromPath<FromPath<T>> : std::true_type {};
template <class T>
struct IsFromQuery : std::false_type {};
template <class T>
struct IsFromQuery<FromQuery<T>> : std::true_type {};
template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<List<T>> : std::true_type {};
template <class T>
struct IsListPage : std::false_type {};
template <class T>
struct IsListPage<ListPage<T>> : std::true_type {};
template <class T>
struct InnerDto;
template <template <class> class From, class T>
struct InnerDto<From<T>> {
    using type = T;
};

template <class T>
concept BodyType = DtoType<T>;

template <class F>
struct Signature;
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const> {
    using Arguments = std::tuple<std::remove_cvref_t<Args>...>;
    using Answer = typename R::value_type::value_type;  // awaitable<Result<Answer>>
};

// What a request without a declared body or query may carry: nothing.
struct Nothing {
    static constexpr auto fields() { return std::tuple{}; }
};

}  // namespace detail

// Decoded name=value pairs of a query; nullopt where it cannot be decoded.
std::optional<std::vector<NamedText>> parse_query(std::string_view query);
// The body as strict JSON; an empty body is {}. Errors: 400 not JSON, 415 another media type or coding.
Result<json::value> parse_body(const Request& request);

template <class Fn>
class HandlerOf final : public OperationHandler {
public:
    using Arguments = typename detail::Signature<decltype(&Fn::operator())>::Arguments;
    using Answer = typename detail::Signature<decltype(&Fn::operator())>::Answer;
    static constexpr std::size_t count = std::tuple_size_v<Arguments>;

    static constexpr bool guarded() {
        if constexpr (count == 0)
            return false;
        else
            return detail::GuardType<std::tuple_element_t<0, Arguments>>;
    }

    static constexpr bool needs_cursors() { return needs_cursors(std::make_index_sequence<count>{}); }

    HandlerOf(Fn fn, void* guard, const Operation& operation, const CursorSeal* cursors)
        : fn_(std::move(fn)), guard_(guard), operation_(operation), cursors_(cursors) {}

    boost::asio::awaitable<Result<Reply>> run(RequestContext& context) override {
        if constexpr (guarded()) {
            using Caller = std::tuple_element_t<0, Arguments>;
            auto& guard = *static_cast<typename Caller::Guard*>(guard_);
            // The guard stands before validation, and before the body: a stranger learns nothing about the form of a
            // request, and takes up no memory.
            Result<Caller> caller = co_await guard.admit(context, std::type_identity<Caller>{});
            if (!caller) co_return fail(std::move(caller.error()));
            if (is_gated(context)) {
                auto passed = co_await context.after_guard->admit(context, *context.operation);
                if (!passed) co_return fail(std::move(passed.error()));
            }
            if (is_unread(context)) {
                auto come = co_await context.request.unread->read(context.client);
                if (!come) co_return fail(std::move(come.error()));
            }
            auto inputs = read_inputs<1>(context);
            if (!inputs) co_return fail(std::move(inputs.error()));
            Result<Answer> answer = co_await std::apply(
                [&](auto&... input) { return fn_(*caller, std::forward<decltype(pass(input))>(pass(input))...); },
                *inputs);
            co_return to_reply(std::move(answer));
        } else {
            if (is_gated(context)) {
                auto passed = co_await context.after_guard->admit(context, *context.operation);
                if (!passed) co_return fail(std::move(passed.error()));
            }
            if (is_unread(context)) {
                auto come = co_await context.request.unread->read(context.client);
                if (!come) co_return fail(std::move(come.error()));
            }
            auto inputs = read_inputs<0>(context);
            if (!inputs) co_return fail(std::move(inputs.error()));
            Result<Answer> answer = co_await std::apply(
                [&](auto&... input) { return fn_(std::forward<decltype(pass(input))>(pass(input))...); }, *inputs);
            co_return to_reply(std::move(answer));
        }
    }

    static void describe(Operation& operation) {
        if constexpr (guarded()) {
            using Caller = std::tuple_element_t<0, Arguments>;
            operation.access = Caller::Guard::access(std::type_identity<Caller>{});
        }
        describe_inputs(operation, std::make_index_sequence<count>{});
        if constexpr (DtoType<Answer> || IsVector<Answer>::value)
            operation.describe_data = [](Components& components) { return http::describe<Answer>(components); };
        if constexpr (detail::IsListPage<Answer>::value)
            operation.describe_data = [](Components& components) {
                return http::describe<decltype(std::declval<Answer>().items)>(components);
            };
        if constexpr (std::is_same_v<Answer, NoContent>) operation.no_content = true;
        if constexpr (std::is_same_v<Answer, Raw> || std::is_same_v<Answer, Stream>) operation.raw = true;
        operation.compressible =
            std::is_same_v<Answer, Raw> || IsVector<Answer>::value || detail::IsListPage<Answer>::value;
    }

private:
    static bool is_gated(const RequestContext& context) {
        return context.after_guard != nullptr && context.after_guard->concerns(context, *context.operation);
    }

    // A body is received only now, when nothing stands in the way of its request (WEB-3).
    bool is_unread(const RequestContext& context) const {
        return context.request.unread != nullptr && (operation_.takes_body || !operation_.ignores_input);
    }

    // A request context travels as a reference; all else is moved into the handler.
    struct ContextRef {
        const RequestContext* context;
    };
    static const RequestContext& pass(ContextRef& ref) { return *ref.context; }
    template <class T>
    static T&& pass(T& input) {
        return std::move(input);
    }
    template <class T>
    using Held = std::conditional_t<std::is_same_v<T, RequestContext>, ContextRef, T>;

    template <std::size_t... I>
    static constexpr bool needs_cursors(std::index_sequence<I...>) {
        return (needs_cursors(std::type_identity<std::tuple_element_t<I, Arguments>>{}) || ...);
    }
    template <class T>
    static constexpr bool needs_cursors(std::type_identity<T>) {
        if constexpr (detail::IsList<T>::value)
            return T::Listing::paging == Paging::cursor;
        else
            return false;
    }

    template <std::size_t Skip>
    auto read_inputs(const RequestContext& context) const {
        return read_inputs_of<Skip>(context, std::make_index_sequence<count - Skip>{});
    }

    template <std::size_t Skip, std::size_t... I>
    auto read_inputs_of(const RequestContext& context, std::index_sequence<I...>) const
        -> Result<std::tuple<Held<std::tuple_element_t<I + Skip, Arguments>>...>> {
        constexpr bool has_body = (detail::BodyType<std::tuple_element_t<I + Skip, Arguments>> || ...);
        constexpr bool has_upload = (std::is_same_v<std::tuple_element_t<I + Skip, Arguments>, Upload> || ...);
        constexpr bool has_file = (std::is_same_v<std::tuple_element_t<I + Skip, Arguments>, FileBody> || ...);
        constexpr bool has_query = (detail::IsFromQuery<std::tuple_element_t<I + Skip, Arguments>>::value || ...) ||
                                   (detail::IsList<std::tuple_element_t<I + Skip, Arguments>>::value || ...);
        Report report;
        Report path_report;
        Result<void> list_read;
        std::optional<std::vector<NamedText>> query;
        json::value body;
        const bool foreign = operation_.ignores_input;
        if (has_query || (!foreign && !context.request.query.empty())) {
            query = parse_query(context.request.query);
            if (!query) return fail(errors::bad_request);
        }
        Upload upload;
        FileBody file;
        if constexpr (has_file) {
            auto read = read_file_body(context.request);
            if (!read) return fail(std::move(read.error()));
            file = std::move(*read);
        } else if constexpr (has_upload) {
            auto read = read_upload(context.request);
            if (!read) return fail(std::move(read.error()));
            upload = std::move(*read);
        } else if (has_body || (!foreign && !context.request.body.empty())) {
            auto parsed = parse_body(context.request);
            if (!parsed) return fail(std::move(parsed.error()));
            body = std::move(*parsed);
            if (!body.is_object()) {
                report.add("isObject", "body");
                return fail(Error{errors::validation, report.take()});
            }
        }
        std::tuple<Held<std::tuple_element_t<I + Skip, Arguments>>...> out;
        (read_one(std::get<I>(out), context, query, body, upload, file, report, path_report, list_read), ...);
        detail::Nothing nothing;
        if (!has_query && query) read_texts(std::span<const NamedText>(*query), nothing, report);
        if (!has_body && body.is_object()) read_object(&body, nothing, "", report);
        if (!path_report.empty()) return fail(Error{errors::invalid_identifier, path_report.take()});
        if (!report.empty()) return fail(Error{errors::validation, report.take()});
        if (!list_read) return fail(std::move(list_read.error()));
        return out;
    }

    template <class T>
    void read_one(T& out, const RequestContext& context, const std::optional<std::vector<NamedText>>& query,
                  const json::value& body, Upload& upload, FileBody& file, Report& report, Report& path_report,
                  Result<void>& list_read) const {
        if constexpr (std::is_same_v<T, ContextRef>) {
            out.context = &context;
        } else if constexpr (detail::IsFromPath<T>::value) {
            read_texts(std::span<const NamedText>(context.path_params), out.value, path_report);
        } else if constexpr (detail::IsFromQuery<T>::value) {
            read_texts(std::span<const NamedText>(*query), out.value, report);
        } else if constexpr (detail::IsList<T>::value) {
            list_read = out.read(*query, operation_, context, cursors_, report);
        } else if constexpr (std::is_same_v<T, Upload>) {
            out = std::move(upload);
        } else if constexpr (std::is_same_v<T, FileBody>) {
            out = std::move(file);
        } else {
            read_object(&body, out, "", report);
        }
    }

    template <std::size_t... I>
    static void describe_inputs(Operation& operation, std::index_sequence<I...>) {
        (describe_input<std::tuple_element_t<I, Arguments>>(operation), ...);
    }
    template <class T>
    static void describe_input(Operation& operation) {
        if constexpr (detail::IsFromPath<T>::value) {
            operation.describe_path = [](Components& components) {
                return describe_fields<typename detail::InnerDto<T>::type>(components);
            };
        } else if constexpr (detail::IsFromQuery<T>::value) {
            operation.describe_query = [](Components& components) {
                return describe_fields<typename detail::InnerDto<T>::type>(components);
            };
        } else if constexpr (detail::IsList<T>::value) {
            describe_list<typename T::Listing>(operation);
        } else if constexpr (std::is_same_v<T, Upload>) {
            operation.takes_body = operation.takes_upload = true;
        } else if constexpr (std::is_same_v<T, FileBody>) {
            operation.takes_body = operation.takes_file_body = true;
        } else if constexpr (DtoType<T>) {
            operation.takes_body = true;
            operation.describe_body = [](Components& components) { return http::describe<T>(components); };
        }
    }

    static Result<Reply> to_reply(Result<Answer> answer) {
        if (!answer) return fail(std::move(answer.error()));
        Reply reply;
        if constexpr (std::is_same_v<Answer, NoContent>) {
            reply.no_content = true;
        } else if constexpr (std::is_same_v<Answer, Raw>) {
            reply.data = std::move(answer->body);
            reply.content_type = std::move(answer->content_type);
            reply.cache_control = std::move(answer->cache_control);
            reply.etag = std::move(answer->etag);
            reply.content_encoding = std::move(answer->content_encoding);
            reply.content_security_policy = std::move(answer->content_security_policy);
        } else if constexpr (std::is_same_v<Answer, Stream>) {
            reply.content_type = std::move(answer->content_type);
            reply.extra_headers = "Content-Disposition: attachment; filename=" + answer->file_name + "\r\n";
            reply.stream = std::move(answer->next);
        } else if constexpr (detail::IsListPage<Answer>::value) {
            write_json(reply.data, answer->items);
            reply.metadata = std::move(answer->metadata);
        } else if constexpr (std::is_same_v<Answer, Done>) {
            reply.extra_headers = std::move(answer->extra_headers);
        } else {
            write_json(reply.data, *answer);
        }
        return reply;
    }

    Fn fn_;
    void* guard_;
    const Operation& operation_;
    const CursorSeal* cursors_;
};

template <class Fn>
void Endpoint::handled_by(Fn fn) {
    using Handler = HandlerOf<Fn>;
    void* guard = nullptr;
    if constexpr (Handler::guarded()) {
        using Caller = std::tuple_element_t<0, typename Handler::Arguments>;
        guard = router_.guard(typeid(typename Caller::Guard));
    }
    const CursorSeal* cursors = nullptr;
    if constexpr (Handler::needs_cursors()) cursors = static_cast<const CursorSeal*>(router_.guard(typeid(CursorSeal)));
    Handler::describe(operation_);
    operation_.handler = std::make_unique<Handler>(std::move(fn), guard, operation_, cursors);
}

}  // namespace consentry::http
