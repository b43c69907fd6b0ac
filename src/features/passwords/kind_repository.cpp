#include "features/passwords/kind_repository.hpp"

namespace consentry {

storage::awaitable<std::set<std::string>> PasswordKindRepository::list_others(std::string own, std::int64_t limit) {
    const auto rows =
        co_await database_.query("SELECT kind FROM password_kinds WHERE kind <> $1 ORDER BY kind LIMIT $2", own, limit);
    std::set<std::string> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.insert(rows[i].text(0));
    co_return out;
}

storage::awaitable<std::vector<std::string>> PasswordKindRepository::list_seen_before(TimePoint before) {
    const auto rows = co_await database_.query("SELECT kind FROM password_kinds WHERE seen_at < $1", before);
    std::vector<std::string> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows[i].text(0));
    co_return out;
}

storage::awaitable<bool> PasswordKindRepository::is_used(std::string beginning) {
    const auto rows = co_await database_.search_with(
        "SELECT 1 FROM users WHERE substr(password_hash, 1, length(CAST($1 AS TEXT))) = $1 LIMIT 1",
        storage::bind_all(beginning));
    co_return !rows.empty();
}

storage::awaitable<void> PasswordKindRepository::erase(std::string kind, TimePoint seen_before) {
    co_await database_.execute("DELETE FROM password_kinds WHERE kind = $1 AND seen_at < $2", kind, seen_before);
}

void PasswordKindRepository::add_seen(storage::Transaction& transaction, const std::string& kind, TimePoint now) {
    transaction.add(storage::Expect::any,
                    "INSERT INTO password_kinds (kind, seen_at) VALUES ($1, $2) "
                    "ON CONFLICT (kind) DO UPDATE SET seen_at = $2",
                    kind, now);
}

}  // namespace consentry
