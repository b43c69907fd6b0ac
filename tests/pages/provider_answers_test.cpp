// What comes back from Google and Apple, or claims to: it logs in only whom the provider vouches for, in the browser
// that was sent there, once and in time. Everything else leads to the login page, which says what happened.
#include <gmock/gmock.h>

#include "tests/pages/provider_visitor.hpp"
#include "tests/support/log_support.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* over = "/login?step=over&with=google";
constexpr const char* refused = "/login?step=refused&with=google";

class ProviderAnswers : public ::testing::Test {
protected:
    IdentityProviders providers;
    Service service{providers.settings()};
    ProviderVisitor visitor{.providers = providers, .service = service};

    void SetUp() override { visitor.leave(); }
    ProviderVisitor::Fields right_answer() {
        return {{"state", visitor.asked.at("state")}, {"id_token", visitor.token(ada)}};
    }
    std::string one(const std::string& select) const { return service.sql("SELECT " + select)[0][0]; }
    // The visitor was not logged in, and no account was made.
    void expect_nothing() {
        EXPECT_FALSE(visitor.browser.cookies.contains(session_cookie));
        EXPECT_EQ(one("count(*) FROM sessions"), "0");
        EXPECT_EQ(one("count(*) FROM users"), "0");
    }
};

TEST_F(ProviderAnswers, AStateThatIsNotOfThisTripIsRefused) {
    const std::string state = visitor.asked.at("state");
    const std::string token = visitor.token(ada);
    ProviderVisitor stranger{.providers = providers, .service = service};
    stranger.leave();
    for (const auto& fields : std::vector<ProviderVisitor::Fields>{
             {{"id_token", token}},
             {{"state", ""}, {"id_token", token}},
             {{"state", state.substr(1)}, {"id_token", token}},
             {{"state", state + "A"}, {"id_token", token}},
             {{"state", state}, {"state", state}, {"id_token", token}},
             {{"state", stranger.asked.at("state")}, {"id_token", stranger.token("eve@example.org", "s-2")}},
             {{"error", "access_denied"}},
             {},
         }) {
        const Answer answer = visitor.come_back(fields);
        EXPECT_EQ(place(answer), over);
        EXPECT_EQ(set_cookie_of(answer, provider_cookie), "");
        EXPECT_EQ(set_cookie_of(answer, visitor_cookie), "") << "the forms of open pages stay valid";
    }
    expect_nothing();
    EXPECT_EQ(place(visitor.come_back(right_answer())), "/account") << "none of them has ended the trip";
}

// An attacker who has begun to log in as themselves has another browser complete it (login CSRF).
TEST_F(ProviderAnswers, AnAnswerOfAnotherBrowserIsRefused) {
    const auto fields = right_answer();
    ProviderVisitor victim{.providers = providers, .service = service};
    victim.browser.open("/login");
    EXPECT_EQ(place(victim.come_back(fields)), over) << "without a trip";
    victim.leave();
    EXPECT_EQ(place(victim.come_back(fields)), over) << "on a trip of its own";
    EXPECT_FALSE(victim.browser.cookies.contains(session_cookie));
    expect_nothing();
}

TEST_F(ProviderAnswers, ATripIsToOneProvider) {
    const std::string state = visitor.asked.at("state");
    const std::string token = visitor.token(ada, "a-1", apple);
    EXPECT_EQ(place(visitor.come_back({{"state", state}, {"id_token", token}}, apple)), "/login?step=over&with=apple");
    EXPECT_EQ(place(visitor.come_back({{"state", state}, {"id_token", token}})), refused)
        << "nor does the token of one count for the other";
    expect_nothing();
}

