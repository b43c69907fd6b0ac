#include "features/consent_log/publications.hpp"

#include <chrono>

#include "crypto/digest.hpp"

namespace consentry {
namespace {

using storage::Expect;

Bytes entry_of(const TermPolicy& published, bool is_late) {
    return format_entry(publication_entry(published, is_late));
}

}  // namespace

PublicationEntry publication_entry(const TermPolicy& published, bool is_late) {
    PublicationEntry out{.type = published.type, .is_material = published.is_material, .is_late = is_late};
    out.version = static_cast<std::uint32_t>(published.version);
    out.time = std::chrono::floor<std::chrono::seconds>(published.published_at.value());
    out.record = crypto::sha256(publication_text(published));
    return out;
}

void LoggedPublications::add(storage::Transaction& transaction, const TermPolicy& published) const {
    transaction.add(Expect::one, "INSERT INTO log_entries (id, log, entry) VALUES ($1, 'consent', $2)", published.id,
                    entry_of(published, false));
}

awaitable<bool> LoggedPublications::is_logged(TermPolicyId policy) {
    const auto rows = co_await database_.query("SELECT 1 FROM log_entries WHERE id = $1", policy);
    co_return !rows.empty();
}

// Several processes may do this at once: the first one's entry stays.
awaitable<void> LoggedPublications::complete() {
    const auto all = co_await policies_.list_all();
    for (const TermPolicy& policy : all) {
        if (policy.status != PolicyStatus::published) continue;
        const bool logged = co_await is_logged(policy.id);
        if (logged) continue;
        co_await database_.execute(
            "INSERT INTO log_entries (id, log, entry) VALUES ($1, 'consent', $2) ON CONFLICT (id) DO NOTHING",
            policy.id, entry_of(policy, true));
    }
}

}  // namespace consentry
