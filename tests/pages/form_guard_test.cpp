// Forms come from our own pages, from the browser for which the page was made.
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/support/browser.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Browser::Fields right_login(const Person& person) { return {{"email", person.email}, {"password", person.password}}; }

TEST(FormGuard, AFormOfAnotherSiteIsRefused) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    const std::vector<Headers> foreign{
        {{"Sec-Fetch-Site", "cross-site"}},
        {{"Sec-Fetch-Site", "same-site"}},
        {{"Sec-Fetch-Site", "none"}},
        {{"Sec-Fetch-Site", "same-origin"}, {"Origin", "https://evil.example"}},
        {{"Sec-Fetch-Site", "same-origin"}, {"Origin", "http://localhost:1"}},
        {{"Sec-Fetch-Site", ""}, {"Origin", "https://evil.example"}},
        {{"Sec-Fetch-Site", ""}, {"Origin", "null"}},
        {{"Sec-Fetch-Site", ""}, {"Origin", ""}},
    };
    for (const Headers& headers : foreign) {
        const Answer answer = browser.send("/login", right_login(person), headers);
        EXPECT_EQ(answer.status, 403) << headers[0].second << " " << headers.back().second;
        EXPECT_THAT(answer.body, HasSubstr("This form was not sent from one of our pages."));
        EXPECT_THAT(answer.body, Not(HasSubstr(person.email)));
    }
    EXPECT_FALSE(browser.is_logged_in());
    browser.open("/login");
    EXPECT_EQ(
        browser.send("/login", right_login(person), {{"Sec-Fetch-Site", ""}, {"Origin", "http://localhost"}}).status,
        303)
        << "older browsers name the origin";
}

TEST(FormGuard, TheOriginIsThatOfThePublicUrl) {
    Service service({{"PUBLIC_URL", "https://Login.example.com:443"}});
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    for (const char* origin : {"http://localhost", "https://example.com", "http://login.example.com"})
        EXPECT_EQ(browser.send("/login", right_login(person), {{"Origin", origin}}).status, 403) << origin;
    EXPECT_EQ(browser.send("/login", right_login(person), {{"Origin", "https://login.example.com"}}).status, 303);
}

TEST(FormGuard, AFormWithoutItsTokenHasNoEffect) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    Browser other(service);
    other.open("/login");
    ASSERT_NE(browser.token, other.token);
    for (const std::string& token : {std::string(), std::string("x"), other.token, browser.token + "A"}) {
        Browser::Fields fields = right_login(person);
        fields.emplace_back("csrf", token);
        const Answer answer = browser.send_bare("/login", fields);
        EXPECT_EQ(answer.status, 403) << token;
        EXPECT_THAT(answer.body, HasSubstr("This page was open for too long"));
    }
    Browser::Fields twice = right_login(person);
    twice.emplace_back("csrf", browser.token);
    twice.emplace_back("csrf", browser.token);
    EXPECT_EQ(browser.send_bare("/login", twice).status, 403);
    EXPECT_EQ(browser.send_bare("/login", right_login(person)).status, 403);
    EXPECT_FALSE(browser.is_logged_in());
}

TEST(FormGuard, AnExpiredFormKeepsWhatWasTypedExceptSecrets) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    browser.cookies.erase(visitor_cookie);
    browser.open("/");  // as after the end of the browser: a new cookie
    browser.token = "of the page that was left open";
    const Answer answer = browser.send("/login", right_login(person));
    EXPECT_EQ(answer.status, 403);
    EXPECT_THAT(answer.body, HasSubstr("value=\"" + person.email + "\""));
    EXPECT_THAT(answer.body, Not(HasSubstr(person.password)));
    EXPECT_EQ(browser.send("/login", right_login(person)).status, 303) << "the page that was shown has a new token";
}

constexpr const char* was_open_too_long = "This page was open for too long, or you logged in or out in another tab.";

TEST(FormGuard, AButtonOfBeforeALoginInAnotherTabLeadsToWhereItWorksAndSaysSo) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    const std::string before = browser.token;
    browser.log_in(person);
    for (const auto& [action, page] : std::map<std::string, std::string>{
             {"/logout", "/account"},
             {"/account/sessions/end", "/account/sessions"},
             {"/account/sessions/end-others", "/account/sessions"},
             {"/account/consents/withdraw", "/account/consents"},
             {"/account/consents/record", "/account/consents"},
             {"/account/data/export", "/account/data"},
         }) {
        browser.token = before;
        const Answer answer = browser.send(action, {});
        EXPECT_EQ(answer.status, 303) << action;
        EXPECT_EQ(answer.headers.at("location"), page) << action;
        EXPECT_THAT(browser.open(page).body, HasSubstr(was_open_too_long)) << action;
        EXPECT_THAT(browser.open(page).body, Not(HasSubstr(was_open_too_long))) << action << ": said once";
    }
    EXPECT_TRUE(browser.is_logged_in());
}

