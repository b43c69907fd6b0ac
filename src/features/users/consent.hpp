// Acceptance of policies, as other features need it: the guard checks it, and features that create accounts record it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

enum class PolicyType { terms_of_service, privacy, marketing, cookies };
inline constexpr std::array all_policy_types{PolicyType::terms_of_service, PolicyType::privacy, PolicyType::marketing,
                                             PolicyType::cookies};

// Which policies a user accepted or withdrew, and the evidence for it.
struct GivenConsent {
    UserId user;
    std::vector<PolicyType> types;
    std::optional<SessionId> session = {};
    std::string ip_address = {};
    std::string user_agent = {};
    Language language = Language::en;
};

// What a guard reads with the session, in the same statement. The state of the published policies is that of
// policy_state.hpp.
enum class AlongWithSession { nothing, policy_state };

// A live session, and what the statement that found it says about acceptances.
struct ConsentGrounds {
    UserId user;
    SessionId session;
    std::int64_t security_version = 0;             // of the account
    std::optional<std::string> policy_state = {};  // nullopt: not read along with the session
};

// A policy whose required version the user has not accepted, but whose grace period lets an earlier one pass.
struct ConsentGrace {
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;  // the required one
    TimePoint until;
};
// A line of headers that names them; empty if there are none.
std::string grace_line(std::span<const ConsentGrace> graces);
inline constexpr std::string_view grace_header = "Consent-Grace";
inline constexpr std::string_view grace_header_description =
    "Policies whose accepted version is sufficient only until the end of a grace period, as a list (RFC 9651): each "
    "item is a policy type with the parameters `version`, the version to accept, and `until`, the end of the period";

class Consents {
public:
    virtual ~Consents() = default;
    // Checks that the user accepted the required version of each wanted type, or a later one; skips types without a
    // published version. The required version is the newest one whose change was material. Returns the types that only
    // a grace period lets pass. Error: requiredInvalid. Throws Unavailable when the answer cannot be determined.
    virtual storage::awaitable<Result<std::vector<ConsentGrace>>> admit(ConsentGrounds grounds,
                                                                        std::span<const PolicyType> wanted) = 0;
    // Records acceptance of the versions that are the latest now. Skips types without a published version, since a
    // version which does not exist cannot be accepted. `now`: what add_withdrawals() returned if the same transaction
    // withdraws.
    virtual storage::awaitable<void> add_acceptances(storage::Transaction& transaction, GivenConsent consent,
                                                     TimePoint now) = 0;
    // Withdraws every acceptance of these types, whatever the version, because the account has a new owner. The same
    // transaction must raise the account's security version. It fails if the account accepts one of them meanwhile.
    // Returns the time for what the transaction accepts afterwards: the log takes in entries in the order of their
    // times, and within a millisecond in random order.
    virtual storage::awaitable<TimePoint> add_withdrawals(storage::Transaction& transaction, GivenConsent consent,
                                                          TimePoint now) = 0;
    // Returns for each account the types of which it has accepted the required version or a later one. A grace period
    // does not count. Accounts that do not exist are left out of the result.
    virtual storage::awaitable<std::map<UserId, std::vector<PolicyType>>> accepted_by(std::vector<UserId> users) = 0;
};

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::PolicyType> {
    static constexpr std::array names{
        std::pair{consentry::PolicyType::terms_of_service, std::string_view{"termsOfService"}},
        std::pair{consentry::PolicyType::privacy, std::string_view{"privacy"}},
        std::pair{consentry::PolicyType::marketing, std::string_view{"marketing"}},
        std::pair{consentry::PolicyType::cookies, std::string_view{"cookies"}}};
};
