// DOC-8: which acceptances go on to hold after a publication, and for how long.
#include <algorithm>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "crypto/digest.hpp"
#include "features/consent_log/entry.hpp"
#include "storage/migrations.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using std::chrono::days;
using ::testing::HasSubstr;

const json::object immaterial{{"isMaterial", false}, {"materialReason", "Corrects our postal address"}};

struct Changes {
    explicit Changes(Service& its_service = service_without_policies())
        : service(its_service), desk(its_service), person(its_service.make_person()) {}

    std::string draft(int version, const std::string& type = "privacy") const {
        return desk.draft(type, version, texts_in({"en"}, std::to_string(version)));
    }
    Answer publish(int version, const json::object& terms = {}, const std::string& type = "privacy") const {
        return desk.call("PATCH", "publish/" + draft(version, type), terms);
    }
    // Gives a published version a grace period that the program refuses to give, as a former program did.
    void give_grace(int version, days period) const {
        service.sql("UPDATE term_policies SET grace_in_days = " + std::to_string(period.count()) +
                    ", grace_until = published_at + " + std::to_string(std::chrono::milliseconds(period).count()) +
                    " WHERE type = 'privacy' AND version = " + std::to_string(version));
    }
    std::int64_t affected(const std::string& id) const {
        return service.get("/api/admin/term-policy/impact/" + id, bearer(desk.token())).number("data.affectedUsers");
    }
    // A session of its own each time, because the clock leaps.
    std::string token() const { return service.tokens_of(person).access; }
    Answer profile() const { return service.get(profile_path, bearer(token())); }
    bool is_flagged() const {
        return service.get(profile_path, bearer(token())).json.at("data").at("termPolicy").at("privacy").as_bool();
    }

    Service& service;
    const PolicyDesk desk;
    const Person person;
};

std::string grace_of(const Answer& answer) {
    EXPECT_EQ(answer.status, 200U) << answer.body;
    const auto found = answer.headers.find("consent-grace");
    return found == answer.headers.end() ? std::string() : found->second;
}

TEST(DOC_8, AnAcceptanceHoldsThroughChangesThatAreNotMaterial) {
    const Changes t;
    const std::string token = t.token();
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(accept(t.service, token, "privacy").status, 200U);
    ASSERT_EQ(t.publish(2, immaterial).status, 200U);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(grace_of(t.service.get(profile_path, bearer(token))), "");
    EXPECT_TRUE(t.is_flagged());
    // Who wants to may accept the newest version, once.
    EXPECT_EQ(accept(t.service, token, "privacy", {{"version", 2}}).status, 200U);
    EXPECT_EQ(accept(t.service, token, "privacy").number("statusCode"), 6103);
    ASSERT_EQ(t.publish(3, immaterial).status, 200U);
    EXPECT_EQ(t.service.get(profile_path, bearer(token)).status, 200U);
    ASSERT_EQ(t.publish(4).status, 200U);
    const Answer refused = t.service.get(profile_path, bearer(token));
    EXPECT_EQ(refused.status, 403U);
    EXPECT_EQ(refused.json.at("data").at("policies").at(0).at("version"), 4);
    EXPECT_EQ(history(t.service, t.person), "privacy 1 accepted, privacy 2 accepted");
}

TEST(DOC_8, WhoHasNotAcceptedIsAskedForTheNewestVersionEvenIfItIsNotMaterial) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(t.publish(2, immaterial).status, 200U);
    const Answer refused = t.profile();
    EXPECT_EQ(refused.status, 403U);
    EXPECT_EQ(refused.json.at("data").at("policies").at(0).at("version"), 2);
    EXPECT_EQ(accept(t.service, t.token(), "privacy", {{"version", 1}}).number("statusCode"), 6109);
    EXPECT_EQ(accept(t.service, t.token(), "privacy", {{"version", 2}}).status, 200U);
    EXPECT_EQ(t.profile().status, 200U);
}

