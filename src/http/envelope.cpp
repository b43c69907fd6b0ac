#include "http/envelope.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/strict_json.hpp"

namespace consentry::http {
namespace {

constexpr std::string_view metadata_begin = R"(,"metadata":{"language":")";
constexpr std::string_view metadata_last = R"(,"correlationId":)";

void write_metadata(std::string& out, const AnswerFacts& facts, std::string_view more) {
    out.append(metadata_begin).append(name_of(facts.language));
    out.append(R"(","timestamp":)").append(fmt::format_int(epoch_ms(facts.now)).c_str()).append(R"(,"timezone":)");
    append_json_string(out, facts.timezone);
    out.append(R"(,"path":)");
    append_json_string(out, facts.path);
    out.append(R"(,"version":)");
    append_json_string(out, facts.version);
    out.append(R"(,"repoVersion":)");
    append_json_string(out, facts.repo_version);
    out.append(R"(,"requestId":)");
    append_json_string(out, facts.request_id);
    out.append(metadata_last);
    append_json_string(out, facts.correlation_id);
    out.append(more);
    out.push_back('}');
}

void write_violation(std::string& out, const Violation& violation, std::string_view property, const Locales& locales,
                     Language language) {
    out.append(R"({"key":)");
    append_json_string(out, violation.key);
    out.append(R"(,"property":)");
    append_json_string(out, property);
    out.append(R"(,"message":)");
    // The text of a broken rule is found at request.error.<key>; a rule without one shows its key.
    const std::string message_key = "request.error." + violation.key;
    append_json_string(out, locales.find(language, message_key)
                                ? locales.text(language, message_key, violation.placeholders)
                                : violation.key);
    out.push_back('}');
}

void write_violations(std::string& out, const Error& error, const Locales& locales, Language language) {
    out.append(R"(,"errors":[)");
    for (const Violation& violation : error.violations()) {
        if (out.back() != '[') out.push_back(',');
        write_violation(out, violation, violation.property, locales, language);
    }
    out.push_back(']');
}

// Of a file: properties begin with the number of their row ("17.email"), and those of a row stand together.
void write_rows(std::string& out, const Error& error, const Locales& locales, Language language) {
    out.append(R"(,"errors":[)");
    std::string_view open;
    for (const Violation& violation : error.violations()) {
        const std::string_view property = violation.property;
        const std::string_view row = property.substr(0, property.find('.'));
        if (row == open) {
            out.push_back(',');
        } else {
            if (!open.empty()) out.append("]},");
            out.append(R"({"row":)").append(row).append(R"(,"errors":[)");
            open = row;
        }
        write_violation(out, violation, property.substr(row.size() + 1), locales, language);
    }
    out.append(open.empty() ? "]" : "]}]");
}

void write_error_members(std::string& out, const Error& error, const Locales& locales, const AnswerFacts& facts) {
    const ErrorKind& kind = error.kind();
    fmt::format_to(std::back_inserter(out), R"("statusCode":{},"statusCodeKey":"{}","module":"{}","message":)",
                   kind.service_code, kind.name, kind.module);
    append_json_string(out, locales.text(facts.language, error.message_key(), error.data()));
    if (!error.violations().empty())
        (error.is(errors::file_validation) ? write_rows : write_violations)(out, error, locales, facts.language);
    if (!error.data().empty()) out.append(R"(,"data":)").append(boost::json::serialize(error.data()));
    write_metadata(out, facts, {});
}

}  // namespace

void write_success(std::string& out, unsigned status, std::string_view message, const Reply& reply,
                   const AnswerFacts& facts) {
    out.reserve(out.size() + message.size() + reply.data.size() + 512);  // the metadata are about that long
    out.append(R"({"statusCode":)").append(fmt::format_int(status).c_str()).append(R"(,"message":)");
    append_json_string(out, message);
    if (!reply.data.empty()) out.append(R"(,"data":)").append(reply.data);
    write_metadata(out, facts, reply.metadata);
    out.push_back('}');
}

void write_error(std::string& out, const Error& error, const Locales& locales, const AnswerFacts& facts) {
    out.push_back('{');
    write_error_members(out, error, locales, facts);
    out.push_back('}');
}

void write_problem(std::string& out, const Error& error, std::string_view title, const Locales& locales,
                   const AnswerFacts& facts) {
    const ErrorKind& kind = error.kind();
    fmt::format_to(std::back_inserter(out),
                   R"({{"type":"urn:consentry:error:{}:{}","title":"{}","status":{},"detail":)", kind.module, kind.name,
                   title, kind.http_status);
    append_json_string(out, locales.text(facts.language, error.message_key(), error.data()));
    out.append(R"(,"instance":"urn:uuid:)").append(facts.request_id).append(R"(",)");
    write_error_members(out, error, locales, facts);
    out.push_back('}');
}

std::string_view bare_metadata(std::string_view body, std::string_view correlation_id) {
    if (!body.ends_with("\"}}")) return {};
    std::string_view rest = body.substr(0, body.size() - 3);
    if (!rest.ends_with(correlation_id)) return {};
    rest.remove_suffix(correlation_id.size());
    if (!rest.ends_with('"') || !rest.substr(0, rest.size() - 1).ends_with(metadata_last)) return {};
    // Looked for only now, when it is known to be near the end: a body may be long.
    const auto begin = rest.rfind(metadata_begin);
    return begin == std::string_view::npos ? std::string_view{} : body.substr(begin);
}

std::string header_safe(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c >= 0x20 && c < 0x7F) out.push_back(c);
    return out;
}

}  // namespace consentry::http
