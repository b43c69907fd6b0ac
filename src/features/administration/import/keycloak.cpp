#include <algorithm>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/json_values.hpp"
#include "features/administration/import/converters.hpp"
#include "features/administration/import/json_export.hpp"

namespace consentry {
namespace {

// Keycloak stores both halves of a credential as JSON inside JSON.
std::optional<json::object> inner(const json::object& credential, std::string_view name) {
    const auto text = text_of(credential, name);
    if (!text) return std::nullopt;
    boost::system::error_code error;
    json::value value = json::parse(*text, error);
    if (error || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

// Reads values like "memory": ["7168"].
std::string first_of(const json::object* parameters, std::string_view name) {
    const json::value* values = parameters == nullptr ? nullptr : parameters->if_contains(name);
    if (values == nullptr || !values->is_array() || values->get_array().empty()) return {};
    const json::value& first = values->get_array().front();
    return first.is_string() ? std::string(first.get_string()) : std::string();
}

// Returns an empty string if the hash has no format known here.
std::string hash_of(const json::object& credential) {
    const auto data = inner(credential, "credentialData");
    const auto secret = inner(credential, "secretData");
    if (!data || !secret) return {};
    const std::string algorithm = text_of(*data, "algorithm").value_or("");
    const json::value* iterations = data->if_contains("hashIterations");
    if (iterations == nullptr || !iterations->is_int64()) return {};
    const std::string salt = unpadded(text_of(*secret, "salt").value_or(""));
    const std::string value = unpadded(text_of(*secret, "value").value_or(""));
    if (algorithm == "pbkdf2-sha256" || algorithm == "pbkdf2-sha512")
        return fmt::format("${}$i={}${}${}", algorithm, iterations->get_int64(), salt, value);
    if (algorithm != "argon2") return {};
    const json::object* parameters = object_member(*data, "additionalParameters");
    if (first_of(parameters, "version") != "1.3") return {};  // v=19
    return fmt::format("$argon2{}$v=19$m={},t={},p={}${}${}", first_of(parameters, "type"),
                       first_of(parameters, "memory"), iterations->get_int64(), first_of(parameters, "parallelism"),
                       salt, value);
}

// An administrator has set the password and may know it, or distrusts it.
bool must_be_changed(const json::object& user) {
    const json::value* actions = user.if_contains("requiredActions");
    return actions != nullptr && actions->is_array() &&
           std::ranges::find(actions->get_array(), json::value("UPDATE_PASSWORD")) != actions->get_array().end();
}

void take_password(const json::object& credential, bool is_temporary, ImportRow& row) {
    if (is_temporary || flag_of(credential, "temporary").value_or(false))
        note_temporary_password(row);
    else
        take_hash(row, hash_of(credential));
}

void convert_keycloak(const json::object& user, ImportRow& row) {
    if (!take_address(row, text_of(user, "email"))) return;
    take_name(row, joined(text_of(user, "firstName"), text_of(user, "lastName")));
    take_username(row, text_of(user, "username"));
    row.status = flag_of(user, "enabled").value_or(true) ? "active" : "inactive";
    row.is_verified = flag_of(user, "emailVerified").value_or(false) ? "true" : "false";
    if (const json::object* attributes = object_member(user, "attributes"))
        row.language = language_of(first_of(attributes, "locale"));
    if (const json::value* created = user.if_contains("createdTimestamp"); created != nullptr && created->is_int64())
        row.created_at = to_iso8601(from_epoch_ms(created->get_int64()));
    for (const json::object* credential : objects_of(user, "credentials")) {
        const std::string type = text_of(*credential, "type").value_or("");
        if (type != "password")
            note_unknown_provider(row, type);
        else if (!row.password_hash)
            take_password(*credential, must_be_changed(user), row);
    }
    for (const json::object* identity : objects_of(user, "federatedIdentities")) {
        const std::string provider = text_of(*identity, "identityProvider").value_or("");
        if (provider == "google")
            take_subject(row.google_subject, text_of(*identity, "userId"), provider, row);
        else if (provider == "apple")
            take_subject(row.apple_subject, text_of(*identity, "userId"), provider, row);
        else
            note_unknown_provider(row, provider);
    }
}

// Keycloak writes an array of realms if it exports all of them.
bool is_realm(const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return false;
    const json::value* users = object->if_contains("users");
    return text_of(*object, "realm") || (users != nullptr && users->is_array());
}

Result<void> refuse_realms(const json::array& users) {
    if (std::ranges::none_of(users, is_realm)) return {};
    return std::unexpected(Error{errors::file_unreadable}.with_message("file.error.severalRealms"));
}

}  // namespace

std::unique_ptr<ImportSource> keycloak_export(std::istream& stream) {
    return json_document(stream, convert_keycloak, refuse_realms);
}

}  // namespace consentry
