// The SQL of documents. Statements that change a document join the transaction of the whole change, the document's own
// row first, so that concurrent changes of one document are serialized.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "features/term_policies/policy.hpp"
#include "features/users/actor.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;

// The SHA-256 of each language's text, as acceptances store it: {"de":"…","en":"…"}.
std::string content_hashes_of(const TermPolicy& policy);

// A document, and the end of the claim of a publication in progress.
struct StoredTermPolicy : TermPolicy {
    std::optional<TimePoint> publishing_until;
};

struct PolicyImpact {
    std::int64_t affected_users = 0;
    std::int64_t active_users = 0;
};

// Of which versions of a type acceptances let users pass.
struct PassingVersions {
    std::int64_t required = 0;
    std::int64_t from = 0;  // lower than `required` during the grace period of that version
};

class TermPolicyRepository {
public:
    explicit TermPolicyRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<StoredTermPolicy>> find(TermPolicyId id);
    awaitable<std::optional<StoredTermPolicy>> find_version(PolicyType type, std::int64_t version);
    // The newest published version whose change was material.
    awaitable<std::optional<PassingVersions>> find_required(PolicyType type, TimePoint now);
    // Whether a lower version of the type is published.
    awaitable<bool> is_successor(PolicyType type, std::int64_t version);
    awaitable<ListSlice<TermPolicy>> list(ListQuery query);
    // Ordered by type and version.
    awaitable<std::vector<TermPolicy>> list_all();

    // Expect::one. A unique violation means that this version exists.
    static void add_insert(PrivilegedTransaction& transaction, const TermPolicy& policy);
    // Counts the change in the draft's revision. Expect::one: the draft exists and is not being published.
    static void add_change(PrivilegedTransaction& transaction, TermPolicyId id, std::optional<UserId> by,
                           TimePoint now);
    // Expect::one.
    static void add_processing(PrivilegedTransaction& transaction, TermPolicyId id,
                               const std::optional<std::string>& processing);
    // Both: Expect::one. A unique violation in add_content() means that the language exists.
    static void add_content(PrivilegedTransaction& transaction, TermPolicyId id, const PolicyContent& content);
    static void add_content_update(PrivilegedTransaction& transaction, TermPolicyId id, const PolicyContent& content);
    static void add_content_erase(PrivilegedTransaction& transaction, TermPolicyId id, Language language);
    // Expect::one: unchanged since `seen`, except that an earlier statement of this transaction changed the document's
    // row.
    static void add_erase(PrivilegedTransaction& transaction, const TermPolicy& seen);

    // Claims a draft for publication; no other transaction may change it until `until`. Expect::one: unchanged since
    // `seen`.
    static void add_claim(PrivilegedTransaction& transaction, const TermPolicy& seen, TimePoint until);
    // Returns false if the claim has expired or another publication finished first.
    awaitable<bool> renew_claim(TermPolicy seen, TimePoint until, TimePoint now);
    // Makes the publications of a type wait for one another, so that each sees what the one before left. A statement of
    // its own before those that look at other versions, because PostgreSQL takes their snapshots when they begin.
    static void add_publication_lock(PrivilegedTransaction& transaction, PolicyType type);
    // `published` is what the draft becomes. Expect::one: as in add_claim(), the claim has not expired, and no higher
    // version has a later time: the times tell afterward what passed before a publication.
    static void add_publish(PrivilegedTransaction& transaction, const TermPolicy& published);

    // The pages that compare two published versions. Each is kept as it was first made.
    awaitable<std::optional<std::string>> find_diff(PolicyType type, std::int64_t from, std::int64_t to,
                                                    Language language);
    awaitable<void> insert_diff(PolicyType type, std::int64_t from, std::int64_t to, Language language,
                                std::string page);

    // Counts, over at most `accounts_max` accounts after `after`, the active ones and those among them whose latest
    // acceptance of the type is of version `from` or a later one, but lower than the policy's.
    struct CountedImpact {
        PolicyImpact impact;
        std::optional<UserId> last;  // the last account counted; nullopt: no more accounts
    };
    awaitable<CountedImpact> count_some(StoredTermPolicy policy, std::int64_t from, std::optional<UserId> after,
                                        std::int64_t accounts_max);

private:
    awaitable<std::optional<StoredTermPolicy>> with_contents(storage::Rows rows);
    awaitable<void> fill_contents(std::vector<TermPolicy*> policies);

    storage::Database& database_;
};

}  // namespace consentry
