#include "features/consent_proof/description.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "base/json_values.hpp"
#include "base/strict_json.hpp"
#include "features/consent_log/formats.hpp"
#include "tlog/lines.hpp"
#include "tlog/note.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

std::expected<decltype(Description::receipt_keys), std::string> read_keys(const json::object& facts) {
    const json::object* set = object_member(facts, "receiptKeys");
    const json::value* keys = set == nullptr ? nullptr : set->if_contains("keys");
    if (keys == nullptr || !keys->is_array()) return std::unexpected("the description names no receipt keys");
    decltype(Description::receipt_keys) out;
    for (const json::value& jwk : keys->get_array()) {
        if (!jwk.is_object()) return std::unexpected("a receipt key of the description is not an object");
        const std::string kid(text_or_empty(jwk.get_object(), "kid"));
        auto key = crypto::PublicKey::from_jwk(jwk.get_object());
        if (kid.empty() || out.contains(kid) || !key)
            return std::unexpected(fmt::format("a receipt key of the description is damaged: {}",
                                               key ? "its kid is missing or not unique" : key.error()));
        out.emplace(kid, std::move(*key));
    }
    return out;
}

struct UnverifiedDescription {
    tlog::Note note;
    json::object facts;
};

std::expected<UnverifiedDescription, std::string> read_description(std::string_view text) {
    auto note = tlog::parse_note(text);
    if (!note) return std::unexpected("the description is not a signed note: " + note.error());
    tlog::LineReader lines(note->text);
    const auto title = lines.next();
    const auto line = lines.next();
    if (title != description_title || !line || !lines.rest().empty())
        return std::unexpected("the note is not the description of a consent log");
    auto facts = parse_strict_json(*line, {.depth_max = 16, .members_max = 100'000});
    if (!facts || !facts->is_object()) return std::unexpected("the description is not in JSON");
    return UnverifiedDescription{.note = std::move(*note), .facts = std::move(facts->get_object())};
}

}  // namespace

std::expected<void, std::string> check_is_description(std::string_view text) {
    if (const auto read = read_description(text); !read) return std::unexpected(read.error());
    return {};
}

std::expected<Description, std::string> open_description(std::string_view text, const tlog::Policy& policy) {
    const auto read = read_description(text);
    if (!read) return std::unexpected(read.error());
    const auto& [note, facts] = *read;
    const std::string_view key = text_or_empty(facts, "verifierKey");
    const auto log =
        std::ranges::find_if(policy.logs(), [&](const tlog::PolicyLog& trusted) { return trusted.key.text() == key; });
    if (log == policy.logs().end() || log->key.name() != text_or_empty(facts, "origin"))
        return std::unexpected("the description belongs to a log other than the trusted one");
    const std::array known{log->key};
    if (const auto verified = tlog::verify_note(note, known); !verified)
        return std::unexpected("the description is not signed by the log: " + verified.error());
    auto keys = read_keys(facts);
    if (!keys) return std::unexpected(keys.error());
    const json::value* delay = facts.if_contains("mergeDelay");
    if (delay == nullptr || !delay->is_int64() || delay->get_int64() < 0)
        return std::unexpected("the description does not say within which time the log adds entries");
    return Description{.origin = log->key.name(),
                       .receipt_keys = std::move(*keys),
                       .merge_delay = delay->get_int64(),
                       .verifier_key = log->key.text()};
}

std::expected<void, std::string> add_description(Description& known, const Description& more) {
    for (const auto& [kid, key] : more.receipt_keys) {
        const auto [place, is_new] = known.receipt_keys.emplace(kid, key);
        if (!is_new && place->second.spki_der() != key.spki_der())
            return std::unexpected(
                fmt::format("the log has signed two descriptions that name different receipt keys with the ID {}. Keep "
                            "both; they prove it",
                            kid));
    }
    known.merge_delay = std::max(known.merge_delay, more.merge_delay);
    return {};
}

}  // namespace consentry
