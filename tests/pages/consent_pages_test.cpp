// /accept: the text that is shown is the text that is accepted.
#include <algorithm>

#include <gmock/gmock.h>

#include "base/percent_encoding.hpp"
#include "tests/pages/consent_visitor.hpp"
#include "tests/support/log_support.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ConsentPages, TheAccountOpensOnceEverythingIsAccepted) {
    ConsentVisitor it;
    EXPECT_TRUE(it.browser.is_logged_in()) << "nothing is published";
    it.desk.published("termsOfService", 1, {{"en", "# Terms\n\nBe *kind*. <script>alert(1)</script>\n"}});
    it.desk.published("privacy", 1, {{"en", "We keep little."}, {"de", "Wir speichern wenig."}});
    EXPECT_EQ(it.browser.open("/account").headers.at("location"), "/accept?return=%2Faccount");
    const Answer terms = it.browser.open("/accept?return=%2Faccount");
    EXPECT_EQ(terms.status, 200);
    EXPECT_THAT(terms.body, HasSubstr("Terms of service"));
    EXPECT_THAT(terms.body, HasSubstr("<em>kind</em>"));
    EXPECT_THAT(terms.body, Not(HasSubstr("<script")));
    EXPECT_EQ(it.browser.send("/accept", shown_policy(terms.body)).headers.at("location"), "/accept?return=%2Faccount");
    const Answer privacy = it.browser.open("/accept?return=%2Faccount&lang=de");
    EXPECT_THAT(privacy.body, HasSubstr("Wir speichern wenig."));
    EXPECT_EQ(it.browser.send("/accept", shown_policy(privacy.body)).status, 303);
    EXPECT_EQ(it.browser.open("/accept?return=%2Faccount").headers.at("location"), "/account");
    EXPECT_TRUE(it.browser.is_logged_in());
    const auto rows = it.service.sql("SELECT language FROM term_policy_acceptances ORDER BY accepted_at, language");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0][0], "de") << "the language that was shown";
    EXPECT_EQ(rows[1][0], "en");
}

TEST(ConsentPages, ATextThatChangedMeanwhileIsShownAndNotAccepted) {
    ConsentVisitor it;
    it.desk.published("termsOfService", 1, {{"en", "First."}});
    const Answer first = it.browser.open("/accept");
    it.desk.published("termsOfService", 2, {{"en", "Second."}});
    const Answer answer = it.browser.send("/accept", shown_policy(first.body));
    EXPECT_EQ(answer.status, 409);
    EXPECT_THAT(answer.body, HasSubstr("Second."));
    EXPECT_EQ(it.service.sql("SELECT count(*) FROM term_policy_acceptances")[0][0], "0");
    EXPECT_EQ(it.browser.send("/accept", shown_policy(answer.body)).status, 303);
}

TEST(ConsentPages, AForgedHashIsRefused) {
    ConsentVisitor it;
    it.desk.published("termsOfService", 1, {{"en", "First."}});
    Browser::Fields fields = shown_policy(it.browser.open("/accept").body);
    for (auto& [name, value] : fields)
        if (name == "contentHash") value = std::string(64, 'a');
    EXPECT_EQ(it.browser.send("/accept", fields).status, 409);
    EXPECT_EQ(it.service.sql("SELECT count(*) FROM term_policy_acceptances")[0][0], "0");
}

// Neither the visitor nor the text is wrong.
TEST(ConsentPages, APublishedTextThatTheStoreHasLostIsAnOutageThatTheLogExplains) {
    const WorkingFolder folder;
    Service service(everything_logged());
    const PolicyDesk desk(service);
    desk.published("termsOfService", 1, {{"en", "First."}});
    desk.published("termsOfService", 2, {{"en", "Second."}});
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    overwrite_object(service, "public", "term-policies/termsOfService/2/en.hbs", "Forged.");
    EXPECT_EQ(browser.open("/accept").status, 503);
    EXPECT_EQ(Browser(service).open("/policies/termsOfService/2").status, 503);
    EXPECT_EQ(service.get("/api/public/term-policy/diff/termsOfService/1/2").status, 503);
    service.restart();  // writes the log
    const auto explained = std::ranges::count_if(entries_in(folder / "logs/api.log"), [](const auto& entry) {
        return entry.at("severity") == "ERROR" && boost::json::serialize(entry).contains("termsOfService/2/en");
    });
    EXPECT_EQ(explained, 3);
}

