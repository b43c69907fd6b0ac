// /login and /login/verify.
#include <gmock/gmock.h>

#include "tests/support/browser.hpp"
#include "tests/support/calls/factor_calls.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(LoginPages, AWrongPasswordAndAnUnknownAddressLookTheSame) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    const Answer wrong = browser.send("/login", {{"email", person.email}, {"password", "Wrong-Harbor-42"}});
    EXPECT_EQ(wrong.status, 400);
    EXPECT_THAT(wrong.body, HasSubstr("Incorrect email or password."));
    EXPECT_THAT(wrong.body, HasSubstr("value=\"" + person.email + "\"")) << "what was typed is kept";
    EXPECT_THAT(wrong.body, Not(HasSubstr("Wrong-Harbor-42"))) << "but no password";
    const Answer unknown = browser.send("/login", {{"email", "nobody@example.org"}, {"password", "Wrong-Harbor-42"}});
    EXPECT_EQ(unknown.status, 400);
    const auto without_its_own = [](std::string body, const std::string& address) {
        for (const std::string& text : {address, hidden_field(body, "csrf")})
            body.replace(body.find(text), text.size(), "");
        return body;
    };
    EXPECT_EQ(without_its_own(unknown.body, "nobody@example.org"), without_its_own(wrong.body, person.email));
    EXPECT_FALSE(browser.is_logged_in());
}

TEST(LoginPages, FieldsThatCannotBeRightAreNamedBesideThem) {
    Browser browser(suite_service());
    browser.open("/login");
    const Answer answer = browser.send("/login", {{"email", "<b>no address"}, {"password", ""}});
    EXPECT_EQ(answer.status, 422);
    EXPECT_THAT(answer.body, HasSubstr(R"(aria-describedby="email-error")"));
    EXPECT_THAT(answer.body, HasSubstr(R"(id="email-error">Email address: please enter an address such as)"));
    EXPECT_THAT(answer.body, HasSubstr(R"(aria-describedby="password-error")"));
    EXPECT_THAT(answer.body, HasSubstr(R"(<a href="#password">Password: please fill in this field.</a>)"));
    EXPECT_THAT(answer.body, HasSubstr(R"(value="&lt;b&gt;no address")"));
}

TEST(LoginPages, WrongPasswordsLockAsInTheApi) {
    Service service;
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    for (int i = 0; i < 5; ++i) browser.send("/login", {{"email", person.email}, {"password", "Wrong-Harbor-42"}});
    const Answer locked = browser.send("/login", {{"email", person.email}, {"password", person.password}});
    EXPECT_EQ(locked.status, 403);
    EXPECT_THAT(locked.body, HasSubstr("Too many failed login attempts."));
    EXPECT_EQ(service.log_in(person).code_name(), "passwordAttemptMax") << "one lock for both";
}

TEST(LoginPages, AnExpiredPasswordLeadsToTheLinkThatReplacesIt) {
    Service service({{"AUTH_PASSWORD_EXPIRED_IN_SECONDS", "3600"}});
    const Person person = service.make_person();
    service.pass(std::chrono::hours{1});
    Browser browser(service);
    browser.open("/login");
    const Answer answer = browser.send("/login", {{"email", person.email}, {"password", person.password}});
    EXPECT_EQ(answer.status, 403);
    EXPECT_THAT(
        answer.body,
        HasSubstr("Your password has expired. Request a link with “Forgot your password?” to choose a new one."));
    EXPECT_THAT(answer.body, HasSubstr(R"(<a href="/forgot-password">Forgot your password?</a>)"));
    EXPECT_EQ(service.log_in(person).text("message"), "Your password has expired. Please choose a new one.");
}

// As keyboards for Japanese type digits and spaces, and as text that is pasted from other programs has spaces and
// dashes.
TEST(LoginPages, ACodeMayHaveWideDigits) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const auto widened = [](const std::string& code) {
        std::string out = "\u00A0";
        for (const char c : code) {
            if (c >= '0' && c <= '9')
                out += std::string("\xEF\xBC") + static_cast<char>(0x90 + (c - '0'));
            else if (c >= 'A' && c <= 'Z')
                out += std::string("\xEF\xBD") + static_cast<char>(0x81 + (c - 'A'));  // lower case
            out += "\u3000\u2013";
        }
        return out;
    };
    Browser browser(service);
    EXPECT_EQ(browser.log_in_with_code(person, widened(service.next_code(person))).headers.at("location"), "/account");
    Browser other(service);
    other.log_in(person);
    other.open("/login/verify");
    EXPECT_EQ(other.send("/login/verify", {{"backupCode", widened(person.backup_codes[0])}}).headers.at("location"),
              "/account");
    other.cookies.clear();
    other.log_in(person);
    other.open("/login/verify");
    EXPECT_EQ(other.send("/login/verify", {{"code", "\u0661\u0662\u0663\u0664\u0665\u0666"}}).status, 422);
}

// The account may do nothing else, but whoever leaves a shared computer must be able to end the session.
TEST(LoginPages, AnAccountThatMayNotActCanStillLogOut) {
    for (const char* state : {"password_expires_at = 1", "status = 'inactive'", "is_verified = FALSE"}) {
        Service service;
        const Person person = service.make_person();
        Browser browser(service);
        browser.log_in(person);
        service.sql(std::string("UPDATE users SET security_version = security_version, ") + state + " WHERE id = '" +
                    person.id.text() + "'");
        service.restart();  // copies of the session are from before
        ASSERT_FALSE(browser.is_logged_in()) << state;
        browser.open("/forgot-password");
        const Answer answer = browser.send("/logout", {});
        EXPECT_EQ(answer.status, 303) << state;
        EXPECT_EQ(answer.headers.at("location"), "/") << state;
        EXPECT_FALSE(browser.cookies.contains(session_cookie)) << state;
        EXPECT_EQ(service.sql("SELECT revoked_reason FROM sessions")[0][0], "logout") << state;
    }
}

TEST(LoginPages, AForcedSetUpThatHasEndedLeadsToTheLinkThatRenewsIt) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    reset_two_factor(service, person);
    service.pass(std::chrono::days{7});
    Browser browser(service);
    browser.open("/login");
    const Answer answer = browser.send("/login", {{"email", person.email}, {"password", person.password}});
    EXPECT_EQ(answer.status, 403);
    EXPECT_THAT(answer.body, HasSubstr("The time to set up two-factor authentication again is over."));
    EXPECT_THAT(answer.body, HasSubstr("“Forgot your password?”"));
    EXPECT_THAT(answer.body, HasSubstr(R"(<a href="/forgot-password">Forgot your password?</a>)"));
    EXPECT_FALSE(browser.cookies.contains(step_cookie));
}

