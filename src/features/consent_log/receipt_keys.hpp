// The public keys of all receipts ever signed: receipts outlive the rotation of keys.
//
// The log's description certifies these keys to verifiers, so each of them carries a signature of the log's key. A key
// without one counts for nothing: whoever can only write to the database cannot sign receipts.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include <boost/json/array.hpp>

#include "base/clock.hpp"
#include "crypto/signature_keys.hpp"
#include "features/consent_log/repository.hpp"
#include "features/sessions/key_ring.hpp"
#include "storage/object_store.hpp"

namespace consentry {

class ReceiptKeys {
public:
    // The references must outlive this object.
    ReceiptKeys(storage::Database& database, storage::ObjectStore& store, const Clock& clock,
                const crypto::PrivateKey& log_key)
        : repository_(database), store_(store), clock_(clock), log_key_(log_key) {}

    // Throws std::runtime_error if receipts have been signed with another key of this ID: verifiers could not tell them
    // apart.
    awaitable<void> check(const SigningKey& key);
    // The same for the JWK that is stored under the ID of `key`.
    static void require_same(const std::string& stored_jwk, const SigningKey& key);
    // Stores a key, before anybody has a receipt that it signed. Throws like check().
    awaitable<void> keep(const SigningKey& key);
    // JWKs in the order of their first use.
    awaitable<boost::json::array> list();
    // Signs the keys that versions before 0.2 have stored, once in the life of an installation. An object in the store
    // remembers that, because a mark in the database would not keep out those who can write there.
    awaitable<void> adopt_former();

    // Whether the log's key has signed this key.
    static bool is_signed(const ReceiptKey& key, const crypto::PublicKey& log_key);

private:
    ConsentLogRepository repository_;
    storage::ObjectStore& store_;
    const Clock& clock_;
    const crypto::PrivateKey& log_key_;
    std::mutex mutex_;
    std::set<std::string, std::less<>> kept_;  // IDs in the database; guarded by mutex_
    std::atomic<bool> is_adopted_ = false;
};

}  // namespace consentry