TEST(ConsentPages, WhoAcceptedAnEarlierVersionCanSeeWhatChanged) {
    ConsentVisitor it;
    it.desk.published("termsOfService", 1, {{"en", "First.\n\nThe same.\n"}});
    it.browser.send("/accept", shown_policy(it.browser.open("/accept").body));
    it.desk.published("termsOfService", 2, {{"en", "Second <b>.\n\nThe same.\n"}, {"de", "Zweite."}});
    const std::string link = "/accept?policies=termsOfService&return=%2Faccount&changes=shown";
    const Answer page = it.browser.open("/accept?policies=termsOfService&return=%2Faccount");
    EXPECT_THAT(page.body,
                HasSubstr("href=\"/accept?policies=termsOfService&amp;return=%2Faccount&amp;changes=shown\""));
    const Answer changes = it.browser.open(link);
    EXPECT_THAT(changes.body, HasSubstr("<del><span class=\"label\">Removed: </span>First."));
    EXPECT_THAT(changes.body, HasSubstr("<ins><span class=\"label\">Added: </span>Second &lt;b&gt;."));
    EXPECT_THAT(changes.body, HasSubstr("what changed from version 1 to version 2"));
    it.browser.send("/accept", shown_policy(changes.body));
    const auto rows = it.service.sql(
        "SELECT count(*) FROM term_policy_acceptances a JOIN term_policy_diffs d ON d.hash = a.shown_diff_hash "
        "WHERE a.version = 2 AND d.from_version = 1");
    EXPECT_EQ(rows[0][0], "1") << "the acceptance names what was shown";
}

TEST(ConsentPages, AnEarlierTextThatTheStoreHasLostCostsTheComparisonOnly) {
    ConsentVisitor it;
    it.desk.published("termsOfService", 1, {{"en", "First."}});
    it.browser.send("/accept", shown_policy(it.browser.open("/accept").body));
    it.desk.published("termsOfService", 2, {{"en", "Second."}});
    overwrite_object(it.service, "public", "term-policies/termsOfService/1/en.hbs", "Forged.");
    const Answer page = it.browser.open("/accept?changes=shown");
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.body, Not(HasSubstr("Removed:")));
    EXPECT_EQ(it.browser.send("/accept", shown_policy(page.body)).status, 303);
}

TEST(ConsentPages, TextsWithoutACommonLanguageAreNotCompared) {
    ConsentVisitor it;
    it.desk.published("termsOfService", 1, {{"en", "First."}});
    it.browser.send("/accept", shown_policy(it.browser.open("/accept").body));
    it.desk.published("termsOfService", 2, {{"en", "Second."}, {"de", "Zweite."}});
    const Answer page = it.browser.open("/accept?lang=de");
    EXPECT_THAT(page.body, HasSubstr("Zweite."));
    EXPECT_THAT(page.body, Not(HasSubstr("changes=")));
    const Answer asked = it.browser.open("/accept?changes=shown");
    EXPECT_EQ(asked.status, 200);
    EXPECT_EQ(it.browser.send("/accept", shown_policy(asked.body)).status, 303);
}

// Another language must not ask for other texts.
TEST(ConsentPages, AChangeOfTheLanguageAsksForTheSamePolicies) {
    ConsentVisitor it;
    it.desk.published("termsOfService", 1, {{"en", "Terms."}});
    it.desk.published("marketing", 1, {{"en", "Letters."}});
    const std::string link = "href=\"?policies=marketing&amp;return=%2F&amp;lang=de\"";
    const Answer page = it.browser.open("/accept?policies=marketing&return=%2F&lang=en");
    EXPECT_THAT(page.body, HasSubstr(link));
    Browser::Fields fields = shown_policy(page.body);
    for (auto& [name, value] : fields)
        if (name == "contentHash") value = std::string(64, 'a');
    const Answer refused = it.browser.send("/accept?policies=marketing", fields);
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(refused.body, HasSubstr("Letters."));
    EXPECT_THAT(refused.body, HasSubstr(link));
}

