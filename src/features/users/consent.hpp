// What people accepted, as far as other features need to know: the guard that asks for it, and whoever lets them accept
// while an account is made.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

enum class PolicyType { terms_of_service, privacy, marketing, cookies };
inline constexpr std::array all_policy_types{PolicyType::terms_of_service, PolicyType::privacy, PolicyType::marketing,
                                             PolicyType::cookies};

// What somebody agreed to and how that is known.
struct GivenConsent {
    UserId user;
    std::vector<PolicyType> types;
    std::optional<SessionId> session = {};
    std::string ip_address = {};
    std::string user_agent = {};
    Language language = Language::en;
};

// A live session and the generation of its account.
struct ConsentGrounds {
    UserId user;
    SessionId session;
    std::int64_t security_version = 0;
};

class Consents {
public:
    virtual ~Consents() = default;
    // Error: requiredInvalid. A type without a published version is not asked for. Throws Unavailable where it cannot
    // tell.
    virtual storage::awaitable<Result<void>> admit(ConsentGrounds grounds, std::span<const PolicyType> wanted) = 0;
    // Adds acceptances of the versions that are the latest now. Of a type without a published version none: nobody can
    // accept what does not exist.
    virtual storage::awaitable<void> add_acceptances(storage::Transaction& transaction, GivenConsent consent,
                                                     TimePoint now) = 0;
    // Takes back what is accepted of these types, whichever they are: the account has another owner now. The same
    // transaction raises the account's security version.
    virtual void add_withdrawals(storage::Transaction& transaction, GivenConsent consent, TimePoint now) = 0;
    // The types whose latest version the account has accepted.
    virtual storage::awaitable<std::vector<PolicyType>> accepted(UserId user) = 0;
    // The same of many accounts; none of one that does not exist.
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
