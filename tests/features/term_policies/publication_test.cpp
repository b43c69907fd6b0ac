// Tests that a document becomes public as a whole, once and for good (DOC-4, DOC-7).
#include <latch>
#include <thread>

#include <boost/json/parse.hpp>

#include "app/app.hpp"
#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

const Texts three = texts_in({"de", "en", "ja"});

// Publishes as the service does, on a store and a database that the test controls.
struct FaultyPublishing {
    FaultyPublishing(Service& service, const BeforeCall& in_store, const BeforeCall& in_database)
        : services(service.app().services()),
          store(services.object_store, in_store),
          database(services.database, in_database),
          policies(database, store, services.clock, services.mails, services.audit, {}) {}

    Result<TermPolicy> publish(const std::string& id) {
        return run(policies.publish(Actor::operator_at_the_machine(), TermPolicyId::parse(id).value(), {}));
    }

    // False if an outage ends it.
    bool publishes(const std::string& id) {
        try {
            EXPECT_TRUE(publish(id));
        } catch (const Unavailable&) {
            return false;
        }
        return true;
    }

    Services& services;
    FaultyStore store;
    FaultyDatabase database;
    TermPolicies policies;
};

void expect_published(const PolicyDesk& desk, const std::string& id, const std::string& type, int version,
                      const Texts& texts) {
    EXPECT_EQ(desk.status(id), "published");
    json::object hashes;
    for (const auto& [language, text] : texts) {
        EXPECT_EQ(stored_object(desk.service, "public", draft_key(type, version, language)), text) << language;
        hashes[language] = to_hex(crypto::sha256(text));
    }
    EXPECT_EQ(json::parse(desk.service.sql("SELECT content_hashes FROM term_policies WHERE id = '" + id + "'")[0][0]),
              json::value(hashes));
    EXPECT_EQ(desk.service.sql("SELECT COUNT(*) FROM loose_objects WHERE area = 'public' AND type = '" + type +
                               "' AND version = " + std::to_string(version))[0][0],
              "0");
}

// In the activity log of the administrator.
std::string publications_by(const PolicyDesk& desk) {
    return desk.service.sql(
        "SELECT COUNT(*) FROM activity_log WHERE action = 'adminTermPolicyPublish' AND user_id = '" +
        desk.admin.id.text() + "'")[0][0];
}

TEST(DOC_4, AllLanguagesBecomePublicWithTheStatus) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("termsOfService", 1, three);
    EXPECT_EQ(stored_objects(service, "public"), 0U);
    EXPECT_EQ(desk.publish(id).status, 200U);
    expect_published(desk, id, "termsOfService", 1, three);
    const Answer listed = service.get("/api/term-policy/list");
    EXPECT_EQ(listed.text("data.0.status"), "published");
    EXPECT_EQ(listed.text("data.0.contents.0.access"), "public");
    const std::string url = listed.text("data.0.contents.0.cdnUrl");
    EXPECT_EQ(desk.fetch(url).body, three.at("en"));
    EXPECT_EQ(listed.text("data.0.contents.0.contentHash"), to_hex(crypto::sha256(three.at("en"))));
}

TEST(DOC_4, WithoutATextThereIsNothingToPublish) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    EXPECT_EQ(desk.remove(id, "en").status, 204U);
    expect_error(desk.publish(id), 400, 6108);
    EXPECT_EQ(desk.status(id), "draft");
}

TEST(DOC_2, AFileThatWasReplacedAfterTheCheckIsNotPublished) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, three);
    const Answer address = desk.presign("privacy", 1, "en", three.at("en").size());
    EXPECT_EQ(desk.put(address.text("data.presignUrl"), std::string(three.at("en").size(), 'x')).status, 200U);
    std::filesystem::remove(service.folder() / "data/storage/private" / draft_key("privacy", 1, "ja"));
    const Answer refused = desk.publish(id);
    EXPECT_EQ(refused.status, 400U);
    EXPECT_EQ(complaints_of(refused), "en changed, ja absent");
    EXPECT_EQ(desk.status(id), "draft");
    EXPECT_EQ(stored_objects(service, "public"), 0U);
    EXPECT_EQ(desk.update(id, desk.upload("privacy", 1, "en", "new")).status, 200U) << "nobody has a claim";
}