TEST(DOC_8, TheFirstVersionIsMaterialWithoutGraceAndOtherTermsAreChecked) {
    const Changes t;
    const std::string first = t.draft(3);
    const auto publish_first = [&](const json::object& terms) {
        return t.desk.call("PATCH", "publish/" + first, terms);
    };
    expect_error(publish_first(immaterial), 422, 6117);
    for (const json::object& wrong :
         {json::object{{"isMaterial", false}}, json::object{{"isMaterial", false}, {"materialReason", ""}},
          json::object{{"isMaterial", false}, {"materialReason", std::string(501, 'x')}},
          json::object{{"isMaterial", false}, {"materialReason", "two\nlines"}},
          json::object{{"isMaterial", false}, {"materialReason", "a typing error"}, {"graceInDays", 1}},
          json::object{{"graceInDays", -1}}, json::object{{"graceInDays", 366}}, json::object{{"graceInDays", 1.5}}})
        EXPECT_EQ(publish_first(wrong).status, 422U) << json::serialize(wrong);
    const Answer unread = publish_first({{"isMaterial", nullptr}, {"graceInDays", 1}});
    EXPECT_TRUE(unread.violates("isMaterial", "isNotEmpty")) << unread.body;
    EXPECT_TRUE(unread.violates("isMaterial", "isBoolean")) << unread.body;
    EXPECT_EQ(unread.json.at("errors").as_array().size(), 2U) << "nothing follows from it: " << unread.body;
    EXPECT_EQ(t.desk.status(first), "draft");
    expect_error(publish_first({{"graceInDays", 1}}), 422, 6121);
    EXPECT_EQ(t.desk.status(first), "draft");
    ASSERT_EQ(publish_first({{"graceInDays", 0}}).status, 200U);
    EXPECT_EQ(t.profile().status, 403U) << "nobody has accepted anything that could go on to hold";
    // An older version is the successor of none, whatever is published above it.
    const std::string older = t.draft(2);
    expect_error(t.desk.call("PATCH", "publish/" + older, immaterial), 422, 6117);
    expect_error(t.desk.call("PATCH", "publish/" + older, {{"graceInDays", 1}}), 422, 6121);
    EXPECT_EQ(t.publish(4, {{"isMaterial", false}, {"materialReason", std::string(500, 'x')}}).status, 200U);
}

TEST(DOC_8, AGracePeriodLetsTheFormerVersionPassAndSaysSo) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    ASSERT_EQ(t.publish(2, {{"graceInDays", 30}}).status, 200U);
    const TimePoint until = t.service.clock().now() + days{30};
    const std::string expected = R"(privacy;version=2;until=")" + to_iso8601(until) + '"';
    const std::string token = t.token();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(grace_of(t.service.get(profile_path, bearer(token))), expected);
    EXPECT_EQ(grace_of(t.service.call("PUT", profile_path, R"({"name":"Ada"})", bearer(token))), expected);
    EXPECT_EQ(grace_of(t.service.get("/api/forward-auth?policies=privacy,privacy", bearer(token))), expected);
    EXPECT_EQ(grace_of(t.service.get("/api/forward-auth?policies=cookies", bearer(token))), "");
    EXPECT_FALSE(t.is_flagged()) << "it is admitted, but has not accepted what is required";
    const Answer other = t.service.get(profile_path, bearer(t.service.tokens_of(t.service.make_person()).access));
    EXPECT_EQ(other.status, 403U) << "who never accepted anything";

    t.service.clock().set(until - std::chrono::milliseconds{1});
    EXPECT_EQ(grace_of(t.profile()), expected);
    t.service.clock().set(until);
    EXPECT_EQ(t.profile().status, 403U);
    EXPECT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    EXPECT_EQ(grace_of(t.profile()), "");
    EXPECT_TRUE(t.is_flagged());
}

// The guard remembers acceptances by session: what it remembers must not outlive the period.
TEST(DOC_8, ASessionThatPassedInTheGracePeriodIsStoppedAtItsEnd) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    ASSERT_EQ(t.publish(2, {{"graceInDays", 1}}).status, 200U);
    t.service.clock().advance(days{1} - std::chrono::minutes{1});
    const std::string token = t.token();
    EXPECT_EQ(t.service.get(profile_path, bearer(token)).status, 200U);
    EXPECT_EQ(t.service.get(profile_path, bearer(token)).status, 200U);
    t.service.clock().advance(std::chrono::minutes{1});
    EXPECT_EQ(t.service.get(profile_path, bearer(token)).status, 403U);
}

