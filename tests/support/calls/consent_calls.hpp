// Helpers for the tests of acceptance and of the guard: documents written directly to the database, and their
// acceptances.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/consent_log/entry.hpp"
#include "tests/support/calls/factor_calls.hpp"

namespace consentry::tests {

inline constexpr const char* accept_path = "/api/shared/user/term-policy/accept";
inline constexpr const char* withdraw_path = "/api/shared/user/term-policy/withdraw";
inline constexpr const char* accepted_path = "/api/shared/user/term-policy/list/accepted";
inline const std::vector<std::string> all_types{"termsOfService", "privacy", "marketing", "cookies"};

// SHA-256 of the text of a published version.
std::string hash_of(const std::string& type, int version, const std::string& language = "en");
// Publishes a version with a single statement, at the current time of the service's clock. Returns its id.
std::string publish(Service& service, const std::string& type, int version,
                    const std::vector<std::string>& languages = {"en"});

Answer accept(const Service& service, const std::string& token, const std::string& type, const json::object& more = {});
Answer withdraw(const Service& service, const std::string& token, const std::string& type);
std::string receipt_of(const Answer& answer);  // of `accept` or `withdraw`
// Returns the verdict of forward auth.
bool has_accepted(const Service& service, const std::string& token, const std::string& type);
// The verdicts for all four types, in the order of all_types: "1010".
std::string flags(const Service& service, const std::string& token);
// The events of an account: "termsOfService 1 accepted, privacy 1 withdrawn", oldest first within each type.
std::string history(const Service& service, const Person& person);

std::string value_of(const Service& service, const std::string& select);  // the first value of "SELECT " + select

// The only entry of the consent log, and the evidence that it names by digest: the row of the acceptance, without the
// hash of a comparison that was shown.
struct LoggedAcceptance {
    ConsentEntry entry;
    AddendumSalt salt{};
    Addendum evidence;
};
LoggedAcceptance logged_acceptance(const Service& service);

// A user with a session, on the service of the suite without policies (service_without_policies), or on one of its own
// with these settings.
struct Signed {
    Signed();
    explicit Signed(Environment settings) : own(std::make_unique<Service>(std::move(settings))), service(*own) {}
    std::string rows() const { return value_of(service, "count(*) FROM term_policy_acceptances"); }

    std::unique_ptr<Service> own;  // null on the service of the suite
    Service& service;
    Person person = service.make_person();
    std::string token = service.tokens_of(person).access;
};

}  // namespace consentry::tests