TEST(LoginPages, ALoginReturnsToWhereItIsSafe) {
    Service service({{"FORWARD_AUTH_HOSTS", "app.example.com"}});
    const Person person = service.make_person();
    const auto goal = [&](const std::string& wanted) {
        Browser browser(service);
        browser.open("/login?return=" + wanted);
        return browser.send("/login", {{"email", person.email}, {"password", person.password}, {"return", wanted}})
            .headers.at("location");
    };
    EXPECT_EQ(goal("/account?tab=2"), "/account?tab=2");
    EXPECT_EQ(goal("https://app.example.com/a"), "https://app.example.com/.consentry/start?return=%2Fa")
        << "where the browser gets a cookie of that host";
    EXPECT_EQ(goal("https://evil.example/a"), "/account");
    EXPECT_EQ(goal("//evil.example/a"), "/account");
    Browser browser(service);
    EXPECT_EQ(browser.open("/account?tab=2").headers.at("location"), "/login?return=%2Faccount%3Ftab%3D2");
    browser.log_in(person);
    EXPECT_EQ(browser.open("/login?return=%2Faccount%3Fx").headers.at("location"), "/account?x")
        << "who is logged in already goes on at once";
    EXPECT_THAT(browser.open("/account").headers.at("content-security-policy"),
                HasSubstr("form-action 'self' https://app.example.com;"));
}

class SecondFactor : public ::testing::Test {
protected:
    Service service;
    Person person = service.make_person();
    Browser browser{service};

