#include "features/published_logs/repository.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "storage/columns.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::sql;

constexpr auto state_columns = columns<LogState>(
    column<"verifier_key", &LogState::verifier_key>, column<"size", &LogState::size>,
    column<"published", &LogState::published>, column<"edge", &LogState::edge>,
    column<"checkpoint", &LogState::checkpoint>, column<"partial_tiles", &LogState::partial_tiles>,
    column<"public_size", &LogState::public_size>, column<"public_checkpoint", &LogState::public_checkpoint>,
    column<"cosigned_size", &LogState::cosigned_size>, column<"cosigned_checkpoint", &LogState::cosigned_checkpoint>,
    column<"cosignatures", &LogState::cosignatures>, column<"stamped_size", &LogState::stamped_size>);

Uuid to_uuid(const storage::Row& row, std::size_t at) { return row.uuid(at); }
constexpr auto entry_columns =
    columns<StoredEntry>(column<"e.position", &StoredEntry::position>, column<"e.id", &StoredEntry::id, to_uuid>,
                         column<"e.entry", &StoredEntry::entry>, column<"e.salt", &StoredEntry::salt>);

constexpr storage::Text overdue =
    "published > public_size AND (uncosigned_since IS NULL OR uncosigned_since <= $2 OR uncosigned_since > $3)";

constexpr std::string_view insert_subject =
    "INSERT INTO log_subjects (user_id, tag) SELECT u.id, $2 FROM users u WHERE u.id = $1 AND u.erased_at IS NULL";

}  // namespace

SubjectTag stored_tag(BytesView bytes) {
    const auto tag = to_array<SubjectTag>(bytes);
    if (!tag) throw std::logic_error("log_subjects: a tag does not have 16 bytes");
    return *tag;
}

awaitable<std::optional<LogState>> LogRepository::find_state() {
    const auto rows = co_await database_.query(sql<"SELECT ", state_columns, " FROM logs WHERE name = $1">, log_);
    if (rows.empty()) co_return std::nullopt;
    co_return state_columns.read(rows[0]);
}

awaitable<bool> LogRepository::has_work() {
    const auto rows = co_await database_.query(
        "SELECT 1 FROM logs WHERE name = $1 AND (published < size OR EXISTS (SELECT 1 FROM log_entries e "
        "WHERE e.log = $1 AND e.position IS NULL))",
        log_);
    co_return !rows.empty();
}

awaitable<void> LogRepository::create(const std::string& verifier_key, const std::string& checkpoint) {
    co_await database_.execute(
        "INSERT INTO logs (name, verifier_key, edge, checkpoint, public_checkpoint) VALUES ($1, $2, $3, $4, $4) "
        "ON CONFLICT (name) DO NOTHING",
        log_, verifier_key, Bytes{}, checkpoint);
}

awaitable<bool> LogRepository::sequence(std::int64_t size, std::int64_t count) {
    storage::Transaction transaction;
    // The condition on the size makes one process of all that try the only one that continues.
    transaction.add(Expect::one, "UPDATE logs SET size = size WHERE name = $1 AND size = $2", log_, size);
    transaction.add(Expect::any,
                    "UPDATE log_entries SET position = $2 + place FROM (SELECT p.id AS pending, ROW_NUMBER() OVER "
                    "(ORDER BY p.id) - 1 AS place FROM log_entries p WHERE p.log = $1 AND p.position IS NULL "
                    "ORDER BY p.id LIMIT $3) AS places WHERE log_entries.id = pending AND position IS NULL",
                    log_, size, count);
    transaction.add(Expect::one,
                    "UPDATE logs SET size = $2 + (SELECT COUNT(*) FROM log_entries e WHERE e.log = $1 "
                    "AND e.position >= $2) WHERE name = $1",
                    log_, size);
    const auto outcome = co_await database_.commit(std::move(transaction));
    co_return outcome.committed;
}

awaitable<std::vector<Bytes>> LogRepository::entries(std::int64_t from, std::int64_t to) {
    const auto rows = co_await database_.query(
        "SELECT position, entry FROM log_entries WHERE log = $1 AND position >= $2 AND position < $3 ORDER BY position",
        log_, from, to);
    if (static_cast<std::int64_t>(rows.size()) != to - from)
        throw std::runtime_error("the database lacks entries of the log " + std::string(log_));
    std::vector<Bytes> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].bytes(1));
    co_return out;
}

awaitable<std::vector<StoredEntry>> LogRepository::existing(std::int64_t from, std::int64_t to) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", entry_columns,
            " FROM log_entries e WHERE e.log = $1 AND e.position >= $2 AND e.position < $3 ORDER BY e.position">,
        log_, from, to);
    co_return entry_columns.read_all(rows);
}

awaitable<std::optional<LogRepository::Rest>> LogRepository::existing_from(std::int64_t from, std::int64_t count) {
    const auto rows = co_await database_.query(
        sql<"SELECT ", entry_columns,
            ", l.size FROM logs l LEFT JOIN log_entries e ON e.log = l.name AND (e.position >= $2 OR e.position < 0) "
            "WHERE l.name = $1 ORDER BY e.position LIMIT $3">,
        log_, from, count);
    if (rows.empty()) co_return std::nullopt;
    Rest out{.size = rows[0].integer(entry_columns.width), .entries = {}};
    if (!rows[0].is_null(0)) out.entries = entry_columns.read_all(rows);
    co_return out;
}

