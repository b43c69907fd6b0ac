// /account/consents, and the texts to which it leads.
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ConsentHistory : public ::testing::Test {
protected:
    Service service;
    Person person = service.make_person();
    Browser browser{service};

    void SetUp() override {
        publish(service, "marketing", 1);
        publish(service, "privacy", 1);
        publish(service, "termsOfService", 1);
        const std::string token = service.tokens_of(person).access;
        for (const char* type : {"termsOfService", "privacy", "marketing"}) accept(service, token, type);
        browser.log_in(person);
    }
};

TEST_F(ConsentHistory, ShowTheHistoryAndWithdrawWhatMayBe) {
    const Answer before = browser.open("/account/consents");
    EXPECT_THAT(before.body, HasSubstr("Terms of service: accepted"));
    EXPECT_THAT(before.body, HasSubstr("/policies/marketing/1?text=en"));
    EXPECT_THAT(before.body, HasSubstr(R"(name="policy" value="marketing")"));
    EXPECT_THAT(before.body, Not(HasSubstr(R"(name="policy" value="privacy")")));
    EXPECT_EQ(browser.send("/account/consents/withdraw", {{"policy", "marketing"}}).headers.at("location"),
              "/account/consents");
    const Answer after = browser.open("/account/consents");
    EXPECT_THAT(after.body, HasSubstr("You have withdrawn your consent."));
    EXPECT_THAT(after.body, HasSubstr("Marketing consent: withdrawn"));
    EXPECT_THAT(after.body, Not(HasSubstr("name=\"policy\"")));
    EXPECT_EQ(browser.send("/account/consents/withdraw", {{"policy", "marketing"}}).status, 303) << "a second click";
    EXPECT_EQ(history(service, person),
              "marketing 1 accepted, marketing 1 withdrawn, privacy 1 accepted, termsOfService 1 accepted");
    browser.open("/account/consents");
    EXPECT_GE(browser.send("/account/consents/withdraw", {{"policy", "privacy"}}).status, 400U);
}

TEST_F(ConsentHistory, HandOutTheEvidenceToItsOwnerOnly) {
    const std::string id = hidden_field(browser.open("/account/consents").body, "acceptance");
    const Answer receipt = browser.send("/account/consents/receipt", {{"acceptance", id}});
    EXPECT_EQ(receipt.status, 200);
    EXPECT_EQ(receipt.headers.at("content-disposition"), "attachment; filename=receipt-" + id + ".jwt");
    EXPECT_EQ(std::ranges::count(receipt.body, '.'), 2);
    const Answer record = browser.send("/account/consents/record", {{"acceptance", id}});
    EXPECT_EQ(record.headers.at("content-disposition"), "attachment; filename=record-" + id + ".jsonld");
    run(service.app().services().consent_log->published().work());
    EXPECT_THAT(browser.open("/account/consents").body, HasSubstr("/account/consents/proof"));
    const Answer proof = browser.send("/account/consents/proof", {{"acceptance", id}});
    EXPECT_EQ(proof.headers.at("content-disposition"), "attachment; filename=proof-" + id + ".tlog-proof");
    EXPECT_THAT(proof.body, ::testing::StartsWith("c2sp.org/tlog-proof@v1\n"));
    Browser stranger(service);
    stranger.log_in(service.make_person());
    stranger.open("/account/consents");
    for (const char* kind : {"receipt", "proof", "record"})
        EXPECT_EQ(stranger.send("/account/consents/" + std::string(kind), {{"acceptance", id}}).status, 404) << kind;
}

TEST_F(ConsentHistory, ALongHistoryHasPages) {
    const std::string token = service.tokens_of(person).access;
    for (int i = 0; i < 12; ++i) {
        service.pass(std::chrono::seconds{1});
        withdraw(service, token, "marketing");
        accept(service, token, "marketing");
    }
    const Answer first = browser.open("/account/consents");
    EXPECT_THAT(first.body, Not(HasSubstr("Terms of service: accepted")));
    const std::string mark = "href=\"/account/consents?";
    const auto at = first.body.find(mark);
    ASSERT_NE(at, std::string::npos);
    std::string older = first.body.substr(at + 6, first.body.find('"', at + 6) - at - 6);
    older.replace(older.find("&amp;"), 5, "&");
    EXPECT_THAT(browser.open(older).body, HasSubstr("Terms of service: accepted"));
    EXPECT_THAT(browser.open("/account/consents?at=x&after=y").body, HasSubstr("Marketing consent: accepted"));
}

TEST(PolicyPage, ShowsThePublishedTextOfAnyVersionToAnybody) {
    Service service;
    PolicyDesk desk(service);
    desk.published("privacy", 1, {{"en", "We keep *little*. <script>x</script>"}, {"de", "Wir speichern wenig."}});
    desk.published("privacy", 2, {{"en", "We keep nothing."}});
    Browser browser(service);
    const Answer first = browser.open("/policies/privacy/1?text=en");
    EXPECT_EQ(first.status, 200);
    EXPECT_THAT(first.body, HasSubstr("We keep <em>little</em>."));
    EXPECT_THAT(first.body, Not(HasSubstr("<script")));
    EXPECT_THAT(browser.open("/policies/privacy/1?text=de").body, HasSubstr("Wir speichern wenig."));
    EXPECT_THAT(browser.open("/policies/privacy/2?text=de").body, HasSubstr("We keep nothing.")) << "the one it has";
    for (const char* none : {"/policies/privacy/3", "/policies/privacy/0", "/policies/privacy/x", "/policies/other/1",
                             "/policies/privacy/99999999999999999999", "/policies/marketing/1"})
        EXPECT_EQ(browser.open(none).status, 404) << none;
}

TEST(ConsentHistoryWithoutLog, HaveNoReceipts) {
    Service service({{"CONSENT_LOG_ENABLE", "false"}});
    const Person person = service.make_person();
    publish(service, "marketing", 1);
    accept(service, service.tokens_of(person).access, "marketing");
    Browser browser(service);
    browser.log_in(person);
    const Answer page = browser.open("/account/consents");
    EXPECT_THAT(page.body, HasSubstr("Marketing consent: accepted"));
    EXPECT_THAT(page.body, Not(HasSubstr("/account/consents/receipt")));
    EXPECT_THAT(page.body, Not(HasSubstr("/consent-log/verify")));
}

}  // namespace
}  // namespace consentry::tests
