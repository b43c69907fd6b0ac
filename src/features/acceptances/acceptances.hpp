// What users agreed to: accepted, taken back, and asked for by the guard.
//
// Nothing is stored per user but the history itself. Whether a type is accepted follows from its newest row and the
// latest published version, so a publication asks everybody again without touching anybody's row. The guard remembers
// by session and security version what was accepted and cannot be taken back (docs/decisions/0018): then it asks for
// the latest versions alone, which are the same for everybody.
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
#include "features/activity/audit.hpp"
#include "features/users/consent.hpp"
#include "storage/database.hpp"
#include "storage/object_store.hpp"

namespace consentry {

struct AcceptanceSettings {
    PolicyPaths paths;
    std::vector<PolicyType> withdrawable;
};

// Who asks, by which session, in which language.
struct ConsentCaller {
    UserId user;
    SessionId session;
    Language language = Language::en;
};

class Acceptances final : public Consents {
public:
    // All outlive this.
    Acceptances(storage::Database& database, const Clock& clock, const storage::ObjectStore& store, Audit audit,
                AcceptanceSettings settings)
        : database_(database),
          repository_(database),
          clock_(clock),
          store_(store),
          audit_(audit),
          settings_(std::move(settings)),
          accepted_(remembered_sessions_max) {}

    storage::awaitable<Result<void>> admit(ConsentGrounds grounds, std::span<const PolicyType> wanted) override;
    storage::awaitable<void> add_acceptances(storage::Transaction& transaction, GivenConsent consent,
                                             TimePoint now) override;
    void add_withdrawals(storage::Transaction& transaction, GivenConsent consent, TimePoint now) override;
    storage::awaitable<std::vector<PolicyType>> accepted(UserId user) override;
    storage::awaitable<std::map<UserId, std::vector<PolicyType>>> accepted_by(std::vector<UserId> users) override;

    // Errors: notFound 6100 (of a version that was named, too), termPolicyOutdated 6109 (a version or text that was
    // named is not the latest's, or another one was published meanwhile), contentNotFound 6106, alreadyAccepted 6103.
    storage::awaitable<Result<void>> accept(ConsentCaller caller, AcceptRequest wanted, Cause cause);
    // Whatever version it was that was accepted. Errors: withdrawNotAllowed 6111, notAccepted 6113.
    storage::awaitable<Result<void>> withdraw(ConsentCaller caller, PolicyType type, Cause cause);
    // The history, newest first.
    storage::awaitable<ListSlice<AcceptanceResponse>> list(UserId user, ListQuery query);

private:
    static constexpr std::size_t remembered_sessions_max = 50'000;  // about 10 MB when full

    bool is_withdrawable(PolicyType type) const;
    storage::awaitable<std::optional<LatestPolicy>> find_latest(PolicyType type);
    // Names what is to be read and accepted: for 6104 and 6109.
    boost::json::object describe(std::span<const LatestPolicy> policies) const;

    storage::Database& database_;
    AcceptanceRepository repository_;
    const Clock& clock_;
    const storage::ObjectStore& store_;
    Audit audit_;
    const AcceptanceSettings settings_;
    // Without types that can be withdrawn. What else ends an acceptance raises the account's security version with it
    // (add_withdrawals).
    struct Remembered {
        std::int64_t security_version = 0;
        PolicyVersions accepted;
    };
    RecentMap<SessionId, Remembered> accepted_;
};

}  // namespace consentry