    void SetUp() override { service.turn_two_factor_on(person); }
    Answer first_step() {
        const Answer answer = browser.log_in(person);
        EXPECT_EQ(answer.headers.at("location"), "/login/verify");
        browser.open("/login/verify");
        return answer;
    }
};

TEST_F(SecondFactor, ACodeCompletesTheLogin) {
    const Answer first = first_step();
    EXPECT_FALSE(browser.cookies.contains(session_cookie));
    EXPECT_THAT(set_cookie_of(first, step_cookie), HasSubstr("; Max-Age=300"));
    EXPECT_FALSE(browser.is_logged_in());
    const std::string code = service.next_code(person);
    const Answer answer =
        browser.send("/login/verify", {{"code", code.substr(0, 3) + " " + code.substr(3)}, {"backupCode", ""}});
    EXPECT_EQ(answer.status, 303) << answer.body;
    EXPECT_FALSE(browser.cookies.contains(step_cookie));
    EXPECT_TRUE(browser.is_logged_in());
}

TEST_F(SecondFactor, ABackupCodeWorksOnceAndInTheWayPeopleTypeIt) {
    first_step();
    std::string code = person.backup_codes.front();
    for (char& c : code)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    EXPECT_EQ(browser.send("/login/verify", {{"code", ""}, {"backupCode", code.insert(5, "-")}}).status, 303);
    EXPECT_TRUE(browser.is_logged_in());
    Browser again(service);
    again.log_in(person);
    again.open("/login/verify");
    EXPECT_EQ(again.send("/login/verify", {{"backupCode", person.backup_codes.front()}}).status, 401);
}

TEST_F(SecondFactor, AWrongCodeIsToldBesideTheForm) {
    first_step();
    const Answer wrong = browser.send("/login/verify", {{"code", "000000"}});
    EXPECT_EQ(wrong.status, 401);
    EXPECT_THAT(wrong.body, HasSubstr("This code is incorrect."));
    EXPECT_FALSE(wrong.headers.contains("www-authenticate"));
    const Answer neither = browser.send("/login/verify", {{"code", ""}, {"backupCode", ""}});
    EXPECT_EQ(neither.status, 422);
    EXPECT_THAT(neither.body, HasSubstr("Please fill in either “Six-digit code” or “Backup code”."));
    EXPECT_THAT(neither.body, Not(HasSubstr("“Backup code” or “Six-digit code”"))) << "the same once more";
    EXPECT_EQ(browser.send("/login/verify", {{"code", service.next_code(person)}}).status, 303);
}

TEST_F(SecondFactor, LIM_6_ALockTellsWhenToComeAgain) {
    first_step();
    Answer told;
    for (int i = 0; i < 8 && told.status != 429; ++i) {
        if (told.status != 0 && told.status != 401) first_step();
        told = browser.send("/login/verify", {{"code", "00000" + std::to_string(i)}});
    }
    ASSERT_EQ(told.status, 429) << told.body;
    ASSERT_TRUE(told.headers.contains("retry-after"));
    EXPECT_GE(std::stoi(told.headers.at("retry-after")), 200);
}

TEST_F(SecondFactor, BelongsToTheBrowserThatBegan) {
    first_step();
    Browser other(service);
    other.open("/login");
    other.cookies[step_cookie] = browser.cookies.at(step_cookie);
    EXPECT_EQ(other.open("/login/verify").headers.at("location"), "/login");
    EXPECT_EQ(other.send("/login/verify", {{"code", service.next_code(person)}}).headers.at("location"),
              "/login?step=over");
    EXPECT_FALSE(other.is_logged_in());
    EXPECT_EQ(browser.send("/login/verify", {{"code", service.next_code(person)}}).status, 303);
}

TEST_F(SecondFactor, WithoutAFirstStepThereIsNothingToConfirm) {
    EXPECT_EQ(browser.open("/login/verify?return=%2Faccount").headers.at("location"), "/login?return=%2Faccount");
    browser.open("/login");
    EXPECT_EQ(browser.send("/login/verify", {{"code", service.next_code(person)}}).headers.at("location"),
              "/login?step=over");
    browser.cookies[step_cookie] = "AAAA";
    EXPECT_EQ(browser.open("/login/verify").headers.at("location"), "/login");
}

