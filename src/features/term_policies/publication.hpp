// Publishes a document: all of its languages become public together with its new status, or none does.
//
// Two stores cannot commit atomically, so the files are written first and the database decides. An object in the public
// area without a published document has no owner; it is recorded as a loose object before it is written. A claim keeps
// editors away until no write of a publisher can take effect any more. A publisher that fails midway therefore leaves a
// draft that can be published again at once, and a published document never changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/activity/audit.hpp"
#include "features/mail/mails.hpp"
#include "features/term_policies/loose_objects.hpp"
#include "features/term_policies/publication_record.hpp"
#include "features/term_policies/repository.hpp"

namespace consentry {

class Publication {
public:
    // All arguments must outlive this. `log` is null if publications are not recorded in one.
    Publication(storage::Database& database, storage::ObjectStore& store, const Clock& clock, const Mails& mails,
                Audit audit, const PublicationLog* log, PolicyPaths paths);

    // Errors: notFound, statusInvalid (already published), contentEmpty, contentInvalid (a file is not the one that was
    // checked), placeholdersUnfilled (DOC-10), busy (a file is being erased), materialRequired and graceNotAllowed (no
    // lower version is published). The cost does not depend on the number of users.
    awaitable<Result<TermPolicy>> publish(Actor by, TermPolicyId id, PublicationTerms terms, Cause cause);

private:
    using Files = std::vector<std::string>;  // in the order of the policy's contents

    // Returns nullopt if the document was changed concurrently.
    awaitable<Result<std::optional<TermPolicy>>> try_once(Actor by, TermPolicy seen, PublicationTerms terms,
                                                          Cause cause);
    awaitable<Result<Files>> read(TermPolicy policy);
    // Returns false if the document was changed concurrently.
    awaitable<Result<bool>> claim(Actor by, TermPolicy policy);
    awaitable<bool> put_all(TermPolicy policy, Files files);
    awaitable<Result<bool>> decide(Actor by, TermPolicy published, Cause cause);
    milliseconds claimed_for() const;

    storage::Database& database_;
    storage::ObjectStore& store_;
    TermPolicyRepository repository_;
    const Clock& clock_;
    const Mails& mails_;
    Audit audit_;
    const PublicationLog* const log_;
    const PolicyPaths paths_;
};

// See Audit::add_by(). `language`: of the content concerned.
void add_policy_activity(storage::Transaction& transaction, const Actor& by, ActivityAction action,
                         const TermPolicy& policy, const Cause& cause, TimePoint now,
                         std::optional<Language> language = {});

}  // namespace consentry
