// /account/two-factor, and the fresh proof that it asks for.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/support/browser.hpp"
#include "tests/support/calls/factor_calls.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::minutes stale{6};

class AccountSecurity : public ::testing::Test {
protected:
    Service& service = suite_service();
    Person person = service.make_person();
    Browser browser{service};

    void SetUp() override { browser.log_in(person); }

    // Begins a set-up; learns the secret from the page, as an authenticator app does.
    Answer begin() {
        browser.open("/account/two-factor/start");
        EXPECT_EQ(browser.send("/account/two-factor/start", {}).headers.at("location"), "/account/two-factor/confirm");
        Answer page = browser.open("/account/two-factor/confirm");
        const std::string mark = "<code class=\"secret\">";
        const auto at = page.body.find(mark) + mark.size();
        person.secret = page.body.substr(at, page.body.find('<', at) - at);
        std::erase(person.secret, ' ');
        return page;
    }
    static std::vector<std::string> codes_of(const Answer& page) {
        std::vector<std::string> out;
        const std::string mark = "<li><code>";
        for (auto at = page.body.find(mark); at != std::string::npos; at = page.body.find(mark, at + 1))
            out.push_back(page.body.substr(at + mark.size(), page.body.find('<', at + mark.size()) - at - mark.size()));
        return out;
    }
    std::vector<std::string> turn_on() {
        begin();
        return codes_of(browser.send("/account/two-factor/confirm", {{"code", service.code(person)}}));
    }
};

TEST_F(AccountSecurity, SensitivePagesAskForAFreshProof) {
    EXPECT_EQ(browser.open("/account/two-factor/start").status, 200) << "a login is one";
    service.pass(stale);
    EXPECT_EQ(browser.open("/account/two-factor/start").headers.at("location"),
              "/login/confirm?return=%2Faccount%2Ftwo-factor%2Fstart");
    browser.open("/login/confirm?return=%2Faccount%2Ftwo-factor%2Fstart");
    const Answer wrong = browser.send("/login/confirm", {{"password", "Wrong-Harbor-42"}});
    EXPECT_EQ(wrong.status, 400);
    EXPECT_THAT(wrong.body, Not(HasSubstr("Wrong-Harbor-42")));
    EXPECT_THAT(wrong.body, HasSubstr("The current password is incorrect."));
    EXPECT_THAT(wrong.body, Not(HasSubstr("email or password"))) << "the page asks for no address";
    const std::string before = browser.cookies.at(session_cookie);
    const Answer right =
        browser.send("/login/confirm", {{"password", person.password}, {"return", "/account/two-factor/start"}});
    EXPECT_EQ(right.headers.at("location"), "/account/two-factor/start");
    EXPECT_NE(browser.cookies.at(session_cookie), before);
    EXPECT_EQ(browser.open("/account/two-factor/start").status, 200);
    browser.cookies[session_cookie] = before;
    EXPECT_FALSE(browser.is_logged_in()) << "a copied cookie gains nothing";
}

TEST_F(AccountSecurity, AConfirmationLeadsToSafePlacesOnly) {
    service.pass(stale);
    browser.open("/login/confirm?return=https%3A%2F%2Fevil.example");
    EXPECT_EQ(browser.send("/login/confirm", {{"password", person.password}, {"return", "https://evil.example"}})
                  .headers.at("location"),
              "/account");
}

TEST_F(AccountSecurity, TwoFactorIsTurnedOnByACodeOfTheShownSecret) {
    Browser other(service);
    other.log_in(person);
    const Answer page = begin();
    EXPECT_THAT(page.body, HasSubstr("<svg"));
    EXPECT_EQ(person.secret.size(), 32U);
    const Answer wrong = browser.send("/account/two-factor/confirm", {{"code", "000000"}});
    EXPECT_EQ(wrong.status, 401);
    EXPECT_THAT(wrong.body, HasSubstr("This code is incorrect."));
    EXPECT_THAT(wrong.body, HasSubstr("<svg")) << "the picture is still there";
    const Answer right = browser.send("/account/two-factor/confirm", {{"code", service.code(person)}});
    EXPECT_EQ(right.status, 200);
    const auto codes = codes_of(right);
    ASSERT_EQ(codes.size(), 8U);
    EXPECT_FALSE(browser.cookies.contains(step_cookie)) << "the secret is gone from the browser";
    EXPECT_FALSE(other.is_logged_in());
    EXPECT_TRUE(browser.is_logged_in());
    const Answer overview = browser.open("/account/two-factor");
    EXPECT_THAT(overview.body, HasSubstr("It is on."));
    for (const char* path : {"/account/two-factor", "/account/two-factor/confirm", "/account/two-factor/codes"})
        EXPECT_THAT(browser.open(path).body, Not(HasSubstr(codes.front()))) << path << " shows a code again";
}

TEST_F(AccountSecurity, ASecondClickOnTurningOnDoesNoHarm) {
    begin();
    const auto cookies = browser.cookies;
    const Browser::Fields code{{"code", service.code(person)}};
    EXPECT_EQ(browser.send("/account/two-factor/confirm", code).status, 200);
    browser.cookies = cookies;
    EXPECT_EQ(browser.send("/account/two-factor/confirm", code).headers.at("location"), "/account/two-factor");
}

TEST_F(AccountSecurity, TheSecretOpensInNoOtherBrowser) {
    begin();
    Browser other(service);
    other.log_in(person);
    other.cookies[step_cookie] = browser.cookies.at(step_cookie);
    EXPECT_EQ(other.open("/account/two-factor/confirm").headers.at("location"), "/account/two-factor");
}

TEST_F(AccountSecurity, NewBackupCodesReplaceTheOldOnes) {
    const auto old = turn_on();
    service.pass(stale);
    EXPECT_EQ(browser.open("/account/two-factor/codes").headers.at("location"),
              "/login/confirm?return=%2Faccount%2Ftwo-factor%2Fcodes");
    browser.open("/login/confirm");
    EXPECT_EQ(browser.send("/login/confirm", {{"password", person.password}}).status, 400)
        << "a password is not enough";
    browser.open("/login/confirm");
    EXPECT_EQ(browser.send("/login/confirm", {{"code", service.next_code(person)}}).status, 303);
    browser.open("/account/two-factor/codes");
    const auto fresh = codes_of(browser.send("/account/two-factor/codes", {}));
    ASSERT_EQ(fresh.size(), 8U);
    EXPECT_EQ(std::ranges::find(fresh, old.front()), fresh.end());
    browser.open("/account/two-factor/off");
    EXPECT_EQ(browser.send("/account/two-factor/off", {{"code", ""}, {"backupCode", old.front()}}).status, 401);
    EXPECT_EQ(
        browser.send("/account/two-factor/off", {{"code", ""}, {"backupCode", fresh.front()}}).headers.at("location"),
        "/account/two-factor");
    EXPECT_THAT(browser.open("/account/two-factor").body, HasSubstr("It is off."));
}

}  // namespace
}  // namespace consentry::tests
