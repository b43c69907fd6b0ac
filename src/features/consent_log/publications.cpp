#include "features/consent_log/publications.hpp"

#include <chrono>

#include "crypto/digest.hpp"

namespace consentry {
namespace {

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
    ConsentLogRepository::add_publication(transaction, published.id, entry_of(published, false));
}

awaitable<void> LoggedPublications::complete() {
    const auto all = co_await policies_.list_all();
    for (const TermPolicy& policy : all) {
        if (policy.status != PolicyStatus::published) continue;
        const bool is_logged = co_await repository_.has_publication(policy.id);
        if (!is_logged) co_await repository_.insert_publication(policy.id, entry_of(policy, true));
    }
}

}  // namespace consentry
