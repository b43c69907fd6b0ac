// /account and pages below it: profile, sessions, own data, deletion.
#include <set>

#include <gmock/gmock.h>

#include "tests/support/browser.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/calls/role_calls.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string> shown{"/account",          "/account/profile",  "/account/two-factor",
                                     "/account/sessions", "/account/consents", "/account/data"};

// The value of a hidden field, of the last of its kind on the page.
std::string last_hidden(const std::string& page, const std::string& name) {
    const std::string mark = "name=\"" + name + "\" value=\"";
    const auto at = page.rfind(mark);
    if (at == std::string::npos) return {};
    return page.substr(at + mark.size(), page.find('"', at + mark.size()) - at - mark.size());
}

// The values of the options that a page selects.
std::vector<std::string> selected(const std::string& page) {
    std::vector<std::string> out;
    const std::string mark = "<option value=\"";
    for (auto at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) {
        const std::string option = page.substr(at, page.find('>', at) - at);
        if (option.ends_with(" selected "))
            out.push_back(option.substr(mark.size(), option.find('"', mark.size()) - mark.size()));
    }
    return out;
}

TEST(AccountArea, BelongToWhoIsLoggedIn) {
    Service& service = suite_service();
    Browser browser(service);
    for (const std::string& path : shown) EXPECT_EQ(browser.open(path).status, 303) << path;
    EXPECT_EQ(browser.open("/account/profile").headers.at("location"), "/login?return=%2Faccount%2Fprofile");
    browser.log_in(service.make_person());
    for (const std::string& path : shown) EXPECT_EQ(browser.open(path).status, 200) << path;
    browser.open("/account");
    browser.send("/logout", {});
    for (const std::string& path : shown) EXPECT_EQ(browser.open(path).status, 303) << path;
}

TEST(AccountArea, CannotBeKeptByABrowser) {
    Service& service = suite_service();
    Browser browser(service);
    browser.log_in(service.make_person());
    for (const std::string& path : shown) EXPECT_EQ(browser.open(path).headers.at("cache-control"), "no-store") << path;
}

// What is typed, wherever it is typed, never becomes markup.
TEST(AccountArea, ShowWhatWasTypedAsText) {
    Service& service = suite_service();
    Browser browser(service);
    browser.log_in(service.make_person());
    const std::string markup = R"("><script>alert('1')</script><b a=')";
    const std::vector<std::pair<std::string, std::vector<std::string>>> forms{
        {"/account/profile", {"mailLanguage", "gender"}},
        {"/account/data", {"email", "code", "backupCode", "method"}},
        {"/account/two-factor/start", {}},
        {"/account/sessions/end", {"session"}},
        {"/account/consents/withdraw", {"policy"}},
        {"/account/consents/record", {"acceptance"}}};
    for (const auto& [path, names] : forms)
        for (const std::string& name : names) {
            browser.open("/account");
            Browser::Fields fields;
            for (const std::string& other : names) fields.emplace_back(other, other == name ? markup : "");
            const Answer answer = browser.send(path, fields);
            EXPECT_GE(answer.status, 400U) << path << " " << name;
            EXPECT_THAT(answer.body, Not(HasSubstr("<script"))) << path << " " << name;
            EXPECT_THAT(answer.body, Not(HasSubstr("<b a"))) << path << " " << name;
        }
    browser.open("/account/profile");
    const Answer again = browser.send("/account/profile", {{"name", "<b>Ada</b>"}, {"mailLanguage", "xx"}});
    EXPECT_EQ(again.status, 422);
    EXPECT_THAT(again.body, HasSubstr("value=\"&lt;b&gt;Ada&lt;/b&gt;\""));
    EXPECT_EQ(browser.send("/account/profile", {{"name", "<b>Ada</b>"}, {"mailLanguage", "en"}, {"gender", ""}}).status,
              303);
    EXPECT_THAT(browser.open("/account").body, HasSubstr("&lt;b&gt;Ada&lt;/b&gt;"));
    EXPECT_THAT(browser.open("/account/profile").body, HasSubstr("value=\"&lt;b&gt;Ada&lt;/b&gt;\""));
}

