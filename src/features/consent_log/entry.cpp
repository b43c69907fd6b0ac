#include "features/consent_log/entry.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/json_values.hpp"
#include "features/published_logs/entry_fields.hpp"

namespace consentry {
namespace {

constexpr std::uint8_t publication_layout = 3;
constexpr std::uint8_t late_flag = 1;
constexpr std::uint8_t not_material_flag = 2;

// Numbers in entries, which must not change with the order of an enum.
constexpr std::array action_codes{std::pair{ConsentAction::accepted, std::uint8_t{1}},
                                  std::pair{ConsentAction::withdrawn, std::uint8_t{2}}};
constexpr std::array type_codes{
    std::pair{PolicyType::terms_of_service, std::uint8_t{1}}, std::pair{PolicyType::privacy, std::uint8_t{2}},
    std::pair{PolicyType::marketing, std::uint8_t{3}}, std::pair{PolicyType::cookies, std::uint8_t{4}}};

template <class Codes>
std::uint8_t code_of(const Codes& codes, auto value) {
    return std::ranges::find(codes, value, &Codes::value_type::first)->second;
}
template <class Codes>
auto value_of(const Codes& codes, std::uint8_t code) -> std::optional<typename Codes::value_type::first_type> {
    const auto found = std::ranges::find(codes, code, &Codes::value_type::second);
    if (found == codes.end()) return std::nullopt;
    return found->first;
}

std::expected<PublicationEntry, std::string> parse_publication(BytesView bytes) {
    if (const auto checked = check_layout(bytes, publication_layout, publication_entry_bytes); !checked)
        return std::unexpected(checked.error());
    FieldReader fields(bytes.subspan(1));
    const auto type = value_of(type_codes, static_cast<std::uint8_t>(fields.number(1)));
    const std::uint64_t flags = fields.number(1);
    if (!type) return std::unexpected("the entry has an unknown policy type");
    if (flags > (late_flag | not_material_flag)) return std::unexpected("the entry has unknown flags");
    PublicationEntry out{
        .type = *type, .is_material = (flags & not_material_flag) == 0, .is_late = (flags & late_flag) != 0};
    out.version = static_cast<std::uint32_t>(fields.number(4));
    const auto time = read_time(fields);
    if (!time) return std::unexpected(time.error());
    out.time = *time;
    fields.copy_to(out.record);
    return out;
}

}  // namespace

Bytes format_entry(const ConsentEntry& entry) {
    const std::string_view language = name_of(entry.language);
    if (language.size() != 2) throw std::logic_error("entry: the language has no code of two letters");
    Bytes out{consent_layout, code_of(action_codes, entry.action), entry.is_late ? late_flag : std::uint8_t{0},
              code_of(type_codes, entry.type)};
    out.reserve(consent_entry_bytes);
    append_number(out, entry.version, 4);
    out.insert(out.end(), language.begin(), language.end());
    append_time(out, entry.time);
    out.insert(out.end(), entry.subject.begin(), entry.subject.end());
    out.insert(out.end(), entry.content.begin(), entry.content.end());
    out.insert(out.end(), entry.addendum.begin(), entry.addendum.end());
    return out;
}

std::expected<ConsentEntry, std::string> parse_entry(BytesView bytes) {
    if (const auto checked = check_layout(bytes, consent_layout, consent_entry_bytes); !checked)
        return std::unexpected(checked.error());
    FieldReader fields(bytes.subspan(1));
    const auto action = value_of(action_codes, static_cast<std::uint8_t>(fields.number(1)));
    const std::uint64_t flags = fields.number(1);
    const auto type = value_of(type_codes, static_cast<std::uint8_t>(fields.number(1)));
    if (!action) return std::unexpected("the entry has an unknown action");
    if (flags > late_flag) return std::unexpected("the entry has unknown flags");
    if (!type) return std::unexpected("the entry has an unknown policy type");
    ConsentEntry out{.action = *action, .is_late = flags == late_flag, .type = *type};
    out.version = static_cast<std::uint32_t>(fields.number(4));
    const auto language = find_enum<Language>(fields.text(2));
    if (!language) return std::unexpected("the entry has an unknown language");
    out.language = *language;
    const auto time = read_time(fields);
    if (!time) return std::unexpected(time.error());
    out.time = *time;
    fields.copy_to(out.subject);
    fields.copy_to(out.content);
    fields.copy_to(out.addendum);
    return out;
}

Bytes format_entry(const PublicationEntry& entry) {
    const auto flags =
        static_cast<std::uint8_t>((entry.is_late ? late_flag : 0) | (entry.is_material ? 0 : not_material_flag));
    Bytes out{publication_layout, code_of(type_codes, entry.type), flags};
    append_number(out, entry.version, 4);
    append_time(out, entry.time);
    out.insert(out.end(), entry.record.begin(), entry.record.end());
    return out;
}

std::expected<LogEntry, std::string> parse_log_entry(BytesView bytes) {
    const auto as_entry = [](const auto& read) -> std::expected<LogEntry, std::string> {
        if (!read) return std::unexpected(read.error());
        return LogEntry(*read);
    };
    switch (bytes.empty() ? std::uint8_t{0} : bytes.front()) {
        case erasure_layout:
            return as_entry(parse_erasure_entry(bytes));
        case publication_layout:
            return as_entry(parse_publication(bytes));
        default:
            return as_entry(parse_entry(bytes));
    }
}

std::optional<std::chrono::sys_seconds> added_at(const LogEntry& entry) {
    const auto read = [](const auto& one) -> std::optional<std::chrono::sys_seconds> {
        if constexpr (requires { one.is_late; })
            if (one.is_late) return std::nullopt;
        return one.time;
    };
    return std::visit(read, entry);
}

std::string addendum_text(const Addendum& addendum, const AddendumSalt& salt) {
    boost::json::object out{{"acceptanceId", addendum.acceptance.text()},
                            {"ipAddress", json_or_null(addendum.ip_address)},
                            {"salt", to_base64(salt)},
                            {"sessionId", json_or_null(addendum.session.transform(&SessionId::text))}};
    if (addendum.shown_diff_hash) out["shownDiffHash"] = *addendum.shown_diff_hash;
    out["userAgent"] = json_or_null(addendum.user_agent);
    out["userId"] = addendum.user.text();
    return boost::json::serialize(out);
}

}  // namespace consentry
