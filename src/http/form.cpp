#include "http/form.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/errors.hpp"
#include "base/percent_encoding.hpp"
#include "base/text.hpp"
#include "http/media_type.hpp"

namespace consentry::http {
namespace {

constexpr std::string_view media_type = "application/x-www-form-urlencoded";

bool is_form(std::string_view content_type) {
    if (!equal_ignoring_case(media_type_of(content_type), media_type)) return false;
    const auto semicolon = content_type.find(';');
    return semicolon == std::string_view::npos ||
           equal_ignoring_case(trim(content_type.substr(semicolon + 1)), "charset=utf-8");
}

std::optional<std::string> decode_field(std::string_view text) {
    auto out = form_decoded(text);
    if (!out || out->contains('\0') || !code_points(*out)) return std::nullopt;
    return out;
}

}  // namespace

std::optional<std::vector<NamedText>> read_form(std::string_view body) {
    std::vector<NamedText> out;
    if (!std::ranges::all_of(body, is_visible)) return std::nullopt;
    if (body.empty()) return out;
    for (const std::string_view field : split(body, '&')) {
        const auto equals = field.find('=');
        if (equals == 0 || equals == std::string_view::npos || field.find('=', equals + 1) != std::string_view::npos)
            return std::nullopt;
        auto name = decode_field(field.substr(0, equals));
        auto value = decode_field(field.substr(equals + 1));
        if (!name || !value || out.size() == form_fields_max) return std::nullopt;
        out.push_back({std::move(*name), std::move(*value)});
    }
    return out;
}

Result<std::vector<NamedText>> parse_form(const Request& request) {
    const auto coding = request.header("content-encoding");
    if (coding && !equal_ignoring_case(*coding, "identity")) return fail(wrong_content_coding());
    const auto type = request.header("content-type");
    if (!request.body.empty() && (!type || request.count("content-type") != 1 || !is_form(*type)))
        return fail(wrong_media_type(errors::unsupported_media_type, media_type));
    auto fields = read_form(request.body);
    if (!fields) return fail(Error{errors::bad_request}.with_message("request.error.formMalformed"));
    return std::move(*fields);
}

}  // namespace consentry::http