TEST(DOC_8, APublicationWithinAGracePeriodKeepsWhatPassedUntilItsOwnEnd) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    ASSERT_EQ(t.publish(2, {{"graceInDays", 10}}).status, 200U);
    ASSERT_EQ(t.publish(3, {{"graceInDays", 2}}).status, 200U);
    EXPECT_THAT(grace_of(t.profile()), HasSubstr("version=3"));
    ASSERT_EQ(t.publish(5).status, 200U);
    EXPECT_EQ(t.profile().status, 403U);
    // An older version that comes later changes nothing.
    ASSERT_EQ(t.publish(4, {{"graceInDays", 100}}).status, 200U);
    EXPECT_EQ(t.profile().status, 403U);
}

// A former program gave the first version a period, although no acceptance passed before it. Its holders pass all the
// same.
TEST(DOC_8, APublicationWithinTheGracePeriodOfTheFirstVersionLetsItPass) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    t.give_grace(1, days{365});
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    ASSERT_EQ(t.publish(2, {{"graceInDays", 30}}).status, 200U);
    EXPECT_THAT(grace_of(t.profile()), HasSubstr("privacy;version=2;"));
    ASSERT_EQ(t.publish(3, {{"graceInDays", 60}}).status, 200U);
    EXPECT_THAT(grace_of(t.profile()), HasSubstr("privacy;version=3;"));
    const Answer other = t.service.get(profile_path, bearer(t.service.tokens_of(t.service.make_person()).access));
    EXPECT_EQ(other.status, 403U) << "who never accepted anything";
    t.service.clock().advance(days{60});
    EXPECT_EQ(t.profile().status, 403U);
}

// As the former version of the program stored it: without a lowest version that passes.
TEST(DOC_8, TheUpgradeGivesPublishedVersionsTheGracePeriodThatTheyLacked) {
    const Changes t;
    ASSERT_EQ(t.publish(4).status, 200U);
    t.give_grace(4, days{365});
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    t.service.clock().advance(std::chrono::minutes{1});
    ASSERT_EQ(t.publish(2).status, 200U) << "an older one changes nothing";
    t.give_grace(2, days{30});
    t.service.clock().advance(std::chrono::minutes{1});
    ASSERT_EQ(t.publish(5, {{"graceInDays", 30}}).status, 200U);
    ASSERT_EQ(t.publish(1, {}, "cookies").status, 200U);
    t.service.sql("UPDATE term_policies SET grace_version = NULL");
    EXPECT_EQ(t.profile().status, 403U);
    const auto& all = storage::migrations();
    const auto upgrade = std::ranges::find(all, 23, &storage::Migration::number);
    ASSERT_NE(upgrade, all.end());
    for (const std::string_view statement : upgrade->statements) t.service.sql(std::string(statement));
    EXPECT_THAT(grace_of(t.profile()), HasSubstr("privacy;version=5;"));
    const auto stored = [&](const std::string& which) {
        return value_of(t.service, "grace_version FROM term_policies WHERE " + which);
    };
    EXPECT_EQ(stored("type = 'privacy' AND version = 5"), "4") << "the first one that was published";
    EXPECT_EQ(stored("type = 'cookies'"), "") << "no period";
}

TEST(DOC_8, AVersionThatIsNotMaterialLeavesAGracePeriodAsItIs) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    ASSERT_EQ(t.publish(2, {{"graceInDays", 1}}).status, 200U);
    ASSERT_EQ(t.publish(3, immaterial).status, 200U);
    EXPECT_THAT(grace_of(t.profile()), HasSubstr("privacy;version=2;"));
    t.service.clock().advance(days{1});
    EXPECT_EQ(t.profile().json.at("data").at("policies").at(0).at("version"), 3) << "the newest is to be accepted";
}

TEST(DOC_8, AWithdrawalEndsAGracePeriodToo) {
    const Changes t;
    ASSERT_EQ(t.publish(1, {}, "marketing").status, 200U);
    ASSERT_EQ(accept(t.service, t.token(), "marketing").status, 200U);
    ASSERT_EQ(t.publish(2, {{"graceInDays", 30}}, "marketing").status, 200U);
    EXPECT_TRUE(has_accepted(t.service, t.token(), "marketing"));
    ASSERT_EQ(withdraw(t.service, t.token(), "marketing").status, 200U);
    EXPECT_FALSE(has_accepted(t.service, t.token(), "marketing"));
}

