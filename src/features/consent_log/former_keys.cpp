#include "features/consent_log/former_keys.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/bytes.hpp"
#include "base/strict_json.hpp"
#include "crypto/digest.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

std::string digest_of(const ReceiptKey& key) { return to_hex(crypto::sha256(key.jwk)); }

const json::string* text_in(const json::value& value, std::string_view name) {
    const json::value* member = value.is_object() ? value.get_object().if_contains(name) : nullptr;
    return member == nullptr ? nullptr : member->if_string();
}

}  // namespace

FormerKeys::FormerKeys(const std::vector<ReceiptKey>& keys) {
    for (const ReceiptKey& key : keys) digests_.emplace(key.kid, digest_of(key));
}

std::optional<FormerKeys> FormerKeys::parse(std::string_view text) {
    const auto read = parse_strict_json(text, {.members_max = 100'000});
    const json::value* keys = read && read->is_object() ? read->get_object().if_contains("keys") : nullptr;
    if (keys == nullptr || !keys->is_array()) return std::nullopt;
    FormerKeys out;
    for (const json::value& one : keys->get_array()) {
        const auto* kid = text_in(one, "kid");
        const auto* digest = text_in(one, "sha256");
        if (kid == nullptr || digest == nullptr) return std::nullopt;
        out.digests_.emplace(*kid, *digest);
    }
    return out;
}

std::string FormerKeys::text() const {
    json::array keys;
    for (const auto& [kid, digest] : digests_) keys.push_back({{"kid", kid}, {"sha256", digest}});
    return json::serialize(json::object{{"keys", std::move(keys)}}) + "\n";
}

bool FormerKeys::has(const ReceiptKey& key) const {
    const auto found = digests_.find(key.kid);
    return found != digests_.end() && found->second == digest_of(key);
}

}  // namespace consentry
