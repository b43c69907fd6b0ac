#include "features/consent_log/receipt_keys.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "base/wrong_settings.hpp"

namespace consentry {
namespace {

// The first line keeps the signature apart from those of checkpoints and descriptions.
std::string signed_text(const std::string& jwk) { return "consentry receipt key\n" + jwk; }

boost::json::object public_jwk(const std::string& kid, const crypto::PublicKey& key) {
    boost::json::object out = key.jwk();
    out["kid"] = kid;
    out["alg"] = name_of(key.algorithm());
    out["use"] = "sig";
    return out;
}

boost::json::object public_jwk(const SigningKey& key) { return public_jwk(key.kid, key.key.public_key()); }

// Whether a version of this program may have stored it: one JWK that verifiers cannot read would spoil the description.
bool is_well_formed(const ReceiptKey& stored) {
    const auto jwk = parse_strict_json(stored.jwk);
    if (!jwk || !jwk->is_object()) return false;
    const auto key = crypto::PublicKey::from_jwk(jwk->get_object());
    return key && crypto::find_algorithm(name_of(key->algorithm())) && *jwk == public_jwk(stored.kid, *key);
}

Bytes signature_of(const std::string& jwk, const crypto::PrivateKey& log_key) {
    const std::string raw = log_key.sign(signed_text(jwk));
    return {raw.begin(), raw.end()};
}

}  // namespace

void ReceiptKeys::require_same(const std::string& stored_jwk, const SigningKey& key) {
    if (boost::json::parse(stored_jwk) == public_jwk(key)) return;
    throw WrongSettings(fmt::format(
        "AUTH_JWT_ACCESS_TOKEN_KID: receipts have been signed with another key of the ID {}. Give every new key a new "
        "ID.",
        key.kid));
}

awaitable<void> ReceiptKeys::check(const SigningKey& key) {
    const auto stored = co_await repository_.find_receipt_key(key.kid);
    if (stored) require_same(stored->jwk, key);
}

bool ReceiptKeys::is_signed(const ReceiptKey& key, const crypto::PublicKey& log_key) {
    return key.signature && log_key.verify(signed_text(key.jwk), *key.signature) && is_well_formed(key);
}

awaitable<void> ReceiptKeys::keep(const SigningKey& key) {
    auto stored = co_await repository_.find_receipt_key(key.kid);
    if (!stored) {
        const std::string jwk = boost::json::serialize(public_jwk(key));
        storage::Transaction transaction;
        ConsentLogRepository::add_receipt_key(
            transaction, {.kid = key.kid, .jwk = jwk, .signature = signature_of(jwk, log_key_)}, clock_.now());
        co_await database_.commit(std::move(transaction));
        stored = co_await repository_.find_receipt_key(key.kid);
    }
    if (!stored) throw std::runtime_error("the database has lost a key of receipts that was just stored");
    require_same(stored->jwk, key);
    if (!is_signed(*stored, log_key_.public_key())) {
        stored->signature = signature_of(stored->jwk, log_key_);
        co_await repository_.sign_receipt_key(*stored);
    }
    const std::scoped_lock lock(mutex_);
    kept_.insert_or_assign(key.kid, std::move(*stored));
}

std::optional<ReceiptKey> ReceiptKeys::find_kept(const std::string& kid) {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(kid);
    return found == kept_.end() ? std::nullopt : std::optional(found->second);
}

awaitable<void> ReceiptKeys::add_to(storage::Transaction& transaction, const SigningKey& key) {
    auto kept = find_kept(key.kid);
    if (!kept) {
        co_await keep(key);
        kept = find_kept(key.kid);
    }
    ConsentLogRepository::add_receipt_key(transaction, kept.value(), clock_.now());
}

awaitable<boost::json::array> ReceiptKeys::list() {
    const crypto::PublicKey log_key = log_key_.public_key();
    boost::json::array out;
    for (const ReceiptKey& key : co_await repository_.list_receipt_keys())
        if (is_signed(key, log_key)) out.push_back(boost::json::parse(key.jwk));
    co_return out;
}

awaitable<void> ReceiptKeys::adopt_former() {
    const auto former = co_await former_keys();
    if (former->empty()) co_return;
    const crypto::PublicKey log_key = log_key_.public_key();
    for (ReceiptKey& key : co_await repository_.list_receipt_keys()) {
        if (!former->has(key) || is_signed(key, log_key)) continue;
        key.signature = signature_of(key.jwk, log_key_);
        co_await repository_.sign_receipt_key(std::move(key));
    }
}

// Once it exists, no instance writes the list again, so what this process has read stays true. Of instances that start
// at the same moment after the upgrade, the last one to write decides.
awaitable<std::shared_ptr<const FormerKeys>> ReceiptKeys::former_keys() {
    {
        const std::scoped_lock lock(mutex_);
        if (former_keys_) co_return former_keys_;
    }
    auto found = co_await find_former_keys();
    if (!found) {
        const auto looked = co_await look_for_former_keys();
        co_await store_.put(storage::Area::private_area, std::string(former_keys_object), looked->text(),
                            "application/json");
        found = co_await find_former_keys();  // another instance may have written it as well
    }
    if (!found) throw Unavailable("the object store has lost an object that was just stored");
    const std::scoped_lock lock(mutex_);
    former_keys_ = found;
    co_return found;
}

awaitable<std::shared_ptr<const FormerKeys>> ReceiptKeys::find_former_keys() {
    const auto object =
        co_await store_.get(storage::Area::private_area, std::string(former_keys_object), former_keys_bytes_max);
    if (!object) co_return nullptr;
    co_return std::make_shared<const FormerKeys>(FormerKeys::stored(object->bytes));
}

// Once: while the object store refuses the list, anyone who can write to the database could add a key.
awaitable<std::shared_ptr<const FormerKeys>> ReceiptKeys::look_for_former_keys() {
    {
        const std::scoped_lock lock(mutex_);
        if (first_look_) co_return first_look_;
    }
    auto stored = co_await repository_.list_receipt_keys();
    std::erase_if(stored, [](const ReceiptKey& key) { return !is_well_formed(key); });
    auto looked = std::make_shared<const FormerKeys>(stored);
    const std::scoped_lock lock(mutex_);
    if (!first_look_) first_look_ = std::move(looked);
    co_return first_look_;
}

}  // namespace consentry
