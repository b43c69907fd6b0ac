// The buttons "Continue with Google" and "Continue with Apple", and the logins that begin with them.
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/pages/provider_visitor.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class ProviderLogin : public ::testing::Test {
protected:
    IdentityProviders providers;
    Service service{providers.settings({{"FEATURE_FLAG_CACHE_TTL_MS", "0"}})};  // so that SQL turns flags off at once
    ProviderVisitor visitor{.providers = providers, .service = service};

    std::string one(const std::string& select) const { return service.sql("SELECT " + select)[0][0]; }
    void turn_off(const std::string& flag) const {
        service.sql("UPDATE feature_flags SET is_enabled = FALSE WHERE key = '" + flag + "'");
    }
};

TEST_F(ProviderLogin, ThePagesOfLoginAndSignUpHaveTheButtons) {
    for (const char* path : {"/login", "/sign-up"}) {
        const Answer page = visitor.browser.open(path);
        EXPECT_THAT(page.body, HasSubstr(R"(<form method="post" action="/login/google">)"));
        EXPECT_THAT(page.body, HasSubstr("Continue with Google</button>"));
        EXPECT_THAT(page.body, HasSubstr("Continue with Apple</button>"));
        EXPECT_THAT(page.headers.at("content-security-policy"),
                    HasSubstr("form-action 'self' https://accounts.google.com https://appleid.apple.com;"));
    }
    EXPECT_THAT(visitor.browser.open("/login?lang=de").body, HasSubstr("Weiter mit Google</button>"));
    for (const char* path : {"/", "/forgot-password", "/no-such-page"})
        EXPECT_THAT(visitor.browser.open(path).headers.at("content-security-policy"), HasSubstr("form-action 'self';"))
            << "no other page leads there";
    const std::string page = visitor.browser.open("/login?return=%2Faccount%3Fa%3Db").body;
    EXPECT_THAT(page, HasSubstr(R"(<form method="post" action="/login/apple">
<input type="hidden" name="csrf" value=")" +
                                visitor.browser.token + R"(">
<input type="hidden" name="return" value="/account?a=b">)"));
}

TEST(ProviderButtons, AProviderThatDoesNotKnowThisWebsiteHasNone) {
    Service service({{"AUTH_SOCIAL_APPLE_CLIENT_ID", "org.example.app"}});
    Browser browser(service);
    EXPECT_THAT(browser.open("/login").body, Not(HasSubstr("Continue with")));
    EXPECT_THAT(browser.open("/login").headers.at("content-security-policy"), HasSubstr("form-action 'self';"));
    for (const char* path : {"/login/google", "/login/apple", "/login/google/callback", "/login/apple/callback"})
        EXPECT_EQ(browser.send(path, {}).status, 404) << path;
}

TEST_F(ProviderLogin, AProviderThatIsOffHasNoButtonAndTakesNobody) {
    visitor.leave();
    turn_off("loginWithGoogle");
    const Answer page = visitor.browser.open("/login");
    EXPECT_THAT(page.body, Not(HasSubstr("Continue with Google")));
    EXPECT_THAT(page.body, HasSubstr("Continue with Apple"));
    EXPECT_EQ(visitor.browser.send("/login/google", {}).status, 503);
    EXPECT_EQ(visitor.come_back_as(ada).status, 503) << "somebody who was on the way";
    EXPECT_EQ(one("count(*) FROM users"), "0");
}

TEST_F(ProviderLogin, WhereSignUpIsOffTheSignUpPageHasNoButton) {
    service.sql(R"(UPDATE feature_flags SET metadata = '{"signUpAllowed":false}' WHERE key = 'loginWithGoogle')");
    EXPECT_THAT(visitor.browser.open("/sign-up").body, Not(HasSubstr("Continue with Google")));
    EXPECT_THAT(visitor.browser.open("/login").body, HasSubstr("Continue with Google"));
    EXPECT_EQ(place(visitor.log_in(ada)), "/login?step=no-sign-up&with=google");
    EXPECT_THAT(visitor.browser.open("/login?step=no-sign-up&with=google").body,
                HasSubstr("No account here matches your Google account"));
    EXPECT_EQ(one("count(*) FROM users"), "0");
}

TEST_F(ProviderLogin, TheButtonAsksForATokenInAForm) {
    const Answer answer = visitor.leave();
    EXPECT_EQ(answer.status, 303) << answer.body;
    EXPECT_EQ(visitor.left_for, "https://accounts.google.com/o/oauth2/v2/auth");
    const auto first = visitor.asked;
    EXPECT_EQ(first.at("response_type"), "id_token");
    EXPECT_EQ(first.at("response_mode"), "form_post");
    EXPECT_EQ(first.at("client_id"), "google-web");
    EXPECT_EQ(first.at("scope"), "openid email");
    EXPECT_THAT(first.at("redirect_uri"), MatchesRegex("http://[^/]+/login/google/callback"));
    EXPECT_THAT(first.at("state"), MatchesRegex("[A-Za-z0-9_-]{43}"));
    EXPECT_THAT(first.at("nonce"), MatchesRegex("[A-Za-z0-9_-]{43}"));
    const std::string cookie = set_cookie_of(answer, provider_cookie);
    EXPECT_THAT(cookie, HasSubstr("; Path=/; HttpOnly; SameSite=None; Secure; Max-Age=600"));
    EXPECT_THAT(cookie, Not(HasSubstr(first.at("state"))));

    visitor.leave(apple);
    EXPECT_EQ(visitor.left_for, "https://appleid.apple.com/auth/authorize");
    EXPECT_EQ(visitor.asked.at("response_type"), "code id_token");
    EXPECT_EQ(visitor.asked.at("client_id"), "apple-web") << "the services ID";
    EXPECT_EQ(visitor.asked.at("scope"), "openid name email");
    EXPECT_NE(visitor.asked.at("state"), first.at("state"));
    EXPECT_NE(visitor.asked.at("nonce"), first.at("nonce"));
}

TEST_F(ProviderLogin, ANewPersonGetsAnAccountAndASession) {
    const Answer answer = visitor.log_in(ada);
    EXPECT_EQ(answer.status, 303) << answer.body;
    EXPECT_EQ(place(answer), "/account");
    EXPECT_THAT(set_cookie_of(answer, session_cookie), HasSubstr("; SameSite=Lax"));
    EXPECT_FALSE(visitor.browser.cookies.contains(provider_cookie));
    EXPECT_TRUE(visitor.browser.is_logged_in());
    EXPECT_EQ(one("email || ' ' || sign_up_with FROM users"), std::string(ada) + " socialGoogle");
    EXPECT_EQ(one("count(*) FROM activity_log WHERE action = 'userLoginGoogle'"), "1");

    ProviderVisitor later{.providers = providers, .service = service};
    EXPECT_EQ(place(later.log_in("new@example.org")), "/account") << "the same person, whatever the address";
    EXPECT_EQ(one("count(*) FROM users"), "1");
    EXPECT_EQ(one("count(*) FROM sessions"), "2");
}

// Browsers withhold the cookies that say where the visitor was, from the form of another site.
TEST_F(ProviderLogin, TheVisitGoesOnWhereItLeft) {
    visitor.browser.open("/login?lang=fr");
    visitor.leave(google, "/account/profile?a=b");
    const std::string visitor_before = visitor.browser.cookies.at(visitor_cookie);
    const Answer wrong = visitor.come_back({{"state", visitor.asked.at("state")}, {"error", "access_denied"}});
    EXPECT_EQ(place(wrong), "/login?step=cancelled&with=google&return=%2Faccount%2Fprofile%3Fa%3Db");
    EXPECT_EQ(visitor.browser.cookies.at(visitor_cookie), visitor_before) << "forms of other tabs stay valid";
    visitor.leave(google, "/account/profile?a=b");
    EXPECT_EQ(place(visitor.come_back_as(ada)), "/account/profile?a=b");
    EXPECT_EQ(one("language FROM users"), "fr");
}

TEST_F(ProviderLogin, ALoginReturnsToWhereItIsSafe) {
    for (const char* hostile :
         {"https://evil.example/a", "//evil.example/a", "/\\evil.example", "javascript:alert(1)"}) {
        ProviderVisitor other{.providers = providers, .service = service};
        other.leave(google, hostile);
        EXPECT_EQ(place(other.come_back_as(ada)), "/account") << hostile;
    }
}

TEST_F(ProviderLogin, WhoIsLoggedInAlreadyGoesOnAtOnce) {
    visitor.log_in(ada);
    visitor.browser.open("/account");
    EXPECT_EQ(place(visitor.browser.send("/login/google", {})), "/account");
    EXPECT_FALSE(visitor.browser.cookies.contains(provider_cookie));
}

TEST_F(ProviderLogin, AnAccountWithoutAPasswordIsOfferedALinkInsteadOfAskedForOne) {
    visitor.log_in(ada);
    Browser& browser = visitor.browser;
    EXPECT_THAT(browser.open("/account").body, Not(HasSubstr("Only your password")));
    const std::string page = browser.open("/change-password?return=%2Faccount").body;
    EXPECT_THAT(page, Not(HasSubstr("oldPassword")));
    EXPECT_THAT(page, HasSubstr(R"(<form method="post" action="/forgot-password">)"));
    EXPECT_EQ(hidden_field(page, "email"), ada);
    EXPECT_EQ(place(browser.send("/forgot-password", {{"email", ada}, {"return", "/account"}})), "/account");
    EXPECT_THAT(browser.open("/account").body, HasSubstr("an email with a link is on its way"));
    const std::string confirm = browser.open("/login/confirm").body;
    EXPECT_THAT(confirm, HasSubstr("Log out and log in again"));
    EXPECT_THAT(confirm, Not(HasSubstr("name=\"password\"")));
}

TEST_F(ProviderLogin, AButtonThatIsTooOldLeadsToANewOne) {
    visitor.browser.open("/login");
    visitor.browser.token = "of the page that was left open";
    const Browser::Fields fields{{"return", "/account?x"}};
    EXPECT_EQ(place(visitor.browser.send("/login/google", fields)), "/login?return=%2Faccount%3Fx");
    EXPECT_THAT(visitor.browser.open("/login").body, HasSubstr("This page was open for too long"));
    visitor.browser.open("/login");
    const std::string before = visitor.browser.token;
    visitor.log_in(ada);
    visitor.browser.token = before;
    const std::string next = place(visitor.browser.send("/login/google", fields));
    EXPECT_EQ(place(visitor.browser.open(next)), "/account?x") << "who has logged in in another tab is led on";
}

TEST_F(ProviderLogin, TheSecondFactorIsAskedForInTheSameBrowser) {
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    visitor.leave(google, "/account?x");
    EXPECT_EQ(place(visitor.come_back_as(person.email)), "/login/verify?return=%2Faccount%3Fx");
    EXPECT_FALSE(visitor.browser.is_logged_in());
    visitor.browser.open("/login/verify?return=%2Faccount%3Fx");
    Browser other(service);
    other.open("/login");
    other.cookies[step_cookie] = visitor.browser.cookies.at(step_cookie);
    EXPECT_EQ(place(other.send("/login/verify", {{"code", service.next_code(person)}})), "/login?step=over");
    const Answer answer = visitor.browser.send(
        "/login/verify", {{"code", service.next_code(person)}, {"backupCode", ""}, {"return", "/account?x"}});
    EXPECT_EQ(place(answer), "/account?x") << answer.body;
    EXPECT_TRUE(visitor.browser.is_logged_in());
    EXPECT_EQ(one("last_login_with FROM users"), "socialGoogle");
}

TEST_F(ProviderLogin, AForcedSetUpStandsBeforeTheSessionHereAsWell) {
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string admin = service.tokens_of(service.make_person(Role::admin)).access;
    ASSERT_EQ(service.patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {}, bearer(admin)).status,
              200);
    EXPECT_EQ(place(visitor.log_in(person.email)), "/login/set-up");
    EXPECT_THAT(visitor.browser.open("/login/set-up").body, HasSubstr("<svg"));
    EXPECT_FALSE(visitor.browser.is_logged_in());
}

