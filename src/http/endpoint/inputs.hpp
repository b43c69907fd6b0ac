// Reads each parameter of a handler from the request, and describes it for the OpenAPI document.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/report.hpp"
#include "http/context.hpp"
#include "http/endpoint/signature.hpp"
#include "http/operation.hpp"
#include "http/paging/list.hpp"
#include "http/upload.hpp"

namespace consentry::http {

// Returns the decoded name=value pairs of a query, or nullopt if it cannot be decoded.
std::optional<std::vector<NamedText>> parse_query(std::string_view query);
// Parses the body as strict JSON; an empty body is {}. Errors: 400 for malformed JSON, 415 for another media type or a
// content coding.
Result<json::value> parse_body(const Request& request);

namespace detail {

template <class T>
inline constexpr bool is_from_path = false;
template <class T>
inline constexpr bool is_from_path<FromPath<T>> = true;
template <class T>
inline constexpr bool is_from_query = false;
template <class T>
inline constexpr bool is_from_query<FromQuery<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<List<T>> = true;

// The parts of a request that the handler's parameters use.
struct Wanted {
    bool query = false;
    bool body = false;
    bool upload = false;
    bool file = false;
};

// The parsed parts of a request, before validation against a DTO.
struct RequestParts {
    std::optional<std::vector<NamedText>> query;
    json::value body;  // an object; null: the request has no body
    Upload upload;
    FileBody file;
};
// Parses undeclared parts as well, so that they can be refused, unless the operation ignores them.
Result<RequestParts> take_apart(const Request& request, Wanted wanted, bool ignores_the_rest);

// The faults in the inputs of a request. Only the most severe is answered.
struct InputFaults {
    Report path;
    Report rest;
    Result<void> list;
    Result<void> heaviest();
};
// Reports every name in a query or body that the operation does not declare.
void refuse_undeclared(const RequestParts& parts, Wanted wanted, Report& report);

// A request context is passed by reference; all other inputs are moved into the handler.
struct ContextRef {
    const RequestContext* context;
};
template <class T>
using Held = std::conditional_t<std::is_same_v<T, RequestContext>, ContextRef, T>;
inline const RequestContext& pass(ContextRef& held) { return *held.context; }
template <class T>
T&& pass(T& held) {
    return std::move(held);
}

template <class T>
void describe_input(Operation& operation) {
    if constexpr (is_list<T>) {
        describe_list<typename T::Listing>(operation);
    } else if constexpr (std::is_same_v<T, Upload>) {
        operation.takes_body = operation.takes_upload = true;
    } else if constexpr (std::is_same_v<T, FileBody>) {
        operation.takes_body = operation.takes_file_body = true;
    } else if constexpr (is_from_path<T>) {
        operation.describe_path = [](Components& components) {
            return describe_fields<decltype(T::value)>(components);
        };
    } else if constexpr (is_from_query<T>) {
        operation.describe_query = [](Components& components) {
            return describe_fields<decltype(T::value)>(components);
        };
    } else if constexpr (DtoType<T>) {
        operation.takes_body = true;
        operation.describe_body = [](Components& components) { return http::describe<T>(components); };
    }
}

template <class Parameters>
class InputReader;

template <class... Parameters>
class InputReader<std::tuple<Parameters...>> {
public:
    using Inputs = std::tuple<Held<Parameters>...>;

    // `cursors` may be null if no parameter needs it.
    InputReader(const Operation& operation, const CursorSeal* cursors) : operation_(operation), cursors_(cursors) {}

    static constexpr bool needs_cursors() { return (pages_by_cursor<Parameters>() || ...); }
    static void describe(Operation& operation) { (describe_input<Parameters>(operation), ...); }

    // `check` is called with each body DTO, and adds violations to its report.
    template <class Check>
    Result<Inputs> read(const RequestContext& context, const Check& check) const {
        auto parts = take_apart(context.request, wanted, operation_.ignores_input);
        if (!parts) return fail(std::move(parts.error()));
        Inputs out;
        InputFaults faults;
        std::apply([&](auto&... input) { (read_one(input, context, *parts, faults, check), ...); }, out);
        refuse_undeclared(*parts, wanted, faults.rest);
        if (auto faultless = faults.heaviest(); !faultless) return fail(std::move(faultless.error()));
        return out;
    }

private:
    static constexpr Wanted wanted{.query = ((is_from_query<Parameters> || is_list<Parameters>) || ...),
                                   .body = (DtoType<Parameters> || ...),
                                   .upload = (std::is_same_v<Parameters, Upload> || ...),
                                   .file = (std::is_same_v<Parameters, FileBody> || ...)};

    template <class T>
    static constexpr bool pages_by_cursor() {
        if constexpr (is_list<T>)
            return T::Listing::paging == Paging::cursor;
        else
            return false;
    }

    template <class T, class Check>
    void read_one(T& out, const RequestContext& context, RequestParts& parts, InputFaults& faults,
                  const Check& check) const {
        if constexpr (std::is_same_v<T, ContextRef>) {
            out.context = &context;
        } else if constexpr (is_from_path<T>) {
            read_texts(std::span<const NamedText>(context.path_params), out.value, faults.path);
        } else if constexpr (is_from_query<T>) {
            read_texts(std::span<const NamedText>(*parts.query), out.value, faults.rest);
        } else if constexpr (is_list<T>) {
            faults.list = out.read(*parts.query, operation_, context, cursors_, faults.rest);
        } else if constexpr (std::is_same_v<T, Upload>) {
            out = std::move(parts.upload);
        } else if constexpr (std::is_same_v<T, FileBody>) {
            out = std::move(parts.file);
        } else {
            read_object(parts.body.get_object(), out, nullptr, faults.rest);
            check(out, faults.rest);
        }
    }

    const Operation& operation_;
    const CursorSeal* cursors_;
};

}  // namespace detail
}  // namespace consentry::http
