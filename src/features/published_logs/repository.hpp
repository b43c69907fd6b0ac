// The SQL that all logs share: their state, the positions of entries, and the tags of accounts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/uuid.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

using SubjectTag = std::array<std::uint8_t, 16>;  // random, one for each account: what entries call it
// Throws std::logic_error if the bytes are no tag.
SubjectTag stored_tag(BytesView bytes);

using AddendumSalt = std::array<std::uint8_t, 32>;  // random, so that readers cannot guess what a digest stands for

// What a log has published, and under which key.
struct LogState {
    std::string verifier_key;
    std::int64_t size = 0;       // entries with a position
    std::int64_t published = 0;  // of these, in the tiles
    Bytes edge;                  // of the tree of `published` entries
    std::string checkpoint;      // of it, signed
    std::string partial_tiles;   // paths, a line each
    std::int64_t public_size = 0;
    std::string public_checkpoint;  // what everybody is shown; empty: a former version created the log
    std::int64_t cosigned_size = 0;
    std::string cosigned_checkpoint;  // the latest one that the quorum of witnesses has cosigned; may be empty
    std::int64_t cosignatures = 0;    // how many witnesses have cosigned it
    std::int64_t stamped_size = 0;    // of the newest checkpoint with a timestamp; 0: none
};

// A checkpoint that the quorum has cosigned.
struct CosignedCheckpoint {
    std::int64_t size = 0;
    std::int64_t cosignatures = 0;  // by different witnesses
    std::string note;
    TimePoint latest_at;  // when it was the latest checkpoint
};

// An entry that has a position.
struct StoredEntry {
    std::int64_t position = 0;
    Uuid id;
    Bytes entry;
    std::optional<Bytes> salt;  // absent once the evidence is deleted
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
    // The entries at these positions that exist, in order. For verification, which must not trust that all do.
    awaitable<std::vector<StoredEntry>> existing(std::int64_t from, std::int64_t to);
    // Up to `count` entries at positions from `from` on and at negative ones, which no log has, and the number of
    // positions given out by then; nullopt if the state is lost.
    struct Rest {
        std::int64_t size = 0;
        std::vector<StoredEntry> entries;
    };
    awaitable<std::optional<Rest>> existing_from(std::int64_t from, std::int64_t count);
    // Returns false if another process has published meanwhile, or if not that many entries have a
    // position. `uncosigned_at`: the public checkpoint stays, because the new one waits for cosignatures from then on.
    awaitable<bool> publish(std::int64_t former, LogState next, std::optional<TimePoint> uncosigned_at);
    // Replaces the list of partial tiles, unless the log has changed since.
    awaitable<void> keep_partial_tiles(const LogState& known, std::string partial_tiles);
    // Returns false if the log has a cosigned checkpoint that is as good. Makes it the public one, unless that is
    // newer.
    awaitable<bool> keep_cosigned(CosignedCheckpoint cosigned);
    // Whether cosignatures on the latest checkpoint have lagged since `limit`, or since a time after `latest`, which a
    // clock has shown that was set back.
    awaitable<bool> is_overdue(TimePoint limit, TimePoint latest);
    // Makes the checkpoint of `checked` the public one if it still is the latest one and overdue. Returns whether it
    // did.
    awaitable<bool> show_uncosigned(LogState checked, TimePoint limit, TimePoint latest);
    // The same without witnesses to wait for: if it still is the latest one, and newer than the public one.
    awaitable<void> show_latest(LogState checked);

    // Returns the public checkpoint if it has grown since the last timestamp, none was begun after `limit`, and it
    // lacks no entry from before `settled`. Records that one begins now.
    awaitable<std::optional<std::string>> begin_stamp(TimePoint now, TimePoint limit, TimePoint settled);
    awaitable<void> keep_stamp(std::int64_t size);
    // What began at `began` counts as begun at `instead`.
    awaitable<void> redate_stamp(TimePoint began, TimePoint instead);

private:
    storage::Database& database_;
    const std::string_view log_;
};

class SubjectRepository {
public:
    explicit SubjectRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<SubjectTag>> find(UserId user);
    // The transaction fails here if the account has a tag or is erased.
    static void add_insert(storage::Transaction& transaction, UserId user, const SubjectTag& tag);
    // The transaction fails here if the account's tag is not this one.
    static void add_erase(storage::Transaction& transaction, UserId user, const std::optional<SubjectTag>& tag);
    // The tag that this transaction adds.
    static std::optional<SubjectTag> inserted(const storage::Transaction& transaction, UserId user);

private:
    storage::Database& database_;
};

}  // namespace consentry
