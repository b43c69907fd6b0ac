// The users' consents: accepting policies, withdrawing acceptance, and the guard that requires it.
//
// Only the history is stored per user. Whether a type is accepted follows from its newest row and the required version,
// so publishing a version asks all users again without updating any of their rows. The required version is the newest
// published one whose change was material: acceptances from it on hold. For each session and security version the guard
// remembers the accepted policies that cannot be withdrawn. It remembers the required versions, too, together with the
// state of the published policies, which the statement that finds the session reads as well (docs/decisions/0018).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/recent_map.hpp"
#include "features/acceptances/dto.hpp"
#include "features/acceptances/repository.hpp"
#include "features/acceptances/required_memory.hpp"
#include "features/activity/audit.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/term_policies/processing_dto.hpp"
#include "features/users/consent.hpp"
#include "storage/database.hpp"
#include "storage/object_store.hpp"

namespace consentry {

struct AcceptanceSettings {
    PolicyPaths paths;
    std::vector<PolicyType> withdrawable;
    std::optional<Controller> controller = {};  // nullopt: the settings name none
};

// The caller: user, session and language of the request.
struct ConsentCaller {
    Actor actor;
    UserId user;
    SessionId session;
    Language language = Language::en;
};

class Acceptances final : public Consents {
public:
    // The references must outlive this object.
    // `log` is null if the settings turn the consent log off.
    Acceptances(storage::Database& database, const Clock& clock, const storage::ObjectStore& store, Audit audit,
                ConsentLog* log, AcceptanceSettings settings)
        : database_(database),
          repository_(database),
          clock_(clock),
          store_(store),
          audit_(audit),
          log_(log),
          settings_(std::move(settings)),
          accepted_(remembered_sessions_max) {}

    storage::awaitable<Result<std::vector<ConsentGrace>>> admit(ConsentGrounds grounds,
                                                                std::span<const PolicyType> wanted) override;
    storage::awaitable<void> add_acceptances(storage::Transaction& transaction, GivenConsent consent,
                                             TimePoint now) override;
    storage::awaitable<TimePoint> add_withdrawals(storage::Transaction& transaction, GivenConsent consent,
                                                  TimePoint now) override;
    storage::awaitable<std::map<UserId, std::vector<PolicyType>>> accepted_by(std::vector<UserId> users) override;

    // Returns the types of which the required version or a later one is among those `accepted`. `state`:
    // policy_state_sql, read before them; nullopt: not known.
    storage::awaitable<std::vector<PolicyType>> held(PolicyVersions accepted, std::optional<std::string> state);

    // Returns what is published, required and accepted of each type, in the order of the enum.
    storage::awaitable<std::vector<Standing>> standings(UserId user) { return repository_.standings(user); }

    // Whether accept() and withdraw() return receipts: the log is on.
    bool gives_receipts() const { return log_ != nullptr; }
    // Returns the receipt, or nothing while the log is off.
    // Errors: notFound 6100 (nothing is published, or not the requested version), termPolicyOutdated 6109 (the
    // requested version or text is not that of the latest version, or a new version was published meanwhile),
    // contentNotFound 6106, diffOutdated 6118, alreadyAccepted 6103.
    storage::awaitable<Result<std::optional<std::string>>> accept(ConsentCaller caller, AcceptRequest wanted,
                                                                  Cause cause);
    // Withdraws the acceptance, whichever version it was of. Errors: withdrawNotAllowed 6111, notAccepted 6113.
    storage::awaitable<Result<std::optional<std::string>>> withdraw(ConsentCaller caller, PolicyType type, Cause cause);
    bool is_withdrawable(PolicyType type) const;
    // The types whose acceptance the user can withdraw now.
    storage::awaitable<std::vector<PolicyType>> list_withdrawable(UserId user);
    // Returns the record of an acceptance or withdrawal as JSON-LD. Error: acceptanceNotFound 6119.
    storage::awaitable<Result<std::string>> record(UserId user, AcceptanceId id);
    // Returns the history, newest first.
    storage::awaitable<ListSlice<AcceptanceResponse>> list(UserId user, ListQuery query);
    // Adds the acceptances that the log lacks, because they were recorded before it existed or while it was off. Looks
    // in portions through those that were recorded after `since`, or through all. Returns whether the log lacks none of
    // them now. Only for a service whose log is on.
    storage::awaitable<bool> complete_log(std::optional<TimePoint> since);

private:
    static constexpr std::size_t remembered_sessions_max = 50'000;  // about 10 MB when full

    storage::awaitable<RequiredVersions> required_versions(std::optional<std::string> state);
    storage::awaitable<std::optional<std::string>> sign_receipt(storage::Transaction& transaction, AcceptanceId id,
                                                                std::optional<Bytes> entry);
    storage::awaitable<bool> log_all(std::vector<StoredConsent> consents);
    storage::awaitable<std::optional<LatestPolicy>> find_latest(PolicyType type);
    // Names the policies to read and accept, in the answers 6104 and 6109.
    boost::json::object describe(std::span<const LatestPolicy> policies) const;

    storage::Database& database_;
    AcceptanceRepository repository_;
    const Clock& clock_;
    const storage::ObjectStore& store_;
    Audit audit_;
    ConsentLog* const log_;
    const AcceptanceSettings settings_;
    // Excludes types that can be withdrawn. Everything else that ends an acceptance (add_withdrawals) also raises the
    // account's security version, which invalidates the entry.
    struct Remembered {
        std::int64_t security_version = 0;
        PolicyVersions accepted;
    };
    RecentMap<SessionId, Remembered> accepted_;
    RequiredMemory required_;
};

}  // namespace consentry
