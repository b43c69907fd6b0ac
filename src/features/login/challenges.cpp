#include "features/login/challenges.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/best_effort.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "crypto/random.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

constexpr std::size_t token_length = 48;  // letters and digits: 62 symbols, 285 bits

std::string key_of(const crypto::Sha256& digest) { return "TwoFactor:" + to_base64url(digest); }

std::string slot_key(const storage::Cache& cache, UserId user, std::int64_t sequence) {
    return "TwoFactor:open:" + cache.group(user.text()) + ":" + std::to_string(sequence % open_challenges_max);
}

std::string encode(const Challenge& challenge) {
    json::object out{{"user", challenge.user.text()},
                     {"version", challenge.security_version},
                     {"epoch", challenge.epoch},
                     {"setup", challenge.required_setup},
                     {"from", name_of(challenge.origin.from)},
                     {"with", name_of(challenge.origin.with)},
                     {"address", challenge.origin.ip_address},
                     {"agent", challenge.origin.user_agent},
                     {"issued", epoch_ms(challenge.issued_at)}};
    if (challenge.origin.kind == SessionKind::cookie) out["cookie"] = true;
    if (challenge.origin.device) {
        const Device& device = *challenge.origin.device;
        json::object told{{"fingerprint", device.fingerprint}};
        if (device.name) told["name"] = *device.name;
        if (device.platform) told["platform"] = *device.platform;
        out["device"] = std::move(told);
    }
    if (challenge.identity) {
        json::object told{{"subject", challenge.identity->subject}, {"joins", challenge.identity->joins}};
        if (challenge.identity->email) told["email"] = *challenge.identity->email;
        out["identity"] = std::move(told);
    }
    return json::serialize(out);
}

std::optional<std::string> text_of(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr) return std::nullopt;
    return std::string(value->as_string());
}

Challenge decode(std::string_view text) {
    const json::value value = json::parse(text);
    const json::object& in = value.as_object();
    Challenge out;
    out.user = UserId::parse(in.at("user").as_string()).value();
    out.security_version = in.at("version").as_int64();
    // The previous version of the program wrote no epoch; its challenges belong to the first one.
    const auto* epoch = in.if_contains("epoch");
    out.epoch = epoch != nullptr ? epoch->as_int64() : 1;
    out.required_setup = in.at("setup").as_bool();
    out.origin.from = find_enum<LoginFrom>(in.at("from").as_string()).value();
    out.origin.with = find_enum<LoginWith>(in.at("with").as_string()).value();
    if (in.contains("cookie")) out.origin.kind = SessionKind::cookie;
    out.origin.ip_address = in.at("address").as_string();
    out.origin.user_agent = in.at("agent").as_string();
    out.issued_at = from_epoch_ms(in.at("issued").as_int64());
    if (const auto* device = in.if_contains("device")) {
        const json::object& told = device->as_object();
        out.origin.device = Device{*text_of(told, "fingerprint"), text_of(told, "name"), text_of(told, "platform")};
    }
    if (const auto* identity = in.if_contains("identity")) {
        const json::object& told = identity->as_object();
        out.identity = IdentityUse{.provider = provider_of(out.origin.with).value(),
                                   .subject = *text_of(told, "subject"),
                                   .email = text_of(told, "email"),
                                   .is_linked = !told.at("joins").as_bool(),
                                   .joins = told.at("joins").as_bool()};
    }
    return out;
}

}  // namespace

crypto::Sha256 Challenges::digest(std::string_view token) { return crypto::sha256(token); }

awaitable<std::string> Challenges::issue(Challenge challenge) {
    std::string token = crypto::random_text(token_length, crypto::alphanumerics);
    const std::string key = key_of(digest(token));
    // The key is authenticated with the challenge, so a challenge copied to another key does not open.
    const Bytes sealed = sealing_.seal_in_one(as_bytes(encode(challenge)), as_bytes(key));
    co_await cache_.put(key, std::string(as_text(sealed)), challenge_ttl);
    co_return token;
}

awaitable<void> Challenges::evict_oldest(UserId user, std::int64_t sequence, std::string token) {
    const std::string slot = slot_key(cache_, user, sequence);
    // If two logins reach the slot at once, only one takes what is in it.
    const auto oldest = co_await best_effort([&] { return cache_.take(slot); });
    if (oldest) co_await best_effort([&] { return cache_.erase(*oldest); });
    co_await best_effort([&] { return cache_.put(slot, key_of(digest(token)), challenge_ttl); });
}

awaitable<std::optional<Challenge>> Challenges::find(std::string token) {
    if (token.size() != token_length) co_return std::nullopt;
    const std::string key = key_of(digest(token));
    const auto found = co_await cache_.get(key);
    if (!found) co_return std::nullopt;
    const auto opened = sealing_.open_in_one(as_bytes(*found), as_bytes(key));
    if (!opened) co_return std::nullopt;
    Challenge challenge = decode(as_text(*opened));
    // The cache expires the entry as well, but its clock may differ from ours (CHL-3).
    if (challenge.issued_at + challenge_ttl <= clock_.now()) co_return std::nullopt;
    co_return challenge;
}

awaitable<void> Challenges::forget(std::string token) {
    // If the cache is down the challenge is spent anyway: the session's row records its digest.
    co_await best_effort([&] { return cache_.erase(key_of(digest(token))); });
}

}  // namespace consentry
