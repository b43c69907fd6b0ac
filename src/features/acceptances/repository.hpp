// The SQL of acceptances. Rows are added and nothing else: there is no UPDATE and no DELETE here.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "features/term_policies/policy.hpp"
#include "features/users/consent.hpp"
#include "storage/database.hpp"
#include "storage/list_sql.hpp"

namespace consentry {

using storage::awaitable;
using AcceptanceId = Id<struct AcceptanceTag>;

enum class ConsentAction { accepted, withdrawn };

// What an account has to do with a type: the latest version there is, and the one whose acceptance holds.
struct Standing {
    PolicyType type = PolicyType::terms_of_service;
    std::optional<std::int64_t> latest;    // nullopt: nothing is published
    std::optional<std::int64_t> accepted;  // nullopt: never, or taken back

    bool holds() const { return latest && accepted == latest; }
    bool is_missing() const { return latest && accepted != latest; }
};

struct UserStandings {
    UserId user;
    std::vector<Standing> standings;  // of all types
};

// By type, in the order of the enum; nullopt: none.
using PolicyVersions = std::array<std::optional<std::int64_t>, all_policy_types.size()>;

// SHA-256 by language, in the order of the languages.
using ContentHashes = std::vector<std::pair<Language, std::string>>;

struct LatestPolicy {
    TermPolicyId id;
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    ContentHashes hashes;
};

// Who says yes or no, and from where.
struct Evidence {
    UserId user;
    std::optional<SessionId> session = {};
    std::optional<std::string> ip_address = {};
    std::optional<std::string> user_agent = {};
};

struct Acceptance {
    AcceptanceId id;
    UserId user;
    ConsentAction action = ConsentAction::accepted;
    TermPolicyId policy;
    Language language = Language::en;  // of the text that was shown
    ContentHashes hashes;
    TimePoint at;
};

class AcceptanceRepository {
public:
    explicit AcceptanceRepository(storage::Database& database) : database_(database) {}

    // Of all types, in the order of the enum: one text for whoever asks, so that the engines answer the guard and the
    // handler behind it, or many callers, with one statement.
    awaitable<std::vector<Standing>> standings(UserId user);
    // The same of many accounts, in any order; none of one that does not exist.
    awaitable<std::vector<UserStandings>> standings_of(std::vector<UserId> users);
    awaitable<PolicyVersions> latest_versions();
    awaitable<bool> is_published(PolicyType type, std::int64_t version);
    // Of each type that has a published version.
    awaitable<std::vector<LatestPolicy>> list_latest();
    // Newest first.
    awaitable<ListSlice<Acceptance>> list(UserId user, ListQuery query);
    // Published ones, with their contents.
    awaitable<std::map<TermPolicyId, TermPolicy>> find_published(std::vector<TermPolicyId> ids);

    // Changes one row where the version is still the latest, and not accepted yet; otherwise none. Where somebody was
    // faster, the transaction fails here.
    static void add_acceptance(storage::Transaction& transaction, storage::Expect expect, const Evidence& evidence,
                               TermPolicyId policy, Language language, TimePoint now);
    // Changes one row where the newest acceptance of the type was not taken back yet; otherwise none.
    static void add_withdrawal(storage::Transaction& transaction, storage::Expect expect, const Evidence& evidence,
                               PolicyType type, TimePoint now);

private:
    storage::Database& database_;
};

// As stored in content_hashes.
ContentHashes read_hashes(const std::string& text);

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::ConsentAction> {
    static constexpr std::array names{std::pair{consentry::ConsentAction::accepted, std::string_view{"accepted"}},
                                      std::pair{consentry::ConsentAction::withdrawn, std::string_view{"withdrawn"}}};
};
