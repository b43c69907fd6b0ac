#include "http/endpoint/inputs.hpp"

#include <algorithm>

#include "base/percent_encoding.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace consentry::http {
namespace {

// Decodes text of a query or a path; nullopt unless the result is UTF-8.
std::optional<std::string> decode(std::string_view text) {
    auto out = form_decoded(text);
    if (!out || !code_points(*out)) return std::nullopt;
    return out;
}

// Takes every parameter except a charset other than UTF-8.
bool is_json(std::string_view content_type) {
    if (!equal_ignoring_case(trim(take_part(content_type, ';')), "application/json")) return false;
    while (!content_type.empty()) {
        std::string_view value = take_part(content_type, ';');
        if (!equal_ignoring_case(trim(take_part(value, '=')), "charset")) continue;
        value = trim(value);
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
        if (!equal_ignoring_case(value, "utf-8")) return false;
    }
    return true;
}

constexpr JsonLimits body_limits;

// Reports the position of the fault as line and column, both counted from one; the column counts characters.
Error json_error(std::string_view text, const JsonFault& fault) {
    const std::string_view before = text.substr(0, fault.offset);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::string_view last = before.substr(before.rfind('\n') + 1);
    const auto characters = std::ranges::count(last, false, continues_character);
    json::object data{{"line", line}, {"column", characters + 1}};
    switch (fault.kind) {
        case JsonFault::Kind::duplicate_name:
            return Error{errors::bad_request, std::move(data)}.with_message("request.error.jsonDuplicateName");
        case JsonFault::Kind::too_deep:
            data["depth"] = body_limits.depth_max;
            return Error{errors::bad_request, std::move(data)}.with_message("request.error.jsonTooDeep");
        case JsonFault::Kind::too_many_members:
            data["members"] = body_limits.members_max;
            return Error{errors::bad_request, std::move(data)}.with_message("request.error.jsonTooManyMembers");
        case JsonFault::Kind::malformed:
            break;
    }
    return Error{errors::bad_request, std::move(data)}.with_message("request.error.jsonMalformed");
}

}  // namespace

Error wrong_media_type(const ErrorKind& kind, std::string_view taken) {
    return Error{kind, json::object{{"mediaTypes", taken}}};
}

Error wrong_content_coding() {
    return Error{errors::unsupported_media_type}.with_message("request.error.contentEncoding");
}

std::optional<std::vector<NamedText>> parse_query(std::string_view query) {
    constexpr std::size_t pairs_max = 256;
    std::vector<NamedText> out;
    while (!query.empty()) {
        const std::string_view pair = take_part(query, '&');
        if (pair.empty()) continue;
        const auto equals = pair.find('=');
        auto name = decode(pair.substr(0, equals));
        auto value = decode(equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1));
        if (!name || !value || out.size() >= pairs_max) return std::nullopt;
        out.push_back({std::move(*name), std::move(*value)});
    }
    return out;
}

Result<json::value> parse_body(const Request& request) {
    if (request.body.empty()) return json::value(json::object{});
    const auto coding = request.header("content-encoding");
    if (coding && !equal_ignoring_case(*coding, "identity")) return fail(wrong_content_coding());
    const auto type = request.header("content-type");
    if (!type || request.count("content-type") != 1 || !is_json(*type))
        return fail(wrong_media_type(errors::unsupported_media_type, "application/json"));
    auto parsed = read_strict_json(request.body, body_limits);
    if (!parsed) return fail(json_error(request.body, parsed.error()));
    return std::move(*parsed);
}

namespace detail {
namespace {

// The DTO of requests without a declared body or query: no names are allowed.
struct Nothing {
    static constexpr auto fields() { return std::tuple{}; }
};

Result<void> take_body(const Request& request, RequestParts& parts) {
    auto parsed = parse_body(request);
    if (!parsed) return fail(std::move(parsed.error()));
    if (!parsed->is_object()) {
        Report report;
        report.add("isObject", "body");
        return fail(Error{errors::validation, report.take()});
    }
    parts.body = std::move(*parsed);
    return {};
}

template <class T>
Result<void> take(Result<T> read, T& out) {
    if (!read) return fail(std::move(read.error()));
    out = std::move(*read);
    return {};
}

}  // namespace

Result<RequestParts> take_apart(const Request& request, Wanted wanted, bool ignores_the_rest) {
    RequestParts out;
    if (wanted.query || (!ignores_the_rest && !request.query.empty())) {
        out.query = parse_query(request.query);
        if (!out.query) return fail(errors::bad_request);
    }
    Result<void> taken;
    if (wanted.file)
        taken = take(read_file_body(request), out.file);
    else if (wanted.upload)
        taken = take(read_upload(request), out.upload);
    else if (wanted.body || (!ignores_the_rest && !request.body.empty()))
        taken = take_body(request, out);
    if (!taken) return fail(std::move(taken.error()));
    return out;
}

void refuse_undeclared(const RequestParts& parts, Wanted wanted, Report& report) {
    Nothing nothing;
    if (!wanted.query && parts.query) read_texts(std::span<const NamedText>(*parts.query), nothing, report);
    if (!wanted.body && parts.body.is_object()) read_object(parts.body.get_object(), nothing, nullptr, report);
}

Result<void> InputFaults::heaviest() {
    if (!path.empty()) return fail(Error{errors::invalid_identifier, path.take()});
    if (!rest.empty()) return fail(Error{errors::validation, rest.take()});
    return std::move(list);
}

}  // namespace detail
}  // namespace consentry::http