TEST(DOC_10, ATextWithAnUnfilledPlaceholderIsNotPublished) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    Texts texts = three;
    texts["de"] = "<p>{{companyName}}, {{ address }}, {{companyName}}</p>";
    texts["ja"] = "{{{companyName}}}{{#if a}}{{> b}}{{/if}}{{\n!c}}{{}} {{é";
    const std::string id = desk.draft("privacy", 1, texts);
    const Answer refused = desk.publish(id);
    expect_error(refused, 422, 6114);
    EXPECT_EQ(refused.text("statusCodeKey"), "placeholdersUnfilled");
    EXPECT_EQ(refused.json.at("data").at("contents"),
              json::parse(R"([{"language": "de", "placeholders": ["companyName", "address"]},
                              {"language": "ja",
                               "placeholders": ["companyName", "#if a", "> b", "/if", " !c", ""]}])"));
    EXPECT_EQ(desk.status(id), "draft");
    EXPECT_EQ(stored_objects(service, "public"), 0U);
    EXPECT_EQ(publications_by(desk), "0");

    texts["de"] = "<p>Example GmbH</p>";
    EXPECT_EQ(desk.update(id, desk.upload("privacy", 1, "de", texts["de"])).status, 200U) << "nobody has a claim";
    expect_error(desk.publish(id), 422, 6114);
    texts["ja"] = "{{ { {x} } }} }{ {{";
    EXPECT_EQ(desk.update(id, desk.upload("privacy", 1, "ja", texts["ja"])).status, 200U);
    expect_error(desk.publish(id), 422, 6114);
    texts["ja"] = "{ { {x} } } }} }{ {{";
    EXPECT_EQ(desk.update(id, desk.upload("privacy", 1, "ja", texts["ja"])).status, 200U);
    EXPECT_EQ(desk.publish(id).status, 200U);
    expect_published(desk, id, "privacy", 1, texts);
}

TEST(DOC_10, ManyAndLongPlaceholdersAreToldShortly) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    std::string text = "{{" + std::string(500'000, 'x') + "}}";
    for (int i = 0; i < 10'000; ++i) text += "{{name" + std::to_string(i) + "}}";
    const Answer refused = desk.publish(desk.draft("privacy", 1, {{"en", text}}));
    expect_error(refused, 422, 6114);
    const json::array& told = refused.json.at("data").at("contents").at(0).at("placeholders").as_array();
    EXPECT_EQ(told.size(), 100U);
    EXPECT_EQ(told.at(0), json::value(std::string(64, 'x') + "…"));
}

TEST(DOC_7, WhatIsPublishedIsFrozen) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("cookies", 1, three);
    const Answer address = desk.presign("cookies", 1, "en", 5);
    const json::object spanish = desk.upload("cookies", 1, "es", "tarde");
    const json::object english{
        {"language", "en"}, {"key", draft_key("cookies", 1, "en")}, {"size", three.at("en").size()}};
    ASSERT_EQ(desk.publish(id).status, 200U);
    for (const Answer& answer : {desk.add(id, spanish), desk.update(id, english), desk.remove(id, "en"), desk.erase(id),
                                 desk.publish(id), desk.presign("cookies", 1, "fr", 5)})
        expect_error(answer, 400, 6105);
    expect_error(desk.create("cookies", 1, {spanish}), 409, 6101);
    EXPECT_EQ(desk.put(address.text("data.presignUrl"), "later").status, 200U) << "to a place that nobody looks at";
    service.pass(std::chrono::hours{2});
    desk.sweep();
    expect_published(desk, id, "cookies", 1, three);
    EXPECT_EQ(stored_objects(service, "private"), 0U);
    EXPECT_EQ(stored_objects(service, "public"), 3U);
}