TEST(AccountArea, TheProfileIsThatOfTheApi) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    browser.open("/account/profile");
    const Answer saved =
        browser.send("/account/profile", {{"name", "Ada Lovelace"}, {"mailLanguage", "de"}, {"gender", "female"}});
    EXPECT_EQ(saved.headers.at("location"), "/account");
    EXPECT_THAT(browser.open("/account").body, HasSubstr("Your changes have been saved."));
    EXPECT_THAT(browser.open("/account").body, Not(HasSubstr("Your changes"))) << "it is said once";
    const Answer profile = service.get("/api/shared/user/profile", bearer(service.tokens_of(person).access));
    EXPECT_EQ(profile.text("data.name"), "Ada Lovelace");
    EXPECT_EQ(profile.text("data.language"), "de");
    EXPECT_EQ(profile.text("data.gender"), "female");
    const Answer page = browser.open("/account/profile");
    EXPECT_THAT(page.body, HasSubstr(R"(<option value="de" lang="de" selected )"));
    EXPECT_EQ(browser.send("/account/profile", {{"name", "A"}, {"mailLanguage", "xx"}}).status, 422);
}

TEST(AccountArea, TheProfileKeepsWhatWasChosenIfItIsShownAgain) {
    Browser browser(suite_service());
    browser.log_in(suite_service().make_person());
    browser.open("/account/profile");
    browser.token = "of a page that was open for too long";
    const Answer expired =
        browser.send("/account/profile", {{"name", "Ada"}, {"mailLanguage", "de"}, {"gender", "female"}});
    EXPECT_EQ(expired.status, 403);
    const Answer wrong =
        browser.send("/account/profile", {{"name", "A\nB"}, {"mailLanguage", "fr"}, {"gender", "male"}});
    EXPECT_EQ(wrong.status, 422);
    EXPECT_THAT(selected(expired.body), ElementsAre("de", "female"));
    EXPECT_THAT(selected(wrong.body), ElementsAre("fr", "male"));

    browser.open("/account/profile");
    browser.send("/account/profile", {{"name", "Ada"}, {"mailLanguage", "es"}, {"gender", "female"}});
    browser.open("/account/profile");
    const Answer unknown = browser.send("/account/profile", {{"name", "Ada"}, {"mailLanguage", "xx"}, {"gender", "x"}});
    EXPECT_EQ(unknown.status, 422);
    EXPECT_THAT(selected(unknown.body), ElementsAre("es", "female")) << "what is stored, instead of nothing";
}

TEST(AccountArea, ALanguageThatIsNoLongerOfferedStaysTheChosenOne) {
    Service service({{"MESSAGE_AVAILABLE_LANGUAGE", "de,fr"}, {"APP_LANGUAGE", "de"}});
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const std::string page = browser.open("/account/profile").body;
    EXPECT_THAT(page, HasSubstr(R"(<option value="de")"));
    EXPECT_THAT(page, HasSubstr(R"(<option value="fr")"));
    EXPECT_THAT(page, Not(HasSubstr(R"(<option value="es")"))) << "neither offered nor chosen";
    EXPECT_THAT(selected(page), ElementsAre("en"));
}

// Anyone can make an address or a link.
TEST(AccountArea, NoAddressSaysWhatHasHappened) {
    Service& service = suite_service();
    Browser browser(service);
    browser.log_in(service.make_person());
    for (const char* path : {"/account?done=profile", "/account/two-factor?done=twoFactorOff",
                             "/account/sessions?done=sessions", "/account/consents?done=withdrawn"})
        EXPECT_THAT(browser.open(path).body, Not(HasSubstr("role=\"status\""))) << path;
    browser.cookies[note_cookie] = "<b>";
    EXPECT_THAT(browser.open("/account").body, Not(HasSubstr("role=\"status\"")));
    EXPECT_EQ(browser.open("/account/deleted").headers.at("location"), "/account") << "this account exists";
}

TEST(SessionPages, OneSessionEndsAtTheNextRequest) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser phone(service);
    phone.log_in(person);
    service.pass(std::chrono::seconds{1});
    Browser browser(service);
    browser.log_in(person);
    const Answer list = browser.open("/account/sessions");
    EXPECT_THAT(list.body, HasSubstr("This session"));
    EXPECT_THAT(list.body, HasSubstr("127.0.0.1"));
    const std::string other = last_hidden(list.body, "session");
    EXPECT_EQ(browser.send("/account/sessions/end", {{"session", other}}).headers.at("location"), "/account/sessions");
    EXPECT_THAT(browser.open("/account/sessions").body, HasSubstr("The session has ended."));
    EXPECT_FALSE(phone.is_logged_in());
    browser.open("/account/sessions");
    EXPECT_EQ(browser.send("/account/sessions/end", {{"session", other}}).status, 303) << "a second click is harmless";
    EXPECT_TRUE(browser.is_logged_in());
}