awaitable<bool> LogRepository::publish(std::int64_t former, LogState next, std::optional<TimePoint> uncosigned_at) {
    const auto rows = co_await database_.execute(
        "UPDATE logs SET published = $3, edge = $4, checkpoint = $5, partial_tiles = $6, "
        "public_size = CASE WHEN $7 THEN public_size ELSE $3 END, "
        "public_checkpoint = CASE WHEN $7 THEN public_checkpoint ELSE $5 END, "
        "uncosigned_since = CASE WHEN $7 THEN COALESCE(uncosigned_since, CAST($8 AS BIGINT)) END "
        "WHERE name = $1 AND published = $2 AND size >= $3",
        log_, former, next.published, next.edge, next.checkpoint, next.partial_tiles, uncosigned_at.has_value(),
        uncosigned_at);
    co_return rows.affected() == 1;
}

awaitable<void> LogRepository::keep_partial_tiles(const LogState& known, std::string partial_tiles) {
    co_await database_.execute(
        "UPDATE logs SET partial_tiles = $4 WHERE name = $1 AND published = $2 AND partial_tiles = $3", log_,
        known.published, known.partial_tiles, partial_tiles);
}

awaitable<bool> LogRepository::keep_cosigned(CosignedCheckpoint cosigned) {
    const auto rows = co_await database_.execute(
        "UPDATE logs SET cosigned_size = $2, cosignatures = $3, cosigned_checkpoint = $4, "
        "uncosigned_since = CASE WHEN published > $2 THEN CAST($5 AS BIGINT) END, "
        "public_checkpoint = CASE WHEN public_size <= $2 THEN $4 ELSE public_checkpoint END, "
        "public_size = CASE WHEN public_size <= $2 THEN $2 ELSE public_size END "
        "WHERE name = $1 AND published >= $2 "
        "AND (cosigned_size < $2 OR (cosigned_size = $2 AND cosignatures < $3))",
        log_, cosigned.size, cosigned.cosignatures, cosigned.note, cosigned.latest_at);
    co_return rows.affected() == 1;
}

awaitable<bool> LogRepository::is_overdue(TimePoint limit, TimePoint latest) {
    const auto rows =
        co_await database_.query(sql<"SELECT 1 FROM logs WHERE name = $1 AND ", overdue>, log_, limit, latest);
    co_return !rows.empty();
}

awaitable<bool> LogRepository::show_uncosigned(LogState checked, TimePoint limit, TimePoint latest) {
    const auto rows = co_await database_.execute(
        sql<"UPDATE logs SET public_size = published, public_checkpoint = checkpoint WHERE name = $1 AND ", overdue,
            " AND published = $4 AND checkpoint = $5">,
        log_, limit, latest, checked.published, checked.checkpoint);
    co_return rows.affected() == 1;
}

awaitable<void> LogRepository::show_latest(LogState checked) {
    co_await database_.execute(
        "UPDATE logs SET public_size = published, public_checkpoint = checkpoint, uncosigned_since = NULL "
        "WHERE name = $1 AND public_size < published AND published = $2 AND checkpoint = $3",
        log_, checked.published, checked.checkpoint);
}

awaitable<std::optional<std::string>> LogRepository::begin_stamp(TimePoint now, TimePoint limit, TimePoint settled) {
    static constexpr storage::Text public_size = "CASE WHEN public_checkpoint = '' THEN published ELSE public_size END";
    const auto rows = co_await database_.execute(
        sql<"UPDATE logs SET stamped_at = $2 WHERE name = $1 AND ", public_size,
            " > stamped_size AND (stamped_at IS NULL OR stamped_at <= $3 OR stamped_at > $2) "
            "AND NOT EXISTS (SELECT 1 FROM log_entries e WHERE e.log = $1 AND e.position IS NULL AND e.id < $4) "
            "AND NOT EXISTS (SELECT 1 FROM log_entries e WHERE e.log = $1 AND e.position >= ",
            public_size,
            " AND e.id < $4) "
            "RETURNING CASE WHEN public_checkpoint = '' THEN checkpoint ELSE public_checkpoint END">,
        log_, now, limit, Uuid::v7(settled));
    if (rows.empty()) co_return std::nullopt;
    co_return rows[0].text(0);
}

awaitable<void> LogRepository::keep_stamp(std::int64_t size) {
    co_await database_.execute("UPDATE logs SET stamped_size = $2 WHERE name = $1 AND stamped_size < $2", log_, size);
}

awaitable<void> LogRepository::redate_stamp(TimePoint began, TimePoint instead) {
    co_await database_.execute("UPDATE logs SET stamped_at = $3 WHERE name = $1 AND stamped_at = $2", log_, began,
                               instead);
}

awaitable<std::optional<SubjectTag>> SubjectRepository::find(UserId user) {
    const auto rows = co_await database_.query("SELECT tag FROM log_subjects WHERE user_id = $1", user);
    if (rows.empty()) co_return std::nullopt;
    co_return stored_tag(rows[0].bytes(0));
}

void SubjectRepository::add_insert(storage::Transaction& transaction, UserId user, const SubjectTag& tag) {
    transaction.add(Expect::one, insert_subject, user, BytesView(tag));
}

void SubjectRepository::add_erase(storage::Transaction& transaction, UserId user,
                                  const std::optional<SubjectTag>& tag) {
    if (tag)
        transaction.add(Expect::one, "DELETE FROM log_subjects WHERE user_id = $1 AND tag = $2", user, BytesView(*tag));
    else
        transaction.add(Expect::none, "DELETE FROM log_subjects WHERE user_id = $1", user);
}

std::optional<SubjectTag> SubjectRepository::inserted(const storage::Transaction& transaction, UserId user) {
    for (const storage::Statement& statement : transaction.statements())
        if (statement.sql == insert_subject && statement.params.at(0) == storage::bind(user))
            return stored_tag(std::get<Bytes>(statement.params.at(1)));
    return std::nullopt;
}

}  // namespace consentry