TEST(DOC_4, OfManyPublishersOneWins) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    for (int version = 1; version <= 5; ++version) {
        const std::string id = desk.draft("privacy", version, three);
        const auto answers = at_once(8, [&](std::size_t) { return desk.publish(id); });
        const auto seen = statuses(answers);
        EXPECT_EQ(seen.contains(200) ? seen.at(200) : 0, 1U);
        for (const Answer& answer : answers)
            if (answer.status != 200) expect_error(answer, 400, 6105);
        expect_published(desk, id, "privacy", version, three);
    }
    EXPECT_EQ(publications_by(desk), "5") << "once each";
}

// Whichever call comes first, the public files are those that the published document names.
TEST(DOC_4, APublicationAgainstChangesOfTheSameDraft) {
    Service service({{"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}});
    const PolicyDesk desk(service);
    for (int version = 1; version <= 6; ++version) {
        SCOPED_TRACE(version);
        const std::string id = desk.draft("privacy", version, texts_in({"de", "en", "fr"}));
        const json::object spanish = desk.upload("privacy", version, "es", "nuevo");
        const json::object english{{"language", "en"},
                                   {"key", draft_key("privacy", version, "en")},
                                   {"size", texts_in({"en"}).at("en").size()}};
        const auto answers = at_once(8, [&](std::size_t i) {
            switch (i % 4) {
                case 0:
                    return desk.publish(id);
                case 1:
                    return desk.add(id, spanish);
                case 2:
                    return desk.remove(id, "fr");
                default:
                    return version % 2 == 0 ? desk.erase(id) : desk.update(id, english);
            }
        });
        bool published = false;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            EXPECT_LT(answers[i].status, 500U) << answers[i].body;
            published |= i % 4 == 0 && answers[i].status == 200U;
        }
        EXPECT_EQ(published, desk.status(id) == "published");
        if (!published) continue;
        Texts texts;
        for (const auto& row :
             service.sql("SELECT language FROM term_policy_contents WHERE term_policy_id = '" + id + "'"))
            texts[row[0]] = row[0] == "es" ? "nuevo" : texts_in({row[0]}).at(row[0]);
        expect_published(desk, id, "privacy", version, texts);
    }
}

// Between a publisher's claim and its decision, no other request may change the document.
TEST(DOC_4, EditorsWaitForAPublication) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    const json::object german = desk.upload("privacy", 1, "de", "x");
    FaultyPublishing publishing(service, [](auto) {}, [](auto) {});
    std::latch putting{1};
    std::latch tried{1};
    publishing.store.before_each([&](std::string_view call) {
        if (call != "put") return;
        putting.count_down();
        tried.wait();
    });
    std::jthread publisher([&] { EXPECT_TRUE(publishing.publish(id)); });
    putting.wait();
    for (const Answer& answer : {desk.add(id, german), desk.remove(id, "en"), desk.erase(id)}) {
        expect_error(answer, 409, 6112);
        EXPECT_EQ(answer.headers.at("retry-after"), std::to_string(answer.number("data.retryAfterSeconds")));
    }
    tried.count_down();
    publisher.join();
    expect_published(desk, id, "privacy", 1, texts_in({"en"}));
}

TEST(DOC_4, AnErrorAtAnyCallOfTheStoreLeavesADraft) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    for (int broken = 0;; ++broken) {
        const std::string id = desk.draft("privacy", broken + 1, three);
        int calls = 0;
        FaultyPublishing publishing(
            service,
            [&](auto) {
                if (calls++ == broken) throw Unavailable("injected fault");
            },
            [](auto) {});
        if (publishing.publishes(id)) {
            EXPECT_EQ(broken, 9) << "three to read, three to put and to look at";
            break;
        }
        EXPECT_EQ(desk.status(id), "draft");
        EXPECT_EQ(std::ssize(service.get("/api/term-policy/list").json.at("data").as_array()), broken)
            << "those before";
        EXPECT_EQ(desk.publish(id).status, 200U) << "again, at once";
        expect_published(desk, id, "privacy", broken + 1, three);
    }
}

