// The public keys of all receipts ever signed: receipts outlive the rotation of keys.
//
// The log's description certifies these keys to verifiers, so each of them carries a signature of the log's key. A key
// without one counts for nothing, since write access to the database is not enough to sign receipts. The service signs
// the keys that it holds, and those of former versions that a list in the object store names (former_keys.hpp).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <boost/json/array.hpp>

#include "base/clock.hpp"
#include "crypto/signature_keys.hpp"
#include "features/consent_log/former_keys.hpp"
#include "features/consent_log/repository.hpp"
#include "features/sessions/key_ring.hpp"
#include "storage/object_store.hpp"

namespace consentry {

class ReceiptKeys {
public:
    // The references must outlive this object.
    ReceiptKeys(storage::Database& database, storage::ObjectStore& store, const Clock& clock,
                const crypto::PrivateKey& log_key)
        : database_(database), repository_(database), store_(store), clock_(clock), log_key_(log_key) {}

    // Throws std::runtime_error if receipts have been signed with another key of this ID: verifiers could not tell them
    // apart.
    awaitable<void> check(const SigningKey& key);
    // The same for the JWK that is stored under the ID of `key`.
    static void require_same(const std::string& stored_jwk, const SigningKey& key);
    // Stores a key if the database lacks it or its signature. The database may have been replaced by an older copy
    // since the last call. Throws like check().
    awaitable<void> keep(const SigningKey& key);
    // The same within a transaction: no user has a receipt of this key unless the database has the key.
    awaitable<void> add_to(storage::Transaction& transaction, const SigningKey& key);
    // JWKs in the order of their first use.
    awaitable<boost::json::array> list();
    // Signs the keys of former versions that lack a signature: at the upgrade, and again in a database that was
    // restored. Makes their list first if there is none yet. Throws LogRefused if the list is damaged.
    awaitable<void> adopt_former();

    // Whether the log's key has signed this key, and under this ID.
    static bool is_signed(const ReceiptKey& key, const crypto::PublicKey& log_key);

private:
    std::optional<ReceiptKey> find_kept(const std::string& kid);
    awaitable<std::shared_ptr<const FormerKeys>> former_keys();
    awaitable<std::shared_ptr<const FormerKeys>> find_former_keys();
    awaitable<std::shared_ptr<const FormerKeys>> look_for_former_keys();

    storage::Database& database_;
    ConsentLogRepository repository_;
    storage::ObjectStore& store_;
    const Clock& clock_;
    const crypto::PrivateKey& log_key_;
    std::mutex mutex_;
    // Guarded by mutex_.
    std::map<std::string, ReceiptKey, std::less<>> kept_;  // by ID, as the database has or had them
    std::shared_ptr<const FormerKeys> former_keys_;        // null: not read yet
    std::shared_ptr<const FormerKeys> first_look_;  // what the database had when there was no list; null: no look yet
};

}  // namespace consentry
