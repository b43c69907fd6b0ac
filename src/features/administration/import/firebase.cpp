#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "features/administration/import/converters.hpp"
#include "features/administration/import/json_export.hpp"

namespace consentry {
namespace {

// The export uses either base64 alphabet.
std::string standard_base64(std::string text) {
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

std::string hash_of(const json::object& user, const FirebaseHashConfig& config) {
    return fmt::format("$fbscrypt$v=1,n={},r={},p=1,ss={},sk={}${}${}", config.memory_cost, config.rounds,
                       config.salt_separator, config.signer_key, standard_base64(text_of(user, "salt").value_or("")),
                       standard_base64(text_of(user, "passwordHash").value_or("")));
}

void convert_firebase(const json::object& user, ImportRow& row, const FirebaseHashConfig& config) {
    if (!take_address(row, text_of(user, "email"))) return;
    take_name(row, text_of(user, "displayName"));
    row.status = flag_of(user, "disabled").value_or(false) ? "inactive" : "active";
    row.is_verified = flag_of(user, "emailVerified").value_or(false) ? "true" : "false";
    if (const auto created = text_of(user, "createdAt")) {  // milliseconds since 1970, as text
        if (const auto ms = parse_number<std::int64_t>(*created)) row.created_at = to_iso8601(from_epoch_ms(*ms));
    }
    const bool has_hash = text_of(user, "passwordHash").has_value();
    if (has_hash) take_hash(row, hash_of(user, config));
    for (const json::object* identity : objects_of(user, "providerUserInfo")) {
        const std::string provider = text_of(*identity, "providerId").value_or("");
        if (provider == "google.com")
            take_subject(row.google_subject, text_of(*identity, "rawId"), provider, row);
        else if (provider == "apple.com")
            take_subject(row.apple_subject, text_of(*identity, "rawId"), provider, row);
        else if (provider != "password")
            note_unknown_provider(row, provider);
        else if (!has_hash)
            note_lost_password(row);
    }
    if (user.contains("mfaInfo")) note_unknown_provider(row, "mfa");
}

}  // namespace

std::optional<FirebaseHashConfig> FirebaseHashConfig::read(std::istream& stream) {
    std::map<std::string, std::string, std::less<>> values;
    constexpr std::size_t lines_max = 100;
    std::string line;
    for (std::size_t i = 0; i < lines_max && std::getline(stream, line); ++i) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        std::string_view value = trim(std::string_view(line).substr(colon + 1));
        while (value.ends_with(',') || value.ends_with('\r')) value = trim(value.substr(0, value.size() - 1));
        values.emplace(trim(std::string_view(line).substr(0, colon)), value);
    }
    const FirebaseHashConfig out{.signer_key = values["base64_signer_key"],
                                 .salt_separator = values["base64_salt_separator"],
                                 .rounds = values["rounds"],
                                 .memory_cost = values["mem_cost"]};
    if (values["algorithm"] != "SCRYPT" || out.signer_key.empty() || out.rounds.empty() || out.memory_cost.empty())
        return std::nullopt;
    return out;
}

std::unique_ptr<ImportSource> firebase_export(std::istream& stream, FirebaseHashConfig config) {
    return json_document(stream, [config = std::move(config)](const json::object& user, ImportRow& row) {
        convert_firebase(user, row, config);
    });
}

}  // namespace consentry
