#include "features/administration/import/checks.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/enum_names.hpp"
#include "base/text.hpp"
#include "base/text_rules.hpp"
#include "crypto/digest.hpp"
#include "crypto/password_hash.hpp"
#include "features/users/username.hpp"

namespace consentry {
namespace {

struct UsernameRule {
    static constexpr std::string_view key = "isUsername";
    bool holds(std::string_view text) const { return has_username_characters(text); }
    boost::json::object placeholders() const { return {}; }
};

constexpr auto name_rules = std::tuple{NameRule{}, MaxLengthRule{100}};
constexpr auto username_rules = std::tuple{MinLengthRule{3}, MaxLengthRule{50}, UsernameRule{}};
constexpr auto subject_rules = std::tuple{IdentitySubjectRule{}};

// The API's own fields of these types report the same violations.
template <NamedEnum Enum>
void read(const std::optional<std::string>& text, Enum& out, std::string_view property, Report& report) {
    if (!text) return;
    if (const auto found = find_enum<Enum>(*text))
        out = *found;
    else
        report.add("isEnum", property, {{"allowed", all_names<Enum>()}});
}

void read(const std::optional<std::string>& text, bool& out, std::string_view property, Report& report) {
    if (!text) return;
    if (*text == "true" || *text == "false")
        out = *text == "true";
    else
        report.add("isBoolean", property);
}

void read(const std::optional<std::string>& text, TimePoint& out, std::string_view property, Report& report) {
    if (!text) return;
    if (const auto time = from_iso8601(*text))
        out = *time;
    else
        report.add("isIso8601", property);
}

}  // namespace

bool is_username(std::string_view lowered) {
    return std::apply([&](const auto&... rule) { return (rule.holds(lowered) && ...); }, username_rules);
}

bool is_name(std::string_view text) {
    return std::apply([&](const auto&... rule) { return (rule.holds(text) && ...); }, name_rules);
}

std::size_t ImportChecks::Spread::operator()(const Digest& digest) const noexcept {
    std::size_t out = 0;
    std::memcpy(&out, digest.data(), sizeof out);
    return out;
}

bool ImportChecks::is_first(std::string_view kind, std::string_view value) {
    std::string text(kind);
    text.append(":").append(value);
    const crypto::Sha256 whole = crypto::sha256(std::string_view(text));
    const auto digest = to_array<Digest>(BytesView(whole).first(sizeof(Digest))).value();
    return seen_.insert(digest).second;
}

void ImportChecks::check_once(std::string_view kind, std::string_view value, std::string_view property,
                              Report& report) {
    if (!is_first(kind, value)) report.add("isUnique", property);
}

void ImportChecks::take_username(ImportRow& row, StagedUser& out, Report& report) {
    out.username_given = row.username.has_value();
    if (!row.username) {
        out.username = new_username(username_prefix_);
        return;
    }
    out.username = to_lower_ascii(*row.username);
    check_rules(out.username, username_rules, PropertyPath("username"), report);
    if (is_first("username", out.username)) return;
    if (row.username_is_optional)
        replace_username(out, row.notes);
    else
        report.add("isUnique", "username");
}

void ImportChecks::replace_username(StagedUser& user, std::vector<Violation>& notes) const {
    user.username = new_username(username_prefix_);
    user.username_given = false;
    Report report;
    report.add("isFreeUsername", "username");
    for (Violation& note : report.take()) notes.push_back(std::move(note));
}

StagedUser ImportChecks::check(ImportRow& row, Report& report) {
    StagedUser out;
    out.row = row.number;
    if (!row.email) {
        report.add("isNotEmpty", "email");
    } else if (auto email = canonical_email(*row.email); !email) {
        report.add(EmailRule::key, "email");
    } else {
        out.email = std::move(*email);
        check_once("email", out.email, "email", report);
    }
    if (row.name) check_rules(*row.name, name_rules, PropertyPath("name"), report);
    out.name = std::move(row.name);
    take_username(row, out, report);
    read(row.status, out.status, "status", report);
    read(row.is_verified, out.is_verified, "isVerified", report);
    read(row.language, out.language, "language", report);
    if (row.password_hash && !crypto::is_supported_password_hash(*row.password_hash))
        report.add("isPasswordHash", "passwordHash");
    out.password_hash = std::move(row.password_hash);
    const TimePoint now = clock_.now();
    out.created_at = now;
    read(row.created_at, out.created_at, "createdAt", report);
    if (out.created_at > now || out.created_at < TimePoint{}) report.add("isPast", "createdAt");
    const auto take_subject = [&](std::optional<std::string>& subject, std::string_view property) {
        if (!subject) return;
        check_rules(*subject, subject_rules, PropertyPath(property), report);
        check_once(property, *subject, property, report);
    };
    // Otherwise the person who later proves the address would share the account with the identity's owner.
    const bool says_unverified = !row.is_verified || row.is_verified == "false";
    if (says_unverified && (row.google_subject || row.apple_subject)) report.add("isVerifiedWithSubject", "isVerified");
    take_subject(row.google_subject, "googleSubject");
    take_subject(row.apple_subject, "appleSubject");
    out.google_subject = std::move(row.google_subject);
    out.apple_subject = std::move(row.apple_subject);
    // The id carries the account's creation time, so that ids sort by creation. Without one it carries the current
    // time, slightly later than the previous row's, so that neighboring rows are adjacent in the indexes.
    if (report.empty()) out.id = UserId::make(out.created_at);
    return out;
}

}  // namespace consentry
