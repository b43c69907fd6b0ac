// The SQL of the logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/uuid.hpp"
#include "features/consent_log/entry.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

// What a log has published, and under which key.
struct LogState {
    std::string verifier_key;
    std::int64_t size = 0;       // entries with a position
    std::int64_t published = 0;  // of these, in the tiles
    Bytes edge;                  // of the tree of `published` entries
    std::string checkpoint;      // of it, signed
    std::string partial_tiles;   // paths, a line each
};

struct LoggedEntry {
    Bytes entry;
    std::optional<std::int64_t> position;
};

class LogRepository {
public:
    // `log` is the name of the log, a literal.
    LogRepository(storage::Database& database, std::string_view log) : database_(database), log_(log) {}

    awaitable<std::optional<LogState>> find_state();
    // Whether entries wait for a position or for their publication. Cheap, whatever the size.
    awaitable<bool> has_work();
    // Creates the state of an empty log, unless the log exists.
    awaitable<void> create(const std::string& verifier_key, const std::string& checkpoint);
    // Gives up to `count` entries the positions from `size` on, in the order of their ids. Returns false if another
    // process has done so meanwhile.
    awaitable<bool> sequence(std::int64_t size, std::int64_t count);
    // The entries at these positions, in order.
    awaitable<std::vector<Bytes>> entries(std::int64_t from, std::int64_t to);
    // Returns false if another process has published meanwhile.
    awaitable<bool> publish(std::int64_t former, LogState next);

    // Adds an entry if the transaction has added its acceptance, otherwise none.
    static void add_consent(storage::Transaction& transaction, AcceptanceId id, const Bytes& entry,
                            const AddendumSalt& salt);
    // Of an acceptance of this account; nullopt if it has none with this id, or the log lacks it.
    awaitable<std::optional<LoggedEntry>> find_consent(UserId user, AcceptanceId id);

    awaitable<std::optional<SubjectTag>> find_subject(UserId user);
    // The transaction fails here if the account has a tag.
    static void add_subject(storage::Transaction& transaction, UserId user, const SubjectTag& tag);
    // The tag that this transaction adds.
    static std::optional<SubjectTag> added_subject(const storage::Transaction& transaction, UserId user);

    awaitable<void> keep_receipt_key(const std::string& kid, const std::string& jwk, TimePoint now);
    awaitable<std::vector<std::string>> list_receipt_keys();  // each a JWK

private:
    storage::Database& database_;
    const std::string_view log_;
};

}  // namespace consentry
