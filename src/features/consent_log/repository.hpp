// The SQL of the consent log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "features/consent_log/entry.hpp"
#include "features/term_policies/policy.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

// An entry, and what the row of its acceptance says.
struct OwnEntry {
    Bytes entry;
    std::optional<std::int64_t> position;
    std::optional<Bytes> salt;
    std::string action;
    std::string type;
    std::int64_t version = 0;
    std::string language;
    Addendum addendum;
};

struct ReceiptKey {
    std::string kid;
    std::string jwk;
    std::optional<Bytes> signature;  // nullopt: stored by a version before 0.2, or by a stranger
};

class ConsentLogRepository {
public:
    explicit ConsentLogRepository(storage::Database& database) : database_(database) {}

    // Adds an entry if the transaction has added its acceptance, otherwise none.
    static void add_consent(storage::Transaction& transaction, AcceptanceId id, const Bytes& entry,
                            const AddendumSalt& salt);
    // Adds the entry of a publication.
    static void add_publication(storage::Transaction& transaction, TermPolicyId policy, const Bytes& entry);
    // The same afterwards. Several processes may do this at once: the first one's entry stays.
    awaitable<void> insert_publication(TermPolicyId policy, Bytes entry);
    awaitable<bool> has_publication(TermPolicyId policy);
    // Adds an entry that is about no row.
    static void add_erasure(storage::Transaction& transaction, const Bytes& entry, TimePoint now);
    // Of an acceptance of this account; nullopt if it has none with this id, or the log lacks it.
    awaitable<std::optional<OwnEntry>> find_consent(UserId user, AcceptanceId id);

    // The acceptances of this account above `after`, in the order of their ids.
    awaitable<std::vector<OwnEntry>> list_consents(UserId user, AcceptanceId after, std::int64_t count);

    // Stores the key, or its signature if the key is there without it. Does nothing if the key of this ID has another
    // JWK.
    static void add_receipt_key(storage::Transaction& transaction, const ReceiptKey& key, TimePoint now);
    // Does nothing if the key of this ID has another JWK.
    awaitable<void> sign_receipt_key(ReceiptKey key);
    awaitable<std::optional<ReceiptKey>> find_receipt_key(const std::string& kid);
    awaitable<std::vector<ReceiptKey>> list_receipt_keys();  // in the order of their first use

private:
    storage::Database& database_;
};

}  // namespace consentry