TEST(ConsentPages, APageCanAskForOtherPolicies) {
    ConsentVisitor it;
    it.desk.published("marketing", 1, {{"en", "Letters."}});
    EXPECT_EQ(it.browser.open("/accept?return=%2F").headers.at("location"), "/");
    const Answer page = it.browser.open("/accept?policies=marketing&return=%2F");
    EXPECT_THAT(page.body, HasSubstr("Letters."));
    EXPECT_THAT(page.body, HasSubstr("action=\"/accept?policies=marketing\""));
    EXPECT_EQ(it.browser.send("/accept?policies=marketing", shown_policy(page.body)).headers.at("location"),
              "/accept?policies=marketing&return=%2F");
    EXPECT_EQ(it.browser.open("/accept?policies=marketing&return=%2F").headers.at("location"), "/");
    EXPECT_EQ(it.browser.open("/accept?policies=%3Cx%3E,marketing&return=%2F").headers.at("location"), "/");
}

TEST(ConsentPages, WhatIsOptionalCanBeDeclined) {
    ConsentVisitor it;
    for (const char* type : {"marketing", "cookies", "termsOfService"}) it.desk.published(type, 1, {{"en", "Text."}});
    const auto way_past = [&](const std::string& query) {
        const std::string page = it.browser.open("/accept" + query).body;
        const auto end = page.find("\">Not now</a>");
        EXPECT_EQ(page.contains("To continue, you need to accept it."), end == std::string::npos) << query;
        if (end == std::string::npos) return std::string();
        EXPECT_THAT(page, HasSubstr("You can withdraw your consent at any time."));
        EXPECT_GT(end, page.find("</form>")) << "a link, which records nothing";
        const auto begin = page.rfind("href=\"", end) + 6;
        return page.substr(begin, end - begin);
    };
    EXPECT_EQ(way_past("?policies=marketing&return=%2F"), "/");
    EXPECT_EQ(way_past("?policies=marketing"), "/account");
    EXPECT_EQ(way_past("?policies=marketing,cookies&return=%2F"), "/accept?policies=cookies&amp;return=%2F");
    EXPECT_EQ(way_past("?policies=marketing,termsOfService"), "/accept?policies=termsOfService");
    EXPECT_EQ(way_past("?policies=termsOfService&return=%2F"), "");
    EXPECT_EQ(way_past(""), "");
    it.service.restart({{"TERM_POLICY_WITHDRAWABLE", "marketing,termsOfService"}});
    it.browser.log_in(it.person);
    EXPECT_EQ(way_past("?policies=termsOfService"), "") << "the account asks for it again";
    EXPECT_EQ(way_past("?policies=cookies"), "") << "it could not be withdrawn";
}

// As from the page itself: the login leads back to the policies that were asked for, and they to where the visitor was.
TEST(ConsentPages, WhoseSessionEndedBeforeTheyAcceptedComesBackToTheSamePolicies) {
    ConsentVisitor it;
    it.desk.published("marketing", 1, {{"en", "Letters."}});
    const std::string link = "/accept?policies=marketing";
    const auto sent_too_late = [&](const Browser::Fields& more) {
        it.browser.log_in(it.person);
        Browser::Fields fields = shown_policy(it.browser.open(link).body);
        fields.insert(fields.end(), more.begin(), more.end());
        it.service.pass(std::chrono::days{8});  // longer than SESSION_COOKIE_IDLE
        return it.browser.send(link, fields).headers.at("location");
    };
    const std::string with_return = link + "&return=%2Faccount";
    EXPECT_EQ(sent_too_late({{"return", "/account"}}), "/login?return=" + percent_encoded(with_return));
    EXPECT_EQ(it.browser.open(with_return).headers.at("location"), "/login?return=" + percent_encoded(with_return));
    EXPECT_EQ(sent_too_late({}), "/login?return=" + percent_encoded(link));
    EXPECT_EQ(sent_too_late({{"return", "https://stranger.example/"}}), "/login?return=" + percent_encoded(link));
    EXPECT_EQ(it.service.sql("SELECT count(*) FROM term_policy_acceptances")[0][0], "0");
}

}  // namespace
}  // namespace consentry::tests