// The form's page has nothing to show any more, and leads on.
TEST(FormGuard, AFormOfBeforeALoginInAnotherTabSaysSoWhereItsPageLeads) {
    Service& service = suite_service();
    const Person una = service.make_person();
    const Person hal = service.make_person();
    Browser browser(service);
    browser.open("/login");
    const std::string before = browser.token;
    browser.log_in(una);
    for (const char* form : {"/login", "/login/verify", "/sign-up"}) {
        browser.token = before;
        const Answer answer = browser.send(form, right_login(hal));
        EXPECT_EQ(answer.headers.at("location"), "/account") << form;
        const Answer account = browser.open("/account");
        EXPECT_THAT(account.body, HasSubstr(una.email)) << form;
        EXPECT_THAT(account.body, HasSubstr(was_open_too_long)) << form;
    }
}

TEST(FormGuard, APageThatWasOpenOverARestartStillWorks) {
    Service service;
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    service.restart();
    EXPECT_EQ(browser.send("/login", right_login(person)).status, 303);
    browser.open("/account");
    service.restart();
    EXPECT_EQ(browser.send("/logout", {}).headers.at("location"), "/");
}

TEST(FormGuard, ALoginThatIsSentTwiceLeadsOnAndBeginsOneSession) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    const std::string token = browser.token;
    EXPECT_EQ(browser.send("/login", right_login(person)).status, 303);
    browser.token = token;
    const Answer again = browser.send("/login", right_login(person));
    EXPECT_EQ(again.status, 303);
    EXPECT_EQ(again.headers.at("location"), "/account");
    EXPECT_EQ(service.sql("SELECT count(*) FROM sessions WHERE user_id = '" + person.id.text() + "'")[0][0], "1");
}

TEST(FormGuard, WithoutCookiesThePageSaysSo) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    browser.cookies.clear();
    const Answer answer = browser.send("/login", right_login(person));
    EXPECT_EQ(answer.status, 403);
    EXPECT_THAT(answer.body, HasSubstr("Please allow cookies"));
    EXPECT_FALSE(answer.body.contains(person.password));
}

TEST(FormGuard, ABodyThatIsNoFormIsRefused) {
    Service& service = suite_service();
    Browser browser(service);
    browser.open("/login");
    const auto status = [&](const std::string& body, const std::string& type) {
        return HttpClient(service.port())
            .call("POST", "/login", body,
                  {{"Content-Type", type},
                   {"Cookie", visitor_cookie + "=" + browser.cookies.at(visitor_cookie)},
                   {"Sec-Fetch-Site", "same-origin"}})
            .status;
    };
    const std::string form = "application/x-www-form-urlencoded";
    EXPECT_EQ(status("{}", "application/json"), 415);
    EXPECT_EQ(status("a=b", "text/plain"), 415);
    EXPECT_EQ(status("a=b", form + "; charset=utf-16"), 415);
    EXPECT_EQ(status("a=b", form + "; charset=UTF-8"), 403) << "a form, without a token";
    for (const char* body : {"a", "=b", "a=b&", "&a=b", "a=b&&c=d", "a=b=c", "a=%", "a=%zz", "a=%ff", "a=%00", "a=b c",
                             "a=\xc3\xa4", "a=b\r\n"})
        EXPECT_EQ(status(body, form), 400) << body;
    EXPECT_EQ(status("email=" + std::string(1'100'000, 'a'), form), 413);
}

// Pages are for their own origin alone, whichever origins may use the API.
TEST(FormGuard, NoOtherOriginMayReadAPage) {
    Service service({{"CORS_ALLOWED_ORIGIN", "app.example.com"}});
    Browser browser(service);
    const Headers foreign{{"Origin", "https://app.example.com"}, {"Sec-Fetch-Site", "same-site"}};
    for (const char* path : {"/", "/login", "/account"}) {
        const Answer answer = browser.open(path, foreign);
        EXPECT_FALSE(answer.headers.contains("access-control-allow-origin")) << path;
    }
    EXPECT_TRUE(service.get("/api/hello", foreign).headers.contains("access-control-allow-origin"));
}

TEST(FormGuard, EveryFormOfEveryPageIsGuarded) {
    Service& service = suite_service();
    int forms = 0;
    for (const auto& page : service.app().router().pages()) {
        if (page->method == http::Method::get) continue;
        ++forms;
        ASSERT_EQ(page->method, http::Method::post) << page->id;
        const std::string path = page->paths.front();
        Browser browser(service);
        browser.open("/login");
        EXPECT_EQ(browser.send(path, {}, {{"Sec-Fetch-Site", "cross-site"}}).status, 403) << path;
        const Answer bare = browser.send_bare(path, {{"x", "y"}});
        EXPECT_TRUE(bare.status == 403 || (bare.status == 303 && bare.headers.at("location").starts_with("/login")))
            << path << " " << bare.status;
    }
    EXPECT_GE(forms, 3);
}

}  // namespace
}  // namespace consentry::tests
