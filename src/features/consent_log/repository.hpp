// The SQL of the consent log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "features/consent_log/entry.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

struct LoggedEntry {
    Bytes entry;
    std::optional<std::int64_t> position;
};

struct OwnEntry {
    AcceptanceId id;
    Bytes entry;
    std::optional<std::int64_t> position;
};

class ConsentLogRepository {
public:
    explicit ConsentLogRepository(storage::Database& database) : database_(database) {}

    // Adds an entry if the transaction has added its acceptance, otherwise none.
    static void add_consent(storage::Transaction& transaction, AcceptanceId id, const Bytes& entry,
                            const AddendumSalt& salt);
    // Adds an entry that is about no row.
    static void add_erasure(storage::Transaction& transaction, const Bytes& entry, TimePoint now);
    // Of an acceptance of this account; nullopt if it has none with this id, or the log lacks it.
    awaitable<std::optional<LoggedEntry>> find_consent(UserId user, AcceptanceId id);

    // The acceptances of this account above `after`, in the order of their ids.
    awaitable<std::vector<OwnEntry>> list_consents(UserId user, AcceptanceId after, std::int64_t count);

    awaitable<void> keep_receipt_key(const std::string& kid, const std::string& jwk, TimePoint now);
    awaitable<std::vector<std::string>> list_receipt_keys();  // each a JWK

private:
    storage::Database& database_;
};

}  // namespace consentry
