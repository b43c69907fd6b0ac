#include "http/envelope.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/errors.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"

namespace consentry::http {
namespace {

// Returns the offset at which the metadata begins.
std::size_t write_metadata(std::string& out, const AnswerFacts& facts, std::string_view more) {
    const std::size_t begin = out.size();
    out.append(R"(,"metadata":{"language":")").append(name_of(facts.language));
    out.append(R"(","timestamp":)");
    append_number(out, epoch_ms(facts.now));
    out.append(R"(,"timezone":)");
    append_json_string(out, facts.timezone);
    out.append(R"(,"path":)");
    append_json_string(out, facts.path);
    out.append(R"(,"version":)");
    append_json_string(out, facts.version);
    out.append(R"(,"repoVersion":)");
    append_json_string(out, facts.repo_version);
    out.append(R"(,"requestId":)");
    append_json_string(out, facts.request_id);
    out.append(R"(,"correlationId":)");
    append_json_string(out, facts.correlation_id);
    out.append(more);
    out.push_back('}');
    return begin;
}

void write_violation(std::string& out, const Violation& violation, std::string_view property, const Locales& locales,
                     Language language) {
    out.append(R"({"key":)");
    append_json_string(out, violation.key);
    out.append(R"(,"property":)");
    append_json_string(out, property);
    out.append(R"(,"message":)");
    // The text of a violated rule is at request.error.<key>; a rule without a text shows its key.
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

// Groups the violations in a file by row: property names begin with the row number ("17.email"), and violations of a
// row are adjacent.
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

std::size_t write_error_members(std::string& out, const Error& error, const Locales& locales,
                                const AnswerFacts& facts) {
    const ErrorKind& kind = error.kind();
    fmt::format_to(std::back_inserter(out), R"("statusCode":{},"statusCodeKey":"{}","module":"{}","message":)",
                   kind.service_code, kind.name, kind.module);
    append_json_string(out, locales.text(facts.language, error.message_key(), error.data()));
    if (!error.violations().empty())
        (error.is(errors::file_validation) ? write_rows : write_violations)(out, error, locales, facts.language);
    if (!error.data().empty()) out.append(R"(,"data":)").append(boost::json::serialize(error.data()));
    return write_metadata(out, facts, {});
}

}  // namespace

std::size_t write_success(std::string& out, unsigned status, std::string_view message, const Reply& reply,
                          const AnswerFacts& facts) {
    out.reserve(out.size() + message.size() + reply.data.size() + 512);  // approximate size of the metadata
    out.append(R"({"statusCode":)");
    append_number(out, status);
    out.append(R"(,"message":)");
    append_json_string(out, message);
    if (!reply.data.empty()) out.append(R"(,"data":)").append(reply.data);
    const std::size_t metadata = write_metadata(out, facts, reply.metadata);
    out.push_back('}');
    return reply.metadata.empty() ? out.size() - metadata : 0;
}

std::size_t write_error(std::string& out, const Error& error, const Locales& locales, const AnswerFacts& facts) {
    out.push_back('{');
    const std::size_t metadata = write_error_members(out, error, locales, facts);
    out.push_back('}');
    return out.size() - metadata;
}

std::size_t write_problem(std::string& out, const Error& error, std::string_view title, const Locales& locales,
                          const AnswerFacts& facts) {
    const ErrorKind& kind = error.kind();
    fmt::format_to(std::back_inserter(out),
                   R"({{"type":"urn:consentry:error:{}:{}","title":"{}","status":{},"detail":)", kind.module, kind.name,
                   title, kind.http_status);
    append_json_string(out, locales.text(facts.language, error.message_key(), error.data()));
    out.append(R"(,"instance":"urn:uuid:)").append(facts.request_id).append(R"(",)");
    const std::size_t metadata = write_error_members(out, error, locales, facts);
    out.push_back('}');
    return out.size() - metadata;
}

std::string retry_after_line(const Error& error) {
    const auto* wait = error.data().if_contains("retryAfterSeconds");
    if (wait == nullptr || !wait->is_int64()) return {};
    return "Retry-After: " + std::to_string(wait->get_int64()) + "\r\n";
}

std::string header_safe(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (is_printable(c)) out.push_back(c);
    return out;
}

}  // namespace consentry::http
