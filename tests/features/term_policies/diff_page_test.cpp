// The page that shows users what changed, and its hash in acceptances.
#include <gmock/gmock.h>

#include "crypto/digest.hpp"
#include "features/consent_log/entry.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Versions {
    explicit Versions(Service& its_service = service_without_policies()) : service(its_service) {
        desk.published("privacy", 1, {{"en", "Terms\n<script>alert(1)</script>\n1. Be kind.\n"}, {"de", "Eins\n"}});
        desk.published("privacy", 2, {{"en", "Terms\n<script>alert(2)</script>\n1. Be kind.\n"}, {"de", "Eins\n"}});
    }
    Answer page(const std::string& versions, const std::string& query = {}) const {
        return service.get("/api/public/term-policy/diff/privacy/" + versions + query);
    }
    Service& service;
    const PolicyDesk desk{service};
};

TEST(PolicyDiff, IsAPageThatRunsNothing) {
    const Versions t;
    const Answer page = t.page("1/2");
    ASSERT_EQ(page.status, 200U) << page.body;
    EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
    EXPECT_THAT(page.body, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;\n</del>"));
    EXPECT_THAT(page.body, HasSubstr("&lt;script&gt;alert(2)&lt;/script&gt;\n</ins>"));
    EXPECT_THAT(page.body, HasSubstr("<p>Terms\n</p>"));
    EXPECT_THAT(page.body, Not(HasSubstr("<script")));
    EXPECT_THAT(page.body, HasSubstr("Privacy policy: what changed from version 1 to version 2"));
    const std::string& policy = page.headers.at("content-security-policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    const auto style_at = page.body.find("<style>") + 7;
    const std::string style = page.body.substr(style_at, page.body.find("</style>") - style_at);
    EXPECT_THAT(policy, HasSubstr("style-src 'sha256-" + to_base64(crypto::sha256(style)) + "'"));
    EXPECT_TRUE(page.headers.at("etag").starts_with('"')) << "strong";
    EXPECT_EQ(t.page("1/2").body, page.body) << "the same bytes each time";
}

TEST(PolicyDiff, SpeaksTheLanguageOfTheTexts) {
    const Versions t;
    const Answer german = t.page("1/2", "?language=de");
    ASSERT_EQ(german.status, 200U);
    EXPECT_THAT(german.body, HasSubstr("<html lang=\"de\">"));
    EXPECT_THAT(german.body, HasSubstr("Die beiden Texte sind gleich."));
    EXPECT_EQ(t.page("1/2", "?language=ja").number("statusCode"), 6106);
    EXPECT_EQ(t.page("1/3").number("statusCode"), 6100);
    EXPECT_EQ(t.page("2/1").number("statusCode"), 6100);
    t.desk.draft("privacy", 3, texts_in({"en"}));
    EXPECT_EQ(t.page("2/3").number("statusCode"), 6100) << "a draft is nobody's business";
}

// Without the log, which has its own copy in the addendum.
TEST(PolicyDiff, ItsHashIsInTheExportOfTheAccount) {
    Service own({{"CONSENT_LOG_ENABLE", "false"}});
    const Versions t(own);
    const std::string token = t.service.tokens_of(t.service.make_person()).access;
    const std::string hash = to_hex(crypto::sha256(t.page("1/2").body));
    ASSERT_EQ(accept(t.service, token, "privacy", {{"shownDiffHash", hash}}).status, 200U);
    t.desk.published("cookies", 1, texts_in({"en"}));
    t.service.pass(std::chrono::seconds{1});
    ASSERT_EQ(accept(t.service, token, "cookies").status, 200U);
    const auto all = json::parse(t.service.get("/api/shared/user/export", bearer(token)).body);
    const json::array& acceptances = all.at("acceptances").as_array();
    ASSERT_EQ(acceptances.size(), 2U);
    EXPECT_EQ(acceptances.at(0).at("shownDiffHash").as_string(), hash);
    EXPECT_FALSE(acceptances.at(1).as_object().contains("shownDiffHash")) << "no page was shown";
}

TEST(PolicyDiff, ItsHashIsRecordedWithTheAcceptance) {
    Service own;
    const Versions t(own);
    const Person person = t.service.make_person();
    const std::string token = t.service.tokens_of(person).access;
    const std::string hash = to_hex(crypto::sha256(t.page("1/2").body));
    const Answer accepted = accept(t.service, token, "privacy", {{"shownDiffHash", hash}});
    ASSERT_EQ(accepted.status, 200U) << accepted.body;
    EXPECT_EQ(value_of(t.service, "shown_diff_hash FROM term_policy_acceptances"), hash);
    // The entry names evidence with the hash.
    auto [entry, salt, evidence] = logged_acceptance(t.service);
    EXPECT_EQ(evidence.user, person.id);
    EXPECT_NE(entry.addendum, crypto::sha256(addendum_text(evidence, salt)));
    evidence.shown_diff_hash = hash;
    EXPECT_EQ(entry.addendum, crypto::sha256(addendum_text(evidence, salt)));
}

TEST(PolicyDiff, OnlyAComparisonWithTheAcceptedVersionCounts) {
    const Versions t;
    const std::string token = t.service.tokens_of(t.service.make_person()).access;
    const std::string hash = to_hex(crypto::sha256(t.page("1/2").body));
    const Answer unknown = accept(t.service, token, "privacy", {{"shownDiffHash", std::string(64, '0')}});
    expect_error(unknown, 409, 6118);
    EXPECT_EQ(unknown.json.at("data").at("policies").at(0).at("version"), 2);
    EXPECT_EQ(accept(t.service, token, "privacy", {{"shownDiffHash", "short"}}).status, 422U);
    t.desk.published("privacy", 3, texts_in({"en"}));
    expect_error(accept(t.service, token, "privacy", {{"shownDiffHash", hash}}), 409, 6118);
    EXPECT_EQ(value_of(t.service, "count(*) FROM term_policy_acceptances"), "0");
}

}  // namespace
}  // namespace consentry::tests
