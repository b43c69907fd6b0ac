// Publishing a document: all of its languages become public together with its new status, or nothing of it does.
//
// Two stores cannot commit at once, so the files come first and the database decides. What lies in the public area
// without a published document is nobody's: it is in the table of loose objects before it is put there. A claim keeps
// editors away until no put of a publisher can take effect any more, so that whoever ends in the middle leaves a draft
// which may be published again at once, and nobody ever changes what was published.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/activity/audit.hpp"
#include "features/mail/mails.hpp"
#include "features/term_policies/loose_objects.hpp"
#include "features/term_policies/repository.hpp"

namespace consentry {

class Publication {
public:
    // All outlive this.
    Publication(storage::Database& database, storage::ObjectStore& store, const Clock& clock, const Mails& mails,
                Audit audit, PolicyPaths paths);

    // Errors: notFound, statusInvalid (it is published), contentEmpty, contentInvalid (a file is not what was checked),
    // placeholdersUnfilled (DOC-10), busy (a file is being erased). Costs the same however many users there are.
    awaitable<Result<TermPolicy>> publish(Actor by, TermPolicyId id, Cause cause);

private:
    using Files = std::vector<std::string>;  // in the order of the policy's contents

    // nullopt: somebody changed the document meanwhile.
    awaitable<Result<std::optional<TermPolicy>>> try_once(Actor by, StoredTermPolicy seen, Cause cause);
    awaitable<Result<Files>> read(TermPolicy policy);
    // False: the same.
    awaitable<Result<bool>> claim(Actor by, TermPolicy policy);
    awaitable<bool> put_all(TermPolicy policy, Files files);
    awaitable<Result<bool>> decide(Actor by, TermPolicy policy, Cause cause, TimePoint now);
    milliseconds claimed_for() const;

    storage::Database& database_;
    storage::ObjectStore& store_;
    TermPolicyRepository repository_;
    const Clock& clock_;
    const Mails& mails_;
    Audit audit_;
    const PolicyPaths paths_;
};

// Into the activity log of the administrator, if it was one.
void add_policy_activity(storage::Transaction& transaction, ActivityAction action, const TermPolicy& policy,
                         const Cause& cause, TimePoint now, std::optional<Language> language = {});

}  // namespace consentry