TEST(SessionPages, ADeviceWithoutANameIsKnownByItsProgram) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Answer login = service.call("POST", "/api/user/login/credential",
                                      json::serialize(json::object{{"email", person.email},
                                                                   {"password", person.password},
                                                                   {"from", "mobile"},
                                                                   {"device", {{"fingerprint", "a"}, {"name", ""}}}}),
                                      {{"User-Agent", "curl/8.0"}});
    ASSERT_EQ(login.status, 200U) << login.body;
    Browser browser(service);
    browser.log_in(person);
    EXPECT_THAT(browser.open("/account/sessions").body,
                AllOf(HasSubstr("<strong>curl"), HasSubstr("aria-label=\"End: curl, ")));
}

TEST(SessionPages, TheOldestOfManySessionsCanBeEnded) {
    Service service({{"SESSION_MAX_PER_USER", "200"}});
    const Person person = service.make_person();
    Browser oldest(service);
    oldest.log_in(person);
    service.pass(std::chrono::seconds{1});
    for (int i = 0; i < 100; ++i) service.tokens_of(person);
    service.pass(std::chrono::seconds{1});
    Browser browser(service);
    browser.log_in(person);
    std::string page = browser.open("/account/sessions").body;
    EXPECT_THAT(page, HasSubstr("This session"));
    std::set<std::string> found;
    const std::string mark = "href=\"/account/sessions?";
    for (int pages = 1;; ++pages) {
        ASSERT_LE(pages, 102);
        EXPECT_THAT(page, HasSubstr("end-others"));
        const std::string field = "name=\"session\" value=\"";
        for (auto at = page.find(field); at != std::string::npos; at = page.find(field, at + 1))
            found.insert(page.substr(at + field.size(), page.find('"', at + field.size()) - at - field.size()));
        const auto at = page.find(mark);
        if (at == std::string::npos) break;
        std::string older = page.substr(at + 6, page.find('"', at + 6) - at - 6);
        older.replace(older.find("&amp;"), 5, "&");
        page = browser.open(older).body;
    }
    EXPECT_EQ(found.size(), 101U);
    EXPECT_EQ(browser.send("/account/sessions/end", {{"session", last_hidden(page, "session")}}).status, 303);
    EXPECT_FALSE(oldest.is_logged_in());
    EXPECT_THAT(browser.open("/account/sessions?at=x&after=y").body, HasSubstr("This session"));
}

TEST(SessionPages, ASessionOfAnotherAccountCannotBeEnded) {
    Service& service = suite_service();
    const Person victim = service.make_person();
    Browser target(service);
    target.log_in(victim);
    service.pass(std::chrono::seconds{1});
    Browser second(service);
    second.log_in(victim);
    const std::string session = last_hidden(second.open("/account/sessions").body, "session");
    ASSERT_NE(session, "");
    Browser attacker(service);
    attacker.log_in(service.make_person());
    attacker.open("/account/sessions");
    attacker.send("/account/sessions/end", {{"session", session}});
    EXPECT_TRUE(target.is_logged_in());
    EXPECT_TRUE(second.is_logged_in());
}

TEST(SessionPages, AllOthersEndTogether) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Person stranger = service.make_person();
    Browser phone(service);
    phone.log_in(person);
    Browser unconcerned(service);
    unconcerned.log_in(stranger);
    const TokenTexts tokens = service.tokens_of(person);
    Browser browser(service);
    browser.log_in(person);
    browser.open("/account/sessions");
    EXPECT_EQ(browser.send("/account/sessions/end-others", {}).headers.at("location"), "/account/sessions");
    EXPECT_THAT(browser.open("/account/sessions").body, HasSubstr("All other sessions have ended."));
    EXPECT_FALSE(phone.is_logged_in());
    EXPECT_EQ(service.get("/api/shared/user/profile", bearer(tokens.access)).status, 401);
    EXPECT_TRUE(browser.is_logged_in());
    EXPECT_TRUE(unconcerned.is_logged_in());
    EXPECT_THAT(browser.open("/account/sessions").body, Not(HasSubstr("end-others")));
    EXPECT_EQ(service
                  .sql("SELECT id FROM activity_log WHERE action = 'userRevokeAllSessions' AND user_id = '" +
                       person.id.text() + "'")
                  .size(),
              1U);
}

