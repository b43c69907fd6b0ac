#include <optional>
#include <unordered_map>

#include "base/errors.hpp"
#include "base/json_values.hpp"
#include "features/administration/import/converters.hpp"
#include "features/administration/import/json_export.hpp"

namespace consentry {
namespace {

using Hashes = std::unordered_map<std::string, std::string>;  // by user_id

// The export of hashes has the id of a row, unless the account was given an id of its own. Returns nullopt if there is
// none: an account without an id has no part in the hashes.
std::optional<std::string> id_of(const json::object& user) {
    if (auto id = text_of(user, "user_id")) return id;
    auto id = text_of(user, "alt_id");
    if (const json::object* row = object_member(user, "_id"); !id && row != nullptr) id = text_of(*row, "$oid");
    if (!id) return std::nullopt;
    return "auth0|" + *id;
}

// Some accounts have their address only among their identifiers. Returns what take_address() does.
bool take_address_of(const json::object& user, ImportRow& row) {
    auto address = text_of(user, "email");
    auto verified = flag_of(user, "email_verified");
    for (const json::object* identifier : objects_of(user, "identifiers")) {
        if (address || text_of(*identifier, "type") != "email") continue;
        address = text_of(*identifier, "value");
        verified = flag_of(*identifier, "verified");
    }
    row.is_verified = verified.value_or(false) ? "true" : "false";
    return take_address(row, std::move(address));
}

void take_identity(ImportRow& row, std::string_view provider, std::optional<std::string> subject) {
    if (provider == "google-oauth2")
        take_subject(row.google_subject, std::move(subject), provider, row);
    else if (provider == "apple")
        take_subject(row.apple_subject, std::move(subject), provider, row);
    else if (provider != "auth0")
        note_unknown_provider(row, provider);
}

// Reads "google-oauth2|1099", for accounts without a list of identities.
void take_identity_of_id(ImportRow& row, const std::string& id) {
    const auto bar = id.find('|');
    if (bar != std::string::npos) take_identity(row, id.substr(0, bar), id.substr(bar + 1));
}

// `hashes`: null if there is no file of them.
void convert_auth0(const json::object& user, ImportRow& row, const Hashes* hashes) {
    if (!take_address_of(user, row)) return;
    // Auth0's default if the user gave no name is the address.
    if (const auto name = text_of(user, "name"); name != row.email) take_name(row, name);
    take_username(row, text_of(user, "username"));
    row.status = flag_of(user, "blocked").value_or(false) ? "inactive" : "active";
    row.created_at = text_of(user, "created_at");
    if (const json::object* metadata = object_member(user, "user_metadata")) {
        row.language = language_of(text_of(*metadata, "lang"));
        if (!row.language) row.language = language_of(text_of(*metadata, "locale"));
    }
    const auto id = id_of(user);
    const auto identities = objects_of(user, "identities");
    if (identities.empty() && id) take_identity_of_id(row, *id);
    // The import cannot tell whose passwords the hashes without an account are.
    bool has_password = identities.empty() && (id ? id->starts_with("auth0|") : hashes != nullptr);
    for (const json::object* identity : identities) {
        has_password = has_password || text_of(*identity, "provider") == "auth0";
        // user_id is a number if the provider uses numeric ids; none of the supported providers does.
        take_identity(row, text_of(*identity, "provider").value_or(""), text_of(*identity, "user_id"));
    }
    auto hash = text_of(user, "passwordHash");
    if (!hash && id && hashes != nullptr)
        if (const auto found = hashes->find(*id); found != hashes->end()) hash = found->second;
    if (hash)
        take_hash(row, std::move(*hash));
    else if (has_password)
        note_lost_password(row);
}

// Reports that the second file is not such an export, when the first row is requested.
class Refused final : public ImportSource {
public:
    Result<std::optional<ImportRow>> next() override {
        return std::unexpected(Error{errors::file_unreadable}.with_message("file.error.notThisExport"));
    }
};

}  // namespace

std::unique_ptr<ImportSource> auth0_export(std::istream& stream, std::istream* hash_lines) {
    std::optional<Hashes> hashes;
    if (hash_lines != nullptr) {
        hashes.emplace();
        bool all_have_ids = true;
        const bool all_are_objects = read_lines(*hash_lines, [&](const json::object& user) {
            auto hash = text_of(user, "passwordHash");
            if (!hash) return;
            auto id = id_of(user);
            all_have_ids = all_have_ids && id;
            if (id) hashes->emplace(std::move(*id), std::move(*hash));
        });
        if (!all_are_objects || !all_have_ids) return std::make_unique<Refused>();
    }
    return json_lines(stream, [hashes = std::move(hashes)](const json::object& user, ImportRow& row) {
        convert_auth0(user, row, hashes ? &*hashes : nullptr);
    });
}

}  // namespace consentry