TEST(DOC_4, AnErrorAtAnyStatementLeavesADraft) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    for (int broken = 0;; ++broken) {
        const std::string id = desk.draft("privacy", broken + 1, texts_in({"en"}));
        int calls = 0;
        FaultyPublishing publishing(
            service, [](auto) {},
            [&](auto) {
                if (calls++ == broken) throw Unavailable("injected fault");
            });
        if (publishing.publishes(id)) {
            EXPECT_EQ(broken, 5) << "two to read, claim, renewal, decision";
            break;
        }
        EXPECT_EQ(desk.status(id), "draft");
        EXPECT_EQ(desk.publish(id).status, 200U);
        expect_published(desk, id, "privacy", broken + 1, texts_in({"en"}));
    }
}

TEST(DOC_4, ADecisionThatTheDatabaseRefusesChangesNothing) {
    Service service;
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, three);
    service.break_writes("INSERT ON term_policy_announcements");
    EXPECT_EQ(desk.publish(id).status, 503U);
    EXPECT_EQ(desk.status(id), "draft");
    EXPECT_FALSE(service.get("/api/term-policy/list").has("data.0"));
    service.mend_writes();
    EXPECT_EQ(desk.publish(id).status, 200U);
    expect_published(desk, id, "privacy", 1, three);
}

TEST(DOC_4, WithoutTheStoreNothingIsPublished) {
    Service service;
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, three);
    const auto folder = service.folder() / "data" / "storage";
    std::filesystem::rename(folder, service.folder() / "away");
    overwrite_object(service, "..", "storage", "a file");
    EXPECT_EQ(desk.publish(id).status, 503U);
    EXPECT_EQ(
        desk.create("privacy", 2, {{{"language", "en"}, {"key", draft_key("privacy", 2, "en")}, {"size", 5}}}).status,
        503U);
    EXPECT_EQ(desk.status(id), "draft");
    std::filesystem::remove(folder);
    std::filesystem::rename(service.folder() / "away", folder);
    EXPECT_EQ(desk.publish(id).status, 200U);
}

// A publisher that stalled for too long finds that its claim has expired, and starts again.
TEST(DOC_4, AClaimThatIsOverDecidesNothing) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    const json::object german = desk.upload("privacy", 1, "de", "spät");
    int puts = 0;
    FaultyPublishing publishing(service, [](auto) {}, [](auto) {});
    publishing.store.before_each([&](std::string_view call) {
        if (call != "put" || puts++ > 0) return;
        service.pass(std::chrono::minutes{10});
        EXPECT_EQ(desk.add(id, german).status, 200U) << "the claim is over";
    });
    EXPECT_TRUE(publishing.publish(id));
    Texts texts = texts_in({"en"});
    texts["de"] = "spät";
    expect_published(desk, id, "privacy", 1, texts);
}

// Times tell later what had been published before which version, and so what passed until the end of its grace period.
TEST(DOC_8, APublicationThatAHigherVersionOvertakesIsDatedBehindIt) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en"}));
    const std::string lower = desk.draft("privacy", 2, texts_in({"en"}));
    const std::string higher = desk.draft("privacy", 3, texts_in({"en"}));
    int commits = 0;
    FaultyPublishing publishing(
        service, [](auto) {},
        [&](std::string_view call) {
            if (call != "commit" || ++commits != 2) return;  // the claim, and then the decision
            service.pass(std::chrono::seconds{1});
            EXPECT_EQ(desk.publish(higher).status, 200U);
            service.pass(std::chrono::seconds{1});
        });
    EXPECT_TRUE(publishing.publish(lower));
    EXPECT_EQ(service.sql("SELECT version FROM term_policies ORDER BY published_at"),
              (std::vector<std::vector<std::string>>{{"1"}, {"3"}, {"2"}}));
}

TEST(DOC_4, APublisherWithoutTimeForOneMorePutGivesUp) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    int puts = 0;
    FaultyPublishing publishing(
        service, [&](std::string_view call) { puts += call == "put" ? 1 : 0; },
        // Renewing the claim takes so long that no time is left of it.
        [&](std::string_view call) {
            if (call == "write") service.clock().advance(std::chrono::minutes{10});
        });
    EXPECT_THROW(static_cast<void>(publishing.publish(id)), Unavailable);
    EXPECT_EQ(puts, 0);
    EXPECT_EQ(desk.status(id), "draft");
}

}  // namespace
}  // namespace consentry::tests
