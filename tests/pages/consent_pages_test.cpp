// /accept: the text that is shown is the text that is accepted.
#include <gmock/gmock.h>

#include "tests/support/browser.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string hidden(const std::string& page, const std::string& name) {
    const std::string mark = "name=\"" + name + "\" value=\"";
    const auto begin = page.find(mark);
    if (begin == std::string::npos) return {};
    return page.substr(begin + mark.size(), page.find('"', begin + mark.size()) - begin - mark.size());
}

Browser::Fields shown_policy(const std::string& page) {
    Browser::Fields out;
    for (const char* name : {"type", "version", "language", "contentHash", "return", "policies"})
        if (const std::string value = hidden(page, name); !value.empty()) out.emplace_back(name, value);
    return out;
}

struct Visitor {
    Service service;
    PolicyDesk desk{service};
    Person person = service.make_person();
    Browser browser{service};
    Visitor() { browser.log_in(person); }
};

TEST(ConsentPages, TheAccountOpensOnceEverythingIsAccepted) {
    Visitor it;
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
    Visitor it;
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
    Visitor it;
    it.desk.published("termsOfService", 1, {{"en", "First."}});
    Browser::Fields fields = shown_policy(it.browser.open("/accept").body);
    for (auto& [name, value] : fields)
        if (name == "contentHash") value = std::string(64, 'a');
    EXPECT_EQ(it.browser.send("/accept", fields).status, 409);
    EXPECT_EQ(it.service.sql("SELECT count(*) FROM term_policy_acceptances")[0][0], "0");
}

TEST(ConsentPages, SentTwiceItIsAcceptedOnce) {
    Visitor it;
    it.desk.published("termsOfService", 1, {{"en", "First."}});
    const Browser::Fields fields = shown_policy(it.browser.open("/accept").body);
    EXPECT_EQ(it.browser.send("/accept", fields).status, 303);
    EXPECT_EQ(it.browser.send("/accept", fields).status, 303);
    EXPECT_EQ(it.service.sql("SELECT count(*) FROM term_policy_acceptances")[0][0], "1");
}

TEST(ConsentPages, WhoAcceptedAnEarlierVersionCanSeeWhatChanged) {
    Visitor it;
    it.desk.published("termsOfService", 1, {{"en", "First."}});
    it.browser.send("/accept", shown_policy(it.browser.open("/accept").body));
    it.desk.published("termsOfService", 2, {{"en", "Second."}});
    const Answer page = it.browser.open("/accept");
    const std::string link = "/api/public/term-policy/diff/termsOfService/1/2?language=en";
    EXPECT_THAT(page.body, HasSubstr("href=\"" + link + "\""));
    EXPECT_THAT(it.browser.open(link).body, HasSubstr("Second."));
}

TEST(ConsentPages, APageCanAskForOtherPolicies) {
    Visitor it;
    it.desk.published("marketing", 1, {{"en", "Letters."}});
    EXPECT_EQ(it.browser.open("/accept?return=%2F").headers.at("location"), "/");
    const Answer page = it.browser.open("/accept?policies=marketing&return=%2F");
    EXPECT_THAT(page.body, HasSubstr("Letters."));
    EXPECT_EQ(it.browser.send("/accept", shown_policy(page.body)).headers.at("location"),
              "/accept?policies=marketing&return=%2F");
    EXPECT_EQ(it.browser.open("/accept?policies=marketing&return=%2F").headers.at("location"), "/");
    EXPECT_EQ(it.browser.open("/accept?policies=%3Cx%3E,marketing&return=%2F").headers.at("location"), "/");
}

}  // namespace
}  // namespace consentry::tests
