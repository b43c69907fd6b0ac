#include "features/consent_log/receipt_keys.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/bytes.hpp"

namespace consentry {
namespace {

constexpr std::string_view adoption_mark = "receipt-keys/are-signed";

// The first line keeps the signature apart from those of checkpoints and descriptions.
std::string signed_text(const std::string& jwk) { return "consentry receipt key\n" + jwk; }

boost::json::object public_jwk(const SigningKey& key) {
    boost::json::object out = key.key.public_key().jwk();
    out["kid"] = key.kid;
    out["alg"] = name_of(key.key.algorithm());
    out["use"] = "sig";
    return out;
}

Bytes signature_of(const std::string& jwk, const crypto::PrivateKey& log_key) {
    const std::string raw = log_key.sign(signed_text(jwk));
    return {raw.begin(), raw.end()};
}

}  // namespace

void ReceiptKeys::require_same(const std::string& stored_jwk, const SigningKey& key) {
    if (boost::json::parse(stored_jwk) == public_jwk(key)) return;
    throw std::runtime_error(fmt::format(
        "AUTH_JWT_ACCESS_TOKEN_KID: receipts have been signed with another key of the ID {}. Give every new key a new "
        "ID.",
        key.kid));
}

awaitable<void> ReceiptKeys::check(const SigningKey& key) {
    const auto stored = co_await repository_.find_receipt_key(key.kid);
    if (stored) require_same(stored->jwk, key);
}

bool ReceiptKeys::is_signed(const ReceiptKey& key, const crypto::PublicKey& log_key) {
    return key.signature && log_key.verify(signed_text(key.jwk), *key.signature);
}

awaitable<void> ReceiptKeys::keep(const SigningKey& key) {
    {
        const std::scoped_lock lock(mutex_);
        if (kept_.contains(key.kid)) co_return;
    }
    const std::string jwk = boost::json::serialize(public_jwk(key));
    co_await repository_.keep_receipt_key({.kid = key.kid, .jwk = jwk, .signature = signature_of(jwk, log_key_)},
                                          clock_.now());
    const auto stored = co_await repository_.find_receipt_key(key.kid);
    if (!stored) throw std::runtime_error("the database has lost a key of receipts that was just stored");
    require_same(stored->jwk, key);
    if (!is_signed(*stored, log_key_.public_key()))
        co_await repository_.sign_receipt_key(
            {.kid = key.kid, .jwk = stored->jwk, .signature = signature_of(stored->jwk, log_key_)});
    const std::scoped_lock lock(mutex_);
    kept_.insert(key.kid);
}

awaitable<boost::json::array> ReceiptKeys::list() {
    const crypto::PublicKey log_key = log_key_.public_key();
    boost::json::array out;
    for (const ReceiptKey& key : co_await repository_.list_receipt_keys())
        if (is_signed(key, log_key)) out.push_back(boost::json::parse(key.jwk));
    co_return out;
}

awaitable<void> ReceiptKeys::adopt_former() {
    if (is_adopted_) co_return;
    const std::string mark(adoption_mark);
    const auto adopted = co_await store_.head(storage::Area::private_area, mark);
    if (!adopted) {
        for (ReceiptKey& key : co_await repository_.list_receipt_keys()) {
            if (key.signature) continue;
            key.signature = signature_of(key.jwk, log_key_);
            co_await repository_.sign_receipt_key(std::move(key));
        }
        co_await store_.put(storage::Area::private_area, mark, "yes\n", "text/plain");
    }
    is_adopted_ = true;
}

}  // namespace consentry