TEST_F(ProviderAnswers, ACookieThatIsNotOursIsNone) {
    const auto fields = right_answer();
    const std::string sealed = visitor.browser.cookies.at(provider_cookie);
    for (const std::string& forged :
         {std::string("x"), std::string("AAAA"), sealed.substr(1), sealed + "A", std::string(5'000, 'A')}) {
        visitor.browser.cookies[provider_cookie] = forged;
        EXPECT_EQ(place(visitor.come_back(fields)), over) << forged.substr(0, 40);
    }
    visitor.browser.cookies[provider_cookie] = sealed + "; " + provider_cookie + "=" + sealed;
    EXPECT_EQ(place(visitor.come_back(fields)), over) << "somebody else has set one of the two";
    expect_nothing();
}

TEST_F(ProviderAnswers, ATripEndsAfterTenMinutes) {
    service.pass(std::chrono::minutes{10} - seconds{1});
    EXPECT_EQ(place(visitor.come_back({{"state", visitor.asked.at("state")}, {"error", "access_denied"}})),
              "/login?step=cancelled&with=google");
    visitor.leave();
    service.pass(std::chrono::minutes{10});
    EXPECT_EQ(place(visitor.come_back(right_answer())), over);
    expect_nothing();
}

TEST_F(ProviderAnswers, AnAnswerWorksOnce) {
    const auto fields = right_answer();
    const std::string sealed = visitor.browser.cookies.at(provider_cookie);
    EXPECT_EQ(place(visitor.come_back(fields)), "/account");
    EXPECT_EQ(place(visitor.come_back(fields)), over) << "the browser has forgotten the trip";
    visitor.browser.cookies[provider_cookie] = sealed;
    EXPECT_EQ(place(visitor.come_back(fields)), refused) << "and the token is spent";
    EXPECT_EQ(one("count(*) FROM sessions"), "1");
}

TEST_F(ProviderAnswers, TheTokenMustAnswerThisRequest) {
    const std::string state = visitor.asked.at("state");
    const auto answer_with = [&](const json::object& changes, const json::object& order = {}) {
        visitor.leave();
        json::object claims = visitor.claims(ada);
        for (const auto& [name, value] : changes) {
            claims[name] = value;
            if (value.is_null()) claims.erase(name);
        }
        json::object whole{{"claims", claims}};
        for (const auto& [name, value] : order) whole[name] = value;
        return place(
            visitor.come_back({{"state", visitor.asked.at("state")}, {"id_token", providers.token(std::move(whole))}}));
    };
    EXPECT_EQ(answer_with({{"nonce", nullptr}}), refused);
    EXPECT_EQ(answer_with({{"nonce", ""}}), refused);
    EXPECT_EQ(answer_with({{"nonce", state}}), refused);
    EXPECT_EQ(answer_with({{"aud", "somebody-else"}}), refused);
    EXPECT_EQ(answer_with({{"iss", "https://evil.example"}}), refused);
    EXPECT_EQ(answer_with({{"email_verified", false}}), refused) << "an address that Google has not verified";
    EXPECT_EQ(answer_with({}, {{"signer", "stranger"}}), refused);
    EXPECT_EQ(answer_with({}, {{"alg", "none"}}), refused);
    EXPECT_EQ(answer_with({}, {{"tamper", "payload"}}), refused);
    visitor.leave();
    EXPECT_EQ(place(visitor.come_back({{"state", visitor.asked.at("state")}})), refused) << "no token at all";
    expect_nothing();
    EXPECT_EQ(answer_with({}), "/account");
}

TEST_F(ProviderAnswers, ErrorsAreToldInOurOwnWords) {
    for (const char* canceled : {"access_denied", "user_cancelled_authorize"}) {
        visitor.leave();
        EXPECT_EQ(place(visitor.come_back({{"state", visitor.asked.at("state")}, {"error", canceled}})),
                  "/login?step=cancelled&with=google");
        EXPECT_FALSE(visitor.browser.cookies.contains(provider_cookie)) << "the trip is over";
    }
    const std::string markup = "<script>alert(1)</script>\r\nX-Evil: 1";
    visitor.leave();
    const Answer answer = visitor.come_back({{"state", visitor.asked.at("state")},
                                             {"error", markup},
                                             {"error_description", markup},
                                             {"error_uri", "https://evil.example"},
                                             {"id_token", visitor.token(ada)}});
    EXPECT_EQ(place(answer), refused) << "an error beside a token is an error";
    EXPECT_THAT(answer.body, Not(HasSubstr("alert")));
    EXPECT_FALSE(answer.headers.contains("x-evil"));
    EXPECT_THAT(visitor.browser.open(refused).body, HasSubstr("We could not log you in with Google."));
    EXPECT_THAT(visitor.browser.open("/login?step=cancelled&with=apple").body,
                HasSubstr("You canceled the login with Apple."));
    EXPECT_THAT(visitor.browser.open("/login?step=cancelled&with=%3Cscript%3E").body, Not(HasSubstr("You canceled")));
    EXPECT_THAT(visitor.browser.open("/login?step=cancelled").body, Not(HasSubstr("You canceled")));
    expect_nothing();
}

TEST_F(ProviderAnswers, AnAccountThatMayNotLogInSaysWhy) {
    ASSERT_EQ(place(visitor.come_back(right_answer())), "/account");
    const auto step_with = [&](const std::string& column) {
        service.sql("UPDATE users SET " + column);
        ProviderVisitor other{.providers = providers, .service = service};
        other.leave();
        json::object claims = other.claims(ada);
        claims["email_verified"] = false;
        const std::string token = providers.token({{"claims", claims}});
        const Answer answer = other.come_back({{"state", other.asked.at("state")}, {"id_token", token}});
        EXPECT_FALSE(other.browser.cookies.contains(session_cookie));
        return place(answer) + "\n" + other.browser.open(place(answer)).body;
    };
    EXPECT_THAT(step_with("status = 'blocked'"), HasSubstr("This account is not active."));
    EXPECT_THAT(step_with("status = 'inactive'"), HasSubstr("This account is not active."));
    EXPECT_THAT(step_with("status = 'active', is_verified = FALSE"),
                HasSubstr("Please verify your email address first."));
    service.sql(
        "INSERT INTO two_factors (user_id, enabled, required_setup, set_up_allowed_at, created_at, updated_at) "
        "SELECT id, TRUE, TRUE, 1, 1, 1 FROM users");
    EXPECT_THAT(step_with("is_verified = TRUE"),
                HasSubstr("The time to set up two-factor authentication again is over."));
}

TEST_F(ProviderAnswers, WhatIsNoFormIsRefused) {
    const auto status = [&](const std::string& body, const std::string& type) {
        return HttpClient(service.port())
            .call("POST", "/login/google/callback", body, {{"Content-Type", type}, {"Sec-Fetch-Site", "cross-site"}})
            .status;
    };
    EXPECT_EQ(status("{}", "application/json"), 415);
    EXPECT_EQ(status("state=%zz", "application/x-www-form-urlencoded"), 400);
    EXPECT_EQ(status("id_token=" + std::string(1'100'000, 'a'), "application/x-www-form-urlencoded"), 413);
    EXPECT_EQ(visitor.browser.open("/login/google/callback?state=" + visitor.asked.at("state")).status, 405);
    EXPECT_EQ(place(visitor.come_back(right_answer())), "/account");
}

// The token is not spent, so reloading the page completes the login.
TEST_F(ProviderAnswers, AProviderWhoseKeysCannotBeFetchedLosesNoLogin) {
    providers.set_fault({{"provider", google}, {"kind", "status"}, {"status", 500}});
    const auto fields = right_answer();
    const Answer away = visitor.come_back(fields);
    EXPECT_EQ(away.status, 503);
    EXPECT_THAT(away.body, HasSubstr("<h1>"));
    providers.set_fault({{"provider", google}});
    service.pass(seconds{6});
    EXPECT_EQ(place(visitor.come_back(fields)), "/account");
}

TEST_F(ProviderAnswers, TheOperatorLearnsWhyNobodyWasLoggedIn) {
    visitor.come_back({{"state", "x"}});
    visitor.come_back({{"state", visitor.asked.at("state")}, {"error", "invalid_scope\nforged line"}});
    service.restart();  // writes the pending events
    std::string reasons;
    for (const json::object& event : entries_in(service.folder() / "data" / "security" / "events.log"))
        if (event.at("event") == "identity_token.refused")
            reasons += std::string(event.at("detail").at("reason").as_string()) + " ";
    EXPECT_EQ(reasons, "state error ");
}

}  // namespace
}  // namespace consentry::tests
