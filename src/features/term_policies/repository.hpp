// The SQL of documents. What changes them is added to the transaction of the whole change, the document's own row
// first, so that several changes of one document come one after the other.
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

// SHA-256 of each language's text, as acceptances keep it: {"de":"…","en":"…"}.
std::string content_hashes_of(const TermPolicy& policy);

// A document and how far its publication is.
struct StoredTermPolicy : TermPolicy {
    std::optional<TimePoint> publishing_until;
};

struct PolicyImpact {
    std::int64_t affected_users = 0;
    std::int64_t active_users = 0;
};

class TermPolicyRepository {
public:
    explicit TermPolicyRepository(storage::Database& database) : database_(database) {}

    awaitable<std::optional<StoredTermPolicy>> find(TermPolicyId id);
    awaitable<std::optional<StoredTermPolicy>> find_version(PolicyType type, std::int64_t version);
    // The latest published version of a type; its contents are left out.
    awaitable<std::optional<TermPolicy>> find_latest(PolicyType type);
    awaitable<ListSlice<TermPolicy>> list(ListQuery query);
    // By type and version.
    awaitable<std::vector<TermPolicy>> list_all();

    // Expect::one; a unique violation: this version exists.
    static void add_insert(PrivilegedTransaction& transaction, const TermPolicy& policy);
    // Expect::one: there is such a draft, and it is not being published. Counts the change.
    static void add_change(PrivilegedTransaction& transaction, TermPolicyId id, std::optional<UserId> by,
                           TimePoint now);
    // Expect::one of both; a unique violation of the first: the language is there.
    static void add_content(PrivilegedTransaction& transaction, TermPolicyId id, const PolicyContent& content);
    static void add_content_update(PrivilegedTransaction& transaction, TermPolicyId id, const PolicyContent& content);
    static void add_content_erase(PrivilegedTransaction& transaction, TermPolicyId id, Language language);
    // Expect::one: it is as it was seen. The document's row was changed by an earlier statement.
    static void add_erase(PrivilegedTransaction& transaction, const TermPolicy& seen);

    // Expect::one: it is a draft as it was seen. Nobody changes it until then.
    static void add_claim(PrivilegedTransaction& transaction, const TermPolicy& seen, TimePoint until);
    // False: the claim is over, or somebody else's publication was faster.
    awaitable<bool> renew_claim(TermPolicy seen, TimePoint until, TimePoint now);
    // Expect::one: as add_claim(), and the claim is alive.
    static void add_publish(PrivilegedTransaction& transaction, const TermPolicy& seen, std::optional<UserId> by,
                            TimePoint now);

    // Of the accounts behind `after`, how many are active, and how many of those hold an acceptance of this version
    // which is the newest of its type; counted over so many accounts at most.
    struct CountedImpact {
        PolicyImpact impact;
        std::optional<UserId> last;  // of the accounts; nullopt: there are no more
    };
    awaitable<CountedImpact> count_some(TermPolicy policy, std::optional<UserId> after, std::int64_t accounts_max);

private:
    awaitable<std::optional<StoredTermPolicy>> with_contents(storage::Rows rows);
    awaitable<void> fill_contents(std::vector<TermPolicy*> policies);

    storage::Database& database_;
};

}  // namespace consentry