TEST_F(ProviderLogin, AppleTellsANameWithTheFirstLogin) {
    const auto name_after = [&](const std::string& user, const std::string& language = "en") {
        service.sql("DELETE FROM identities");
        service.sql("DELETE FROM users");
        ProviderVisitor other{.providers = providers, .service = service};
        other.browser.open("/login?lang=" + language);
        other.leave(apple);
        const Answer answer = other.come_back({{"state", other.asked.at("state")},
                                               {"code", "c1"},
                                               {"id_token", other.token(ada, "a-1", apple)},
                                               {"user", user}},
                                              apple);
        EXPECT_EQ(place(answer), "/account") << user;
        return one("coalesce(name, '-') FROM users");
    };
    EXPECT_EQ(name_after(R"({"name":{"firstName":" Ada ","lastName":"Lovelace"},"email":"x@example.org"})"),
              "Ada Lovelace");
    EXPECT_EQ(one("email FROM users"), ada) << "the address in the signed token counts";
    EXPECT_EQ(name_after(R"({"name":{"firstName":"花子","lastName":"山田"}})", "ja"), "山田 花子");
    EXPECT_EQ(name_after(R"({"name":{"lastName":"Lovelace"}})"), "Lovelace");
    for (const std::string& unfit :
         {std::string("x"), std::string("[]"), std::string("{}"), std::string(R"({"name":7})"),
          std::string(R"({"name":{"firstName":["A"]}})"), std::string(R"({"name":{"firstName":"A\nB"}})"),
          R"({"name":{"firstName":")" + std::string(101, 'a') + R"("}})",
          R"({"name":{"firstName":"A"},"x":")" + std::string(3'000, 'a') + R"("}})"})
        EXPECT_EQ(name_after(unfit), "-") << unfit.substr(0, 60);
}

// Forms from elsewhere are refused everywhere but where a provider sends them, and there without a trip.
TEST_F(ProviderLogin, NoOtherFormMayComeFromAnotherSite) {
    int callbacks = 0;
    for (const auto& page : service.app().router().pages()) {
        if (page->method != http::Method::post) continue;
        Browser browser(service);
        browser.open("/login");
        const Answer answer = browser.send(page->paths.front(), {}, {{"Sec-Fetch-Site", "cross-site"}});
        if (page->paths.front().ends_with("/callback")) {
            ++callbacks;
            EXPECT_THAT(place(answer), HasSubstr("/login?step=over&with="));
        } else {
            EXPECT_EQ(answer.status, 403) << page->paths.front();
        }
    }
    EXPECT_EQ(callbacks, 2);
}

}  // namespace
}  // namespace consentry::tests
