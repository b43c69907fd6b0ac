#include "http/upload.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/errors.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "http/characters.hpp"
#include "http/media_type.hpp"

namespace consentry::http {
namespace {

constexpr std::string_view csv = "text/csv";
constexpr std::string_view line_end = "\r\n";
constexpr std::size_t boundary_bytes_max = 70;  // RFC 2046 section 5.1.1
constexpr std::size_t head_bytes_max = 4'096;   // of one part
constexpr std::size_t parts_max = 8;

struct Parameter {
    std::string_view name;
    std::string_view value;
};

// type *( ";" [ name "=" ( token / quoted-string ) ] ). Quoted values are taken literally: some browsers write a quote
// as %22, other clients as \" (RFC 7578 section 4.2 leaves it open), so a backslash is refused rather than interpreted.
struct FieldValue {
    std::string_view type;
    std::vector<Parameter> parameters;

    static std::optional<FieldValue> parse(std::string_view text) {
        FieldValue out{.type = trim(text.substr(0, text.find(';'))), .parameters = {}};
        text.remove_prefix(std::min(text.find(';'), text.size()));
        while (!text.empty()) {
            text = trim(text.substr(1));
            if (text.empty() || text.front() == ';') continue;
            const std::size_t equals = text.find('=');
            if (equals == std::string_view::npos || equals == 0) return std::nullopt;
            const std::string_view name = text.substr(0, equals);
            if (!std::ranges::all_of(name, is_token) || out.value_of(name)) return std::nullopt;
            text.remove_prefix(equals + 1);
            std::size_t end = 0;
            if (text.starts_with('"')) {
                text.remove_prefix(1);
                end = text.find_first_of("\"\\");
                if (end == std::string_view::npos || text[end] == '\\') return std::nullopt;
                out.parameters.push_back({name, text.substr(0, end++)});
            } else {
                while (end < text.size() && is_token(text[end])) ++end;
                if (end == 0) return std::nullopt;
                out.parameters.push_back({name, text.substr(0, end)});
            }
            text = trim(text.substr(end));
            if (!text.empty() && text.front() != ';') return std::nullopt;
        }
        return out;
    }
    std::optional<std::string_view> value_of(std::string_view name) const {
        const auto found =
            std::ranges::find_if(parameters, [&](const Parameter& one) { return equal_ignoring_case(one.name, name); });
        return found == parameters.end() ? std::nullopt : std::optional(found->value);
    }
};

bool is_boundary(std::string_view text) {
    return !text.empty() && text.size() <= boundary_bytes_max && !text.ends_with(' ') &&
           std::ranges::all_of(
               text, [](char c) { return is_alphanumeric(c) || std::string_view("'()+_,-./:=? ").contains(c); });
}

struct Part {
    std::string_view name;
    std::optional<std::string_view> filename;
    std::string_view content_type;
    std::string_view body;
};

// Parses the header lines of a part; nullopt if they are malformed.
std::optional<Part> read_head(std::string_view head) {
    Part out;
    bool is_named = false;
    while (!head.empty()) {
        const std::string_view line = head.substr(0, head.find(line_end));
        head.remove_prefix(std::min(line.size() + line_end.size(), head.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0 || line.front() == ' ' || line.front() == '\t' ||
            holds_control(line))
            return std::nullopt;
        const std::string_view name = line.substr(0, colon);
        const std::string_view text = trim(line.substr(colon + 1));
        if (equal_ignoring_case(name, "content-disposition")) {
            const auto value = FieldValue::parse(text);
            if (is_named || !value || !equal_ignoring_case(value->type, "form-data") || !value->value_of("name") ||
                value->value_of("filename*"))
                return std::nullopt;
            is_named = true;
            out.name = *value->value_of("name");
            out.filename = value->value_of("filename");
            if (!code_points(out.name) || !code_points(out.filename.value_or(""))) return std::nullopt;
        } else if (equal_ignoring_case(name, "content-type")) {
            out.content_type = media_type_of(text);
            if (to_lower_ascii(out.content_type).starts_with("multipart/")) return std::nullopt;
        } else if (equal_ignoring_case(name, "content-transfer-encoding")) {
            if (!equal_ignoring_case(text, "binary") && !equal_ignoring_case(text, "8bit") &&
                !equal_ignoring_case(text, "7bit"))
                return std::nullopt;
        }
    }
    return is_named ? std::optional(out) : std::nullopt;
}

std::optional<std::vector<Part>> read_parts(std::string_view form, std::string_view boundary) {
    const std::string delimiter = "\r\n--" + std::string(boundary);
    if (!form.starts_with(std::string_view(delimiter).substr(line_end.size()))) return std::nullopt;
    form.remove_prefix(delimiter.size() - line_end.size());
    std::vector<Part> out;
    while (form != "--" && form != "--\r\n") {
        if (!form.starts_with(line_end) || out.size() == parts_max) return std::nullopt;
        form.remove_prefix(line_end.size());
        const std::size_t head_end = form.substr(0, head_bytes_max).find("\r\n\r\n");
        if (head_end == std::string_view::npos) return std::nullopt;
        auto part = read_head(form.substr(0, head_end));
        if (!part) return std::nullopt;
        form.remove_prefix(head_end + 2 * line_end.size());
        const std::size_t end = form.find(delimiter);
        if (end == std::string_view::npos) return std::nullopt;
        part->body = form.substr(0, end);
        out.push_back(*part);
        form.remove_prefix(end + delimiter.size());
    }
    return out;
}

bool is_coded(const Request& request) {
    const auto coding = request.header("content-encoding");
    return coding && !equal_ignoring_case(*coding, "identity");
}

std::unexpected<Error> empty_file() { return fail(Error{errors::file_required}.with_message("file.error.empty")); }

bool ends_like_csv(std::string_view filename) {
    constexpr std::string_view ending = ".csv";
    return filename.size() > ending.size() &&
           equal_ignoring_case(filename.substr(filename.size() - ending.size()), ending);
}

}  // namespace

Result<FileBody> read_file_body(const Request& request) {
    if (is_coded(request)) return fail(wrong_content_coding());
    const std::string_view type = request.header("content-type").value_or("");
    return FileBody{.content_type = to_lower_ascii(media_type_of(type)), .bytes = request.body};
}

Result<Upload> read_upload(const Request& request) {
    constexpr std::string_view taken = "multipart/form-data, text/csv";
    if (is_coded(request)) return fail(wrong_content_coding());
    if (request.body.empty()) {
        const bool is_table = equal_ignoring_case(media_type_of(request.header("content-type").value_or("")), csv);
        return is_table ? empty_file() : fail(errors::file_required);
    }
    if (request.count("content-type") != 1) return fail(wrong_media_type(errors::file_extension_invalid, taken));
    const auto type = FieldValue::parse(*request.header("content-type"));
    if (!type) return fail(wrong_media_type(errors::file_extension_invalid, taken));
    if (equal_ignoring_case(type->type, csv))
        return Upload{.filename = {}, .content_type = std::string(csv), .body = request.body};
    if (!equal_ignoring_case(type->type, "multipart/form-data"))
        return fail(wrong_media_type(errors::file_extension_invalid, taken));

    const auto boundary = type->value_of("boundary");
    if (!boundary || !is_boundary(*boundary)) return fail(errors::bad_request);
    const auto parts = read_parts(request.body, *boundary);
    if (!parts) return fail(errors::bad_request);
    const Part* file = nullptr;
    Report report;
    for (const Part& part : *parts) {
        if (part.name != "file" || file != nullptr)
            report.add_unknown(part.name);
        else
            file = &part;
    }
    if (!report.empty()) return fail(Error{errors::validation, report.take()});
    if (file == nullptr || !file->filename || file->filename->empty()) return fail(errors::file_required);
    if (!ends_like_csv(*file->filename)) return fail(errors::file_extension_invalid);
    if (file->body.empty()) return empty_file();
    return Upload{
        .filename = std::string(*file->filename), .content_type = std::string(file->content_type), .body = file->body};
}

}  // namespace consentry::http
