#include "features/witness/repository.hpp"

#include <span>
#include <stdexcept>

#include "base/embedded.hpp"

namespace consentry {

std::span<const EmbeddedFile> witness_migration_files();

const std::vector<storage::Migration>& witness_migrations() {
    static const std::vector<storage::Migration> parsed = storage::parse_migrations(witness_migration_files());
    return parsed;
}

awaitable<std::optional<tlog::Checkpoint>> WitnessRepository::find(std::string origin) {
    const auto rows = co_await database_.query("SELECT size, root FROM cosigned_logs WHERE origin = $1", origin);
    if (rows.empty()) co_return std::nullopt;
    const auto root = to_array<tlog::Hash>(rows[0].bytes(1));
    if (!root) throw std::runtime_error("the witness's database is damaged: restore it");
    co_return tlog::Checkpoint{.origin = origin, .size = static_cast<std::uint64_t>(rows[0].integer(0)), .root = *root};
}

awaitable<bool> WitnessRepository::advance(std::int64_t old_size, tlog::Checkpoint next, std::string note,
                                           TimePoint now) {
    const auto rows = co_await database_.execute(
        "INSERT INTO cosigned_logs (origin, size, root, checkpoint, cosigned_at) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (origin) DO UPDATE SET size = excluded.size, root = excluded.root, "
        "checkpoint = excluded.checkpoint, cosigned_at = excluded.cosigned_at "
        "WHERE cosigned_logs.size = $6 AND (excluded.size > $6 OR cosigned_logs.root = excluded.root)",
        next.origin, static_cast<std::int64_t>(next.size), BytesView(next.root), note, now, old_size);
    co_return rows.affected() == 1;
}

awaitable<void> WitnessRepository::add_key(std::string verifier_key) {
    co_await database_.execute("INSERT INTO witness_keys (verifier_key) VALUES ($1) ON CONFLICT DO NOTHING",
                               verifier_key);
}

awaitable<bool> WitnessRepository::belongs_to(std::string verifier_key) {
    co_await database_.execute(
        "INSERT INTO witness_keys (verifier_key) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM witness_keys)",
        verifier_key);
    const auto rows = co_await database_.query("SELECT 1 FROM witness_keys WHERE verifier_key = $1", verifier_key);
    co_return !rows.empty();
}

}  // namespace consentry