TEST_F(SecondFactor, EndsAfterFiveMinutes) {
    first_step();
    service.pass(std::chrono::minutes{5});
    const Answer late = browser.send("/login/verify", {{"code", service.next_code(person)}});
    EXPECT_EQ(late.headers.at("location"), "/login?step=over");
    EXPECT_THAT(browser.open("/login?step=over").body, HasSubstr("Your login took too long"));
}

// A challenge of the API yields tokens, one of a page a cookie.
TEST_F(SecondFactor, TheTwoKindsOfLoginDoNotMix) {
    first_step();
    const std::string api_challenge = service.challenge_of(person);
    EXPECT_EQ(service.verify(api_challenge, service.next_code(person)).status, 200);
    EXPECT_EQ(browser.send("/login/verify", {{"code", service.next_code(person)}}).status, 303);
    EXPECT_TRUE(browser.is_logged_in());
}

TEST(LoginPages, ASwitchedOffLoginSaysSo) {
    Service service({{"FEATURE_FLAG_CACHE_TTL_MS", "0"}});
    Browser browser(service);
    browser.open("/login");
    service.sql("UPDATE feature_flags SET is_enabled = FALSE WHERE key = 'loginWithCredential'");
    const Answer refused = browser.send("/login", {{"email", "a@example.org"}, {"password", "x"}});
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("<h1>This feature is turned off</h1>"));
    EXPECT_THAT(refused.body, Not(HasSubstr("We are not available right now"))) << "it is no outage";
    const Answer page = browser.open("/login");
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.body, HasSubstr("This feature is turned off at the moment."));
    EXPECT_THAT(page.body, Not(HasSubstr("action=\"/login\"")));
}

TEST(LoginPages, NoPageOffersAFormThatIsSwitchedOff) {
    Service service({{"FEATURE_FLAG_CACHE_TTL_MS", "0"}});
    Browser browser(service);
    Browser account(service);
    account.log_in(service.make_person());
    const auto is_offered = [](Browser& by, const std::string& path) {
        const Answer page = by.open(path);
        EXPECT_EQ(page.status, 200) << path;
        const bool says_off = page.body.contains("This feature is turned off at the moment.");
        EXPECT_NE(says_off, page.body.contains("action=\"" + path + "\"")) << path;
        return !says_off;
    };
    const auto leads_to = [](Browser& by, const std::string& page, const std::string& path) {
        return by.open(page).body.contains("href=\"" + path);
    };
    const auto are_offered = [&](bool expected) {
        for (const std::string path : {"/sign-up", "/forgot-password", "/forgot-password/x"})
            EXPECT_EQ(is_offered(browser, path), expected) << path;
        EXPECT_EQ(is_offered(account, "/change-password"), expected);
        for (const std::string path : {"/sign-up", "/forgot-password"})
            EXPECT_EQ(leads_to(browser, "/login", path), expected) << path;
        EXPECT_EQ(leads_to(browser, "/", "/sign-up"), expected);
        EXPECT_EQ(leads_to(account, "/account", "/change-password"), expected);
    };
    are_offered(true);
    service.sql("UPDATE feature_flags SET rollout_percent = 0");
    EXPECT_FALSE(is_offered(account, "/change-password")) << "outside the rollout";
    service.sql("UPDATE feature_flags SET is_enabled = FALSE");
    are_offered(false);
}

TEST(LoginPages, AWrongBackupCodeLeavesItsFieldOpen) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    Browser browser(service);
    browser.log_in(person);
    EXPECT_THAT(browser.open("/login/verify").body, HasSubstr("<details >"));
    const Answer wrong = browser.send("/login/verify", {{"code", ""}, {"backupCode", "ABCDEFGHIJ"}});
    EXPECT_GE(wrong.status, 400U);
    EXPECT_THAT(wrong.body, HasSubstr("<details open >"));
}

}  // namespace
}  // namespace consentry::tests