TEST(DOC_8, ThePreviewCountsWhoWouldHaveToAcceptAMaterialChange) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    ASSERT_EQ(t.publish(2, immaterial).status, 200U);
    EXPECT_EQ(t.affected(t.draft(3)), 1) << "who holds an acceptance of version 1";
}

TEST(DOC_8, ThePreviewCountsWhomAGracePeriodLetsPass) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    ASSERT_EQ(t.publish(2, {{"graceInDays", 30}}).status, 200U);
    const std::string next = t.draft(3);
    EXPECT_EQ(t.affected(next), 1);
    t.service.clock().advance(days{30} - std::chrono::milliseconds{1});
    EXPECT_EQ(t.affected(next), 1);
    t.service.clock().advance(std::chrono::milliseconds{1});
    EXPECT_EQ(t.affected(next), 0) << "who is stopped already";
}

TEST(DOC_8, NobodyGetsAMailAboutAChangeThatIsNotMaterial) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    t.service.sql("DELETE FROM term_policy_announcements");
    ASSERT_EQ(t.publish(2, immaterial).status, 200U);
    EXPECT_EQ(value_of(t.service, "count(*) FROM term_policy_announcements"), "0");
}

TEST(DOC_8, UsersAreToldOfTheHighestVersionOnly) {
    const Changes t;
    const auto announced = [&] {
        return value_of(t.service,
                        "CAST(count(*) AS TEXT) || ', of version ' || CAST(max(p.version) AS TEXT) FROM "
                        "term_policy_announcements a JOIN term_policies p ON p.id = "
                        "a.term_policy_id");
    };
    t.service.break_writes("INSERT ON mails");  // so that no announcement is worked off
    ASSERT_EQ(t.publish(2).status, 200U);
    ASSERT_EQ(t.publish(1).status, 200U);
    EXPECT_EQ(announced(), "1, of version 2") << "an older version asks nothing of anybody";
    ASSERT_EQ(t.publish(3).status, 200U);
    EXPECT_EQ(announced(), "1, of version 3") << "the older text is no longer news";
    t.service.sql("DELETE FROM term_policy_announcements");
    t.service.mend_writes();
}

// Such a version still asks everybody to accept, and what can be accepted is the newest one.
TEST(DOC_8, UsersAreToldOfAMaterialVersionBelowOneThatIsNotMaterial) {
    const Changes t;
    const auto announced = [&] {
        return value_of(t.service,
                        "COALESCE(MIN(p.type || ' ' || CAST(p.version AS TEXT)), '') || ', ' || CAST(COUNT(*) AS TEXT) "
                        "FROM term_policy_announcements a JOIN term_policies p ON p.id = a.term_policy_id");
    };
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(accept(t.service, t.token(), "privacy").status, 200U);
    t.service.sql("DELETE FROM term_policy_announcements");
    t.service.break_writes("INSERT ON mails");  // so that no announcement is worked off
    ASSERT_EQ(t.publish(1, {}, "cookies").status, 200U);
    ASSERT_EQ(t.publish(4, immaterial).status, 200U);
    EXPECT_EQ(t.profile().status, 200U);
    EXPECT_EQ(announced(), "cookies 1, 1");
    t.service.sql("DELETE FROM term_policy_announcements");
    for (const int version : {2, 3}) {
        ASSERT_EQ(t.publish(version).status, 200U);
        const Answer refused = t.profile();
        EXPECT_EQ(refused.status, 403U);
        EXPECT_EQ(refused.json.at("data").at("policies").at(0).at("version"), 4);
        EXPECT_EQ(announced(), "privacy 4, 1");
    }
    ASSERT_EQ(t.publish(6, immaterial).status, 200U);
    ASSERT_EQ(t.publish(5).status, 200U);
    EXPECT_EQ(announced(), "privacy 6, 1") << "the older text is no longer news";
    t.service.sql("DELETE FROM term_policy_announcements");
    t.service.mend_writes();
}

