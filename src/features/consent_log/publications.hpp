// Publications of term policies in the consent log: anyone who trusts the log knows which texts were in force, since
// when, and whether earlier acceptances remained valid.
#pragma once

#include "features/consent_log/repository.hpp"
#include "features/term_policies/publication_record.hpp"
#include "features/term_policies/repository.hpp"

namespace consentry {

// What the log says about a published version.
PublicationEntry publication_entry(const TermPolicy& published, bool is_late);

class LoggedPublications final : public PublicationLog {
public:
    // The database must outlive this object.
    explicit LoggedPublications(storage::Database& database) : repository_(database), policies_(database) {}

    void add(storage::Transaction& transaction, const TermPolicy& published) const override;
    // Adds the publications that the log lacks, because they happened before it existed or while it was off.
    awaitable<void> complete();

private:
    ConsentLogRepository repository_;
    TermPolicyRepository policies_;
};

}  // namespace consentry
