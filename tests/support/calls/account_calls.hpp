// Helpers for the tests of sign-up, recovery, profile and deletion.
#pragma once

#include <string>

#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/mailbox.hpp"

namespace consentry::tests {

inline constexpr const char* sign_up_path = "/api/public/user/sign-up";
inline constexpr const char* verify_path = "/api/public/user/verify/email";
inline constexpr const char* resend_path = "/api/public/user/send/email";
inline constexpr const char* forgot_path = "/api/public/user/password/forgot";
inline constexpr const char* reset_path = "/api/public/user/password/reset";
inline constexpr const char* new_password = "Copper-Meadow-77";

json::object sign_up_body(const std::string& email, const std::string& password = right_password);
Answer sign_up(const Service& service, const std::string& email);
Answer verify_email(const Service& service, const std::string& token);
// Signs up a person who then follows the verification link.
Person newcomer(const Service& service, const std::string& email);

Answer forget(const Service& service, const std::string& email);
// `proof` adds members to the body.
Answer reset(const Service& service, const std::string& token, const std::string& password,
             const json::object& proof = {});
// Returns the token of the `nth` password reset mail to this address.
std::string forgotten_token(const Service& service, const std::string& email, std::size_t nth = 0);

// Waits until every link request has been processed and every mail delivered.
void settle_mails(const Service& service);
// Logs the acts of administrators that wait for that.
void settle_acts(Service& service);
// Settles, then returns the number of mails to this address and of this kind.
std::size_t mails(const Service& service, const std::string& email, const std::string& kind = {});

std::string one(const Service& service, const std::string& sql);

}  // namespace consentry::tests