TEST(DOC_8, TheListTellsWhetherAChangeWasMaterial) {
    const Changes t;
    ASSERT_EQ(t.publish(1).status, 200U);
    ASSERT_EQ(t.publish(2, immaterial).status, 200U);
    ASSERT_EQ(t.publish(3, {{"graceInDays", 7}, {"materialReason", "A new recipient"}}).status, 200U);
    const Answer list = t.service.get("/api/public/term-policy/list?orderBy=version:asc");
    ASSERT_EQ(list.status, 200U) << list.body;
    const json::array& policies = list.json.at("data").as_array();
    ASSERT_EQ(policies.size(), 3U);
    EXPECT_EQ(policies[0].at("isMaterial"), true);
    EXPECT_FALSE(policies[0].as_object().contains("graceUntil"));
    EXPECT_EQ(policies[1].at("isMaterial"), false);
    EXPECT_EQ(policies[1].at("materialReason"), "Corrects our postal address");
    EXPECT_EQ(policies[2].at("materialReason"), "A new recipient");
    EXPECT_EQ(policies[2].at("graceUntil"), to_iso8601(t.service.clock().now() + days{7}).c_str());
}

std::vector<LogEntry> published_entries(Service& service) {
    service.work();
    std::vector<LogEntry> out;
    for (const auto& row : service.sql(
             "SELECT hex(entry) FROM log_entries WHERE log = 'consent' AND position IS NOT NULL ORDER BY position"))
        out.push_back(parse_log_entry(from_hex(row[0]).value()).value());
    return out;
}

TEST(ConsentLog, APublicationIsAnEntryWhoseRecordEverybodyCanRead) {
    Service own;
    const Changes t(own);
    ASSERT_EQ(t.publish(1).status, 200U);
    t.service.clock().advance(std::chrono::seconds{90});
    ASSERT_EQ(t.publish(2, immaterial).status, 200U);
    const auto entries = published_entries(t.service);
    ASSERT_EQ(entries.size(), 2U);
    const auto& entry = std::get<PublicationEntry>(entries[1]);
    EXPECT_EQ(entry.type, PolicyType::privacy);
    EXPECT_EQ(entry.version, 2U);
    EXPECT_FALSE(entry.is_material);
    EXPECT_FALSE(entry.is_late);
    EXPECT_TRUE(std::get<PublicationEntry>(entries[0]).is_material);
    const Answer record = t.service.get("/api/public/term-policy/publication/privacy/2");
    ASSERT_EQ(record.status, 200U) << record.body;
    EXPECT_EQ(crypto::sha256(record.body), entry.record);
    EXPECT_TRUE(record.headers.at("etag").starts_with('"')) << "strong";
    const std::string digest = to_hex(crypto::sha256(texts_in({"en"}, "2").at("en")));
    EXPECT_EQ(record.body,
              R"({"contentHashes":{"en":")" + digest + R"("},"graceInDays":0,"isMaterial":false,)" +
                  R"("materialReason":"Corrects our postal address","processingHash":null,"publishedAt":")" +
                  to_iso8601(t.service.clock().now()) + R"(","type":"privacy","version":2})");
    t.draft(3);
    for (const char* absent : {"privacy/3", "privacy/9", "cookies/1"})
        EXPECT_EQ(t.service.get(std::string("/api/public/term-policy/publication/") + absent).number("statusCode"),
                  6100);
}

TEST(ConsentLog, TakesInPublicationsFromBeforeIt) {
    Service own({{"CONSENT_LOG_ENABLE", "false"}});
    const Changes t(own);
    ASSERT_EQ(t.publish(1).status, 200U);
    const TimePoint then = t.service.clock().now();
    t.service.clock().advance(days{1});
    EXPECT_EQ(value_of(t.service, "count(*) FROM log_entries WHERE log = 'consent'"), "0");
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    for (int i = 0; i < 2; ++i) {
        const auto entries = published_entries(t.service);
        ASSERT_EQ(entries.size(), 1U) << "once";
        const auto& entry = std::get<PublicationEntry>(entries[0]);
        EXPECT_TRUE(entry.is_late);
        EXPECT_EQ(entry.time, std::chrono::floor<std::chrono::seconds>(then));
        EXPECT_EQ(crypto::sha256(t.service.get("/api/public/term-policy/publication/privacy/1").body), entry.record);
        t.service.restart();
    }
}

}  // namespace
}  // namespace consentry::tests
