#include "features/consent_log/former_keys.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/json_values.hpp"
#include "base/strict_json.hpp"
#include "crypto/digest.hpp"
#include "features/published_logs/log_refused.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

std::string digest_of(const ReceiptKey& key) { return to_hex(crypto::sha256(key.jwk)); }

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
        if (!one.is_object()) return std::nullopt;
        const auto kid = text_member(one.get_object(), "kid");
        const auto digest = text_member(one.get_object(), "sha256");
        if (!kid || !digest) return std::nullopt;
        out.digests_.emplace(*kid, *digest);
    }
    return out;
}

FormerKeys FormerKeys::stored(std::string_view text) {
    auto out = parse(text);
    if (!out)
        throw LogRefused(fmt::format(
            "The private object {} is damaged: it lists keys of receipts. Restore it from a backup; docs/guides/"
            "backup.md says what to do if there is none.",
            former_keys_object));
    return std::move(*out);
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