// The person who began one has the password.
TEST(CHL_4, TheEndOfAllOtherSessionsEndsLoginsInProgress) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    Browser browser(service);
    browser.log_in_with_code(person, service.next_code(person));
    const std::string challenge = service.challenge_of(person);
    browser.open("/account/sessions");
    EXPECT_EQ(browser.send("/account/sessions/end-others", {}).status, 303);
    const Answer late = service.verify(challenge, service.next_code(person));
    EXPECT_EQ(late.status, 401U) << late.body;
    EXPECT_EQ(late.code_name(), "twoFactorChallengeInvalid");
    EXPECT_TRUE(browser.is_logged_in());
    EXPECT_EQ(service.live_sessions(person), 1U);
}

// The session's cookie is renewed in another tab. No button of the first one may lead to a page without a way on.
TEST(AccountPages, AButtonOfAnExpiredPageLeadsBackToItsPage) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const std::vector<std::pair<std::string, std::string>> buttons{
        {"/logout", "/account"},
        {"/account/sessions/end-others", "/account/sessions"},
        {"/account/data/export", "/account/data"},
    };
    for (const auto& [button, page] : buttons) {
        browser.open(page);
        browser.token = "outdated";
        const Answer answer = browser.send(button, {});
        EXPECT_EQ(answer.status, 303) << button;
        EXPECT_THAT(answer.headers.at("location"), StartsWith(page)) << button;
        EXPECT_TRUE(browser.is_logged_in());
    }
}

TEST(DataPages, TheExportIsAFile) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    browser.open("/account/data");
    const Answer file = browser.send("/account/data/export", {});
    EXPECT_EQ(file.status, 200);
    EXPECT_EQ(file.headers.at("content-disposition"), "attachment; filename=account-" + person.id.text() + ".json");
    EXPECT_EQ(file.headers.at("content-type"), "application/json; charset=utf-8");
    EXPECT_EQ(file.headers.at("cache-control"), "no-store");
    EXPECT_THAT(file.body, HasSubstr(person.email));
    const Answer bare = browser.send_bare("/account/data/export", {});
    EXPECT_EQ(bare.status, 303) << "not without the token of the form";
    EXPECT_THAT(bare.headers.at("location"), StartsWith("/account/data"));
}

TEST(DataPages, TheAccountIsDeletedByItsTypedAddress) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    browser.open("/account/data");
    const Answer wrong = browser.send("/account/data", {{"email", "somebody@example.org"}});
    EXPECT_EQ(wrong.status, 422);
    EXPECT_THAT(wrong.body, HasSubstr("please type the address of this account."));
    EXPECT_TRUE(browser.is_logged_in());
    browser.open("/account/data");
    const Answer deleted = browser.send("/account/data", {{"email", person.email}});
    EXPECT_EQ(deleted.headers.at("location"), "/account/deleted");
    EXPECT_FALSE(browser.cookies.contains(session_cookie));
    EXPECT_THAT(browser.open("/account/deleted").body, HasSubstr("Your account has been deleted"));
    expect_refused(service.log_in(person), errors::password_not_match);
}

TEST(DataPages, TheDeletionTakesACodeWhileTwoFactorIsOn) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    Browser browser(service);
    browser.log_in_with_code(person, service.next_code(person));
    browser.open("/account/data");
    const Answer without = browser.send("/account/data", {{"email", person.email}, {"code", ""}, {"backupCode", ""}});
    EXPECT_GE(without.status, 400U);
    EXPECT_TRUE(browser.is_logged_in());
    browser.open("/account/data");
    EXPECT_EQ(browser.send("/account/data", {{"email", person.email}, {"code", service.next_code(person)}}).status,
              303);
    EXPECT_FALSE(browser.is_logged_in());
}

TEST(DataPages, AnAdministratorIsDeletedByAnotherOnly) {
    Service& service = suite_service();
    const Person admin = service.make_person(Role::admin);
    Browser browser(service);
    browser.log_in(admin);
    EXPECT_THAT(browser.open("/account/data").body, Not(HasSubstr("name=\"email\"")));
    EXPECT_EQ(browser.send("/account/data", {{"email", admin.email}}).status, 403);
    EXPECT_TRUE(browser.is_logged_in());
}

}  // namespace
}  // namespace consentry::tests
