// The SQL of acceptances. The table is append-only: there is no UPDATE and no DELETE here.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "features/consent_log/entry.hpp"
#include "features/term_policies/policy.hpp"
#include "features/users/consent.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;

// An account's state for one policy type: the published versions that matter, and the accepted version.
struct Standing {
    PolicyType type = PolicyType::terms_of_service;
    std::optional<std::int64_t> latest;    // nullopt: nothing is published
    std::optional<std::int64_t> required;  // the newest whose change was material: acceptances of older ones lapse
    std::optional<std::int64_t> accepted;  // nullopt: never accepted, or withdrawn, or of a version that does not exist

    bool holds() const { return required && accepted >= required; }
};

// What the guard demands for a type.
struct RequiredVersion {
    std::int64_t version = 0;
    std::optional<TimePoint> grace_until;       // until then acceptances from `grace_version` on pass as well
    std::optional<std::int64_t> grace_version;  // nullopt: nothing was published before
    std::int64_t latest = 0;                    // the newest published version, whether its change was material or not
};
// Indexed by type, in the order of the enum; nullopt: none published.
using RequiredVersions = std::array<std::optional<RequiredVersion>, all_policy_types.size()>;

// Indexed by type, in the order of the enum; nullopt: none accepted.
using PolicyVersions = std::array<std::optional<std::int64_t>, all_policy_types.size()>;

// The types of which the required version or a later one is accepted. A version that does not exist counts as none.
std::vector<PolicyType> held_of(const std::vector<Standing>& standings);
std::vector<PolicyType> held_of(const RequiredVersions& required, const PolicyVersions& accepted);

struct UserStandings {
    UserId user;
    std::vector<Standing> standings;  // one for each type
};

struct AccountStandings {
    Profile profile;
    std::vector<Standing> standings;  // one for each type
};

// SHA-256 of each language's text, in the order of the languages.
using ContentHashes = std::vector<std::pair<Language, std::string>>;

struct LatestPolicy {
    TermPolicyId id;
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    ContentHashes hashes;
};

struct Acceptance {
    AcceptanceId id;
    UserId user;
    ConsentAction action = ConsentAction::accepted;
    TermPolicyId policy;
    Language language = Language::en;  // of the text that was shown
    ContentHashes hashes;
    TimePoint at;
    std::optional<std::string> log_state = {};  // of its entry: "pending" or "published"; nullopt: the log lacks it
};

// What the record of an acceptance or withdrawal states.
struct RecordFacts {
    Acceptance acceptance;
    PolicyType type = PolicyType::terms_of_service;
    bool is_renewed = false;  // the type had been accepted before
    bool is_newest = false;   // nothing of this type came later
    std::optional<std::string> shown_diff_hash;
};

// An acceptance that can be withdrawn, or one that the log lacks.
struct StoredConsent {
    Addendum addendum;
    ConsentAction action = ConsentAction::accepted;
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    Language language = Language::en;
    ContentHashes hashes;
    TimePoint at;
};

class AcceptanceRepository {
public:
    explicit AcceptanceRepository(storage::Database& database) : database_(database) {}

    // Returns the standings for all types, in the order of the enum.
    awaitable<std::vector<Standing>> standings(UserId user);
    // The same for statements that read them along with an account, whose table they call `u`: the columns, separated
    // by commas, and the reader of a row in which they begin at `first`.
    static std::string standing_columns();
    static std::vector<Standing> read_standings(const storage::Row& row, std::size_t first);
    // The same for the accepted versions alone.
    static std::string accepted_columns();
    static PolicyVersions read_accepted(const storage::Row& row, std::size_t first);
    // Along with an account; nullopt if it is deleted.
    awaitable<std::optional<AccountStandings>> find_account(UserId user);
    // The same for many accounts, in any order. Accounts that do not exist are omitted.
    awaitable<std::vector<UserStandings>> standings_of(std::vector<UserId> users);
    awaitable<RequiredVersions> required_versions();
    // When the account accepted or withdrew this type last.
    awaitable<std::optional<TimePoint>> last_at(UserId user, PolicyType type);
    awaitable<bool> is_published(PolicyType type, std::int64_t version);
    // Returns the latest version of each type that has a published one.
    awaitable<std::vector<LatestPolicy>> list_latest();
    // Newest first.
    awaitable<ListSlice<Acceptance>> list(UserId user, ListQuery query);
    // Of an acceptance of this account.
    awaitable<std::optional<RecordFacts>> find_record(UserId user, AcceptanceId id);
    // The published versions above this one, in order, without their contents.
    awaitable<std::vector<TermPolicy>> list_successors(PolicyType type, std::int64_t version);
    // Whether the hash is that of a comparison of an earlier version with this one.
    awaitable<bool> is_shown_diff(PolicyType type, std::int64_t to, std::string hash);
    // Returns published policies with their contents.
    awaitable<std::map<TermPolicyId, TermPolicy>> find_published(std::vector<TermPolicyId> ids);

    // Adds one row if the version is still the latest and not yet accepted, otherwise none. If a concurrent request has
    // added the row first, the transaction fails here.
    static void add_acceptance(storage::Transaction& transaction, storage::Expect expect, const Addendum& addendum,
                               TermPolicyId policy, Language language, TimePoint now);
    // Adds one row if the newest acceptance of the type has not been withdrawn yet, otherwise none. If `former` is
    // given, adds one only if this is the newest acceptance.
    static void add_withdrawal(storage::Transaction& transaction, storage::Expect expect, const Addendum& addendum,
                               PolicyType type, TimePoint now, std::optional<AcceptanceId> former = {});
    // The newest row of each type, unless it is a withdrawal.
    awaitable<std::vector<StoredConsent>> list_standing(UserId user);
    // The transaction fails here if the account is erased; otherwise its erasure waits for the commit.
    static void add_not_erased(storage::Transaction& transaction, UserId user);
    // Where a portion of the rows above `after` ends, logged or not; the greatest id if it is the last portion.
    awaitable<AcceptanceId> end_of_portion(AcceptanceId after);
    // Rows above `after` and up to `last` that the log lacks, in the order of their ids.
    awaitable<std::vector<StoredConsent>> list_unlogged(AcceptanceId after, AcceptanceId last);

private:
    storage::Database& database_;
};

// Parses the stored form of content_hashes.
ContentHashes read_hashes(const std::string& text);

}  // namespace consentry
