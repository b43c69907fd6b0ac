#include "crypto/key_set.hpp"

#include <stdexcept>

#include <boost/json/array.hpp>

#include "base/json_values.hpp"

namespace consentry::crypto {
namespace {

namespace json = boost::json;

constexpr std::size_t keys_max = 100;

// Keys that a provider may publish next to the ones needed here.
bool is_for_others(const json::object& jwk) {
    const std::string_view kty = text_or_empty(jwk, "kty");
    const std::string_view crv = text_or_empty(jwk, "crv");
    const std::string_view alg = text_or_empty(jwk, "alg");
    const std::string_view use = text_or_empty(jwk, "use");
    if (!use.empty() && use != "sig") return true;
    if (!alg.empty() && alg != "RS256" && !find_algorithm(alg)) return true;
    if (kty == "EC") return crv != "P-256" && crv != "P-384" && crv != "P-521";
    if (kty == "OKP") return crv != "Ed25519";
    return kty != "RSA" && kty != "oct";
}

}  // namespace

std::expected<KeySet, std::string> KeySet::from_jwks(const json::object& jwks) {
    const auto* member = jwks.if_contains("keys");
    const auto* list = member == nullptr ? nullptr : member->if_array();
    if (list == nullptr || list->size() > keys_max) return std::unexpected("not a key set");
    KeySet set;
    for (const json::value& entry : *list) {
        const auto* jwk = entry.if_object();
        if (jwk == nullptr) return std::unexpected("a key is not an object");
        if (text_member(*jwk, "kty") == "oct") return std::unexpected("the set contains a symmetric key");
        if (is_for_others(*jwk)) continue;
        std::string kid(text_or_empty(*jwk, "kid"));
        if (kid.empty()) continue;  // no token could refer to it
        auto key = PublicKey::from_jwk(*jwk);
        if (!key) return std::unexpected("key " + kid + ": " + key.error());
        if (set.find(kid) != nullptr) return std::unexpected("two keys have the kid " + kid);
        set.add(std::move(*key), std::move(kid));
    }
    if (set.empty()) return std::unexpected("no usable key in the set");
    return set;
}

void KeySet::add(PublicKey key, std::string kid) {
    if (kid.empty()) throw std::invalid_argument("a key needs a kid");
    if (!keys_.try_emplace(std::move(kid), std::move(key)).second)
        throw std::invalid_argument("two keys have the same kid");
}

const PublicKey* KeySet::find(std::string_view kid) const {
    const auto found = keys_.find(kid);
    return found == keys_.end() ? nullptr : &found->second;
}

json::object KeySet::jwks() const {
    json::array list;
    for (const auto& [kid, key] : keys_) {
        json::object jwk = key.jwk();
        jwk["alg"] = name_of(key.algorithm());
        jwk["use"] = "sig";
        jwk["kid"] = kid;
        list.emplace_back(std::move(jwk));
    }
    json::object out;
    out["keys"] = std::move(list);
    return out;
}

}  // namespace consentry::crypto
