#include "features/login/identity_token.hpp"

#include <algorithm>
#include <ranges>

#include <boost/json/array.hpp>

#include "base/email_address.hpp"
#include "base/json_values.hpp"
#include "base/text.hpp"
#include "base/text_rules.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds age_max = std::chrono::minutes{10};
constexpr std::chrono::seconds clock_difference_max{60};  // of the provider's clock; not applied to the expiry
constexpr std::int64_t last_second = 253'402'300'799;     // of the year 9999

// Accepts whole seconds only; any other number is not a valid time.
std::optional<TimePoint> time_of(const json::object& claims, std::string_view name) {
    const auto* value = claims.if_contains(name);
    if (value == nullptr || !value->is_int64() || value->get_int64() < 0 || value->get_int64() > last_second)
        return std::nullopt;
    return from_epoch_ms(value->get_int64() * 1'000);
}

bool is_one_of(const std::vector<std::string>& list, std::string_view text) {
    return std::ranges::find(list, text) != list.end();
}

bool is_for_us(const json::object& claims, const std::vector<std::string>& client_ids) {
    const auto* audience = claims.if_contains("aud");
    if (audience == nullptr) return false;
    bool several = false;
    if (const auto* list = audience->if_array()) {
        const auto is_text = [](const json::value& entry) { return entry.is_string(); };
        const auto is_ours = [&](const json::value& entry) { return is_one_of(client_ids, entry.get_string()); };
        if (!std::ranges::all_of(*list, is_text) || std::ranges::none_of(*list, is_ours)) return false;
        several = list->size() > 1;
    } else if (!audience->is_string() || !is_one_of(client_ids, audience->get_string())) {
        return false;
    }
    if (!claims.contains("azp")) return !several;
    const auto party = text_member(claims, "azp");
    return party && is_one_of(client_ids, *party);
}

std::optional<std::string_view> fault_of_times(const json::object& claims, TimePoint now) {
    const auto expires = time_of(claims, "exp");
    if (!expires || *expires <= now) return "exp";
    const auto issued = time_of(claims, "iat");
    if (!issued || *issued > now + clock_difference_max || *issued + age_max < now) return "iat";
    if (claims.contains("nbf")) {
        const auto begins = time_of(claims, "nbf");
        if (!begins || *begins > now + clock_difference_max) return "nbf";
    }
    return std::nullopt;
}

// Apple sends a string instead of a boolean.
bool is_true(const json::value* value) {
    if (value == nullptr) return false;
    return value->is_bool() ? value->get_bool() : value->is_string() && value->get_string() == "true";
}

}  // namespace

std::expected<Identity, std::string_view> read_identity(SocialProvider provider, const crypto::CompactJws& jws,
                                                        const IdentityRules& rules, TimePoint now) {
    const json::object& claims = jws.claims;
    // The same keys sign other kinds of tokens. Access tokens are marked in `typ` (RFC 9068), security event tokens in
    // `events` (RFC 8417).
    if (!jws.typ.empty() && !equal_ignoring_case(jws.typ, "JWT")) return std::unexpected("typ");
    if (claims.contains("events")) return std::unexpected("events");
    const auto issuer = text_member(claims, "iss");
    if (!issuer || !is_one_of(rules.issuers, *issuer)) return std::unexpected("iss");
    if (!is_for_us(claims, rules.client_ids)) return std::unexpected("aud");
    if (const auto fault = fault_of_times(claims, now)) return std::unexpected(*fault);
    const auto subject = text_member(claims, "sub");
    if (!subject || !is_identity_subject(*subject)) return std::unexpected("sub");
    if (claims.contains("nonce") && !text_member(claims, "nonce")) return std::unexpected("nonce");

    Identity out;
    out.provider = provider;
    out.subject = *subject;
    if (const auto email = text_member(claims, "email")) out.email = canonical_email(*email);
    out.email_verified = is_true(claims.if_contains("email_verified"));
    if (const auto nonce = text_member(claims, "nonce")) out.nonce = *nonce;
    out.nonce_required = rules.nonce_required;
    out.digest = crypto::sha256(jws.signing_input);
    out.issued_at = *time_of(claims, "iat");
    out.expires_at = *time_of(claims, "exp");
    return out;
}

}  // namespace consentry
