// Tests which policies a user accepts by signing up.
#include <gtest/gtest.h>

#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

constexpr const char* ada = "ada@example.org";

TEST(SignUp, RecordsWhatWasTickedAndNothingElse) {
    Service& service = service_without_policies();
    publish(service, "termsOfService", 3, {"en", "de"});
    publish(service, "privacy", 1, {"en"});
    publish(service, "marketing", 1);
    json::object body = sign_up_body(ada);
    body["termsOfService"] = true;
    body["privacy"] = true;
    body["marketing"] = false;
    body["cookies"] = true;  // no version is published
    ASSERT_EQ(service.post(sign_up_path, body, {{"x-custom-lang", "de"}, {"User-Agent", "Browser of a test"}}).status,
              201U);
    const auto rows = service.sql(
        "SELECT type, version, action, language, ip_address, user_agent, COALESCE(CAST(session_id AS TEXT), 'none') "
        "FROM term_policy_acceptances ORDER BY type");
    EXPECT_EQ(rows, (std::vector<std::vector<std::string>>{
                        {"privacy", "1", "accepted", "en", "127.0.0.1", "Browser of a test", "none"},
                        {"termsOfService", "3", "accepted", "de", "127.0.0.1", "Browser of a test", "none"}}));
    verify_email(service, Mailbox(service).wait_for(ada, "verifyEmail").token());
    const std::string token = service.log_in(ada, right_password).text("data.tokens.accessToken");
    EXPECT_EQ(flags(service, token), "1101");
    EXPECT_EQ(service.get("/api/shared/user/profile", bearer(token)).status, 200U);
}

TEST(SignUp, AssumesNothing) {
    Service& service = service_without_policies();
    for (const std::string& type : all_types) publish(service, type, 1);
    ASSERT_EQ(service.post(sign_up_path, sign_up_body("bea@example.org")).status, 201U);
    EXPECT_EQ(service.sql("SELECT 1 FROM term_policy_acceptances").size(), 0U);
}

TEST(SignUp, LeavesNoAcceptanceOfAnAccountThatWasNotMade) {
    Service service;
    publish(service, "privacy", 1);
    json::object body = sign_up_body(ada);
    body["privacy"] = true;
    ASSERT_EQ(service.post(sign_up_path, body).status, 201U);
    ASSERT_EQ(service.post(sign_up_path, body).status, 409U);
    EXPECT_EQ(service.sql("SELECT 1 FROM term_policy_acceptances").size(), 1U);
    service.break_writes("INSERT ON term_policy_acceptances");
    body["email"] = "bob@example.org";
    EXPECT_EQ(service.post(sign_up_path, body).status, 503U);
    service.mend_writes();
    EXPECT_EQ(service.sql("SELECT 1 FROM users").size(), 1U);
}

// Signing up with an address does not prove that it is one's own.
TEST(REC_3, AnOwnerWhoProvesTheAddressByAResetHasAcceptedNothingYet) {
    Service service;
    publish(service, "privacy", 1);
    json::object body = sign_up_body(ada, "Velvet-Squatter-9");
    body["privacy"] = true;
    body["name"] = "Call +1 900 555 0199";
    ASSERT_EQ(service.post(sign_up_path, body).status, 201U);
    ASSERT_EQ(forget(service, ada).status, 200U);
    ASSERT_EQ(reset(service, forgotten_token(service, ada), new_password).status, 200U);
    const std::string token = service.log_in(ada, new_password).text("data.tokens.accessToken");
    EXPECT_FALSE(has_accepted(service, token, "privacy"));
    EXPECT_EQ(service.sql("SELECT action FROM term_policy_acceptances ORDER BY sequence"),
              (std::vector<std::vector<std::string>>{{"accepted"}, {"withdrawn"}}));

    EXPECT_EQ(one(service, "SELECT count(*) FROM users WHERE name IS NULL"), "1") << "nor does what a stranger wrote";
    EXPECT_EQ(one(service, "SELECT count(*) FROM activity_log WHERE action = 'userVerifiedEmail'"), "1");

    // For an address that is already verified, a reset withdraws nothing.
    ASSERT_EQ(accept(service, token, "privacy").status, 200U);
    service.pass(std::chrono::hours{1});
    ASSERT_EQ(forget(service, ada).status, 200U);
    ASSERT_EQ(reset(service, forgotten_token(service, ada, 1), "Copper-Meadow-78").status, 200U);
    EXPECT_TRUE(
        has_accepted(service, service.log_in(ada, "Copper-Meadow-78").text("data.tokens.accessToken"), "privacy"));
}

}  // namespace
}  // namespace consentry::tests
