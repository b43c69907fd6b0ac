// Tests that no object without a document stays, and that no object of a document is erased (DOC-7).
#include "app/app.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

std::string loose(const Service& service) { return service.sql("SELECT COUNT(*) FROM loose_objects")[0][0]; }

// After an hour, the sweep leaves no private object and no record of one to erase.
void expect_swept_in_an_hour(Service& service, const PolicyDesk& desk) {
    service.pass(hours{1});
    desk.sweep();
    EXPECT_EQ(stored_objects(service, "private"), 0U);
    EXPECT_EQ(loose(service), "0");
}

// Runs a sweeper of its own on a store that the test controls.
void sweep_with(Service& service, const BeforeCall& before) {
    auto& services = service.app().services();
    FaultyStore store(services.object_store, before);
    LooseObjects sweeper(services.database, store, services.clock, {});
    run(sweeper.sweep());
}

TEST(DOC_7, AnUploadThatNobodyUsesIsErasedWhenItsAddressIsOver) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    desk.upload("privacy", 1, texts_in({"en", "de"}));
    desk.sweep();
    EXPECT_EQ(stored_objects(service, "private"), 2U) << "the address is good";
    expect_swept_in_an_hour(service, desk);
}

TEST(DOC_7, WhatADraftHasStays) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en", "de"}));
    service.pass(hours{1});
    desk.sweep();
    EXPECT_EQ(stored_objects(service, "private"), 2U);
    EXPECT_EQ(loose(service), "0");
    EXPECT_EQ(desk.publish(id).status, 200U);
}

TEST(DOC_7, WhatWasRemovedOrDeletedIsErasedAndStaysErased) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en", "de"}));
    const std::string url = desk.presign("privacy", 1, "en", 5).text("data.presignUrl");
    desk.remove(id, "de");
    EXPECT_EQ(stored_object(service, "private", draft_key("privacy", 1, "de")), std::nullopt);
    EXPECT_NE(stored_object(service, "private", draft_key("privacy", 1, "en")), std::nullopt);
    desk.erase(id);
    EXPECT_EQ(stored_objects(service, "private"), 0U) << "with the answer";
    EXPECT_EQ(desk.put(url, "again").status, 200U) << "its address is still good";
    expect_swept_in_an_hour(service, desk);
}

// An outage of the store fails no administrator's change: the sweeper erases the file later.
TEST(DOC_7, WhatCannotBeErasedAtOnceGoesLater) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string deleted = desk.draft("privacy", 1, texts_in({"en", "de"}));
    const std::string published = desk.draft("cookies", 1, texts_in({"en"}));
    auto& services = service.app().services();
    FaultyStore store(services.object_store, [](std::string_view call) {
        if (call == "erase") throw std::runtime_error("injected fault");
    });
    TermPolicies policies(services.database, store, services.clock, services.mails, services.audit, {});
    EXPECT_TRUE(run(policies.remove_content(Actor::operator_at_the_machine(), TermPolicyId::parse(deleted).value(),
                                            Language::de, {})));
    EXPECT_TRUE(run(policies.erase(Actor::operator_at_the_machine(), TermPolicyId::parse(deleted).value(), {})));
    EXPECT_TRUE(run(policies.publish(Actor::operator_at_the_machine(), TermPolicyId::parse(published).value(), {})));
    EXPECT_EQ(stored_objects(service, "private"), 3U);
    expect_swept_in_an_hour(service, desk);
}

TEST(DOC_7, AnOutageOfTheStoreIsOutlived) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    desk.upload("privacy", 1, texts_in({"en", "de", "fr"}));
    service.pass(hours{1});
    int erased = 0;
    EXPECT_THROW(sweep_with(service,
                            [&](std::string_view call) {
                                if (call == "erase" && ++erased == 2) throw Unavailable("injected fault");
                            }),
                 Unavailable);
    EXPECT_EQ(stored_objects(service, "private"), 2U);
    expect_swept_in_an_hour(service, desk);
}

// During an upgrade, instances of two versions run side by side.
TEST(DOC_7, WhatOnlyANewerProgramKnowsIsLeftToIt) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const auto add = [&](const std::string& area, const std::string& type, int version, const std::string& language) {
        service.sql("INSERT INTO loose_objects (area, type, version, language, due_at) VALUES ('" + area + "', '" +
                    type + "', " + std::to_string(version) + ", '" + language + "', 0)");
    };
    for (int version = 1; version <= 100; ++version) add("private", "imprint", version, "en");  // one full portion
    add("archive", "privacy", 1, "en");
    add("private", "privacy", 1, "tlh");
    desk.upload("privacy", 1, texts_in({"en"}));
    desk.draft("cookies", 1, texts_in({"en"}));
    const std::string odd = desk.draft("marketing", 1, texts_in({"en"}));
    service.sql("UPDATE term_policies SET status = 'retired' WHERE id = '" + odd + "'");
    service.pass(hours{1});
    desk.sweep();
    EXPECT_EQ(stored_object(service, "private", draft_key("privacy", 1, "en")), std::nullopt);
    EXPECT_NE(stored_object(service, "private", draft_key("cookies", 1, "en")), std::nullopt);
    EXPECT_NE(stored_object(service, "private", draft_key("marketing", 1, "en")), std::nullopt);
    EXPECT_EQ(loose(service), "103") << "what cannot be read, and what somebody else may have";
}

TEST(DOC_7, AfterAPublicationItsPrivateFilesGo) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en", "de"}));
    EXPECT_EQ(stored_objects(service, "private"), 0U) << "moved, not copied";
    service.pass(hours{24});
    desk.sweep();
    EXPECT_EQ(stored_objects(service, "public"), 2U);
    EXPECT_EQ(loose(service), "0");
}

// A publication that was interrupted after it had written to the public area.
struct CutOff {
    explicit CutOff(Service& service) : desk(service), id(desk.draft("privacy", 1, texts_in({"en", "de"}))) {
        auto& services = service.app().services();
        int gets = 0;
        FaultyStore store(services.object_store, [&](std::string_view call) {
            if (call == "get" && ++gets == 4) throw Unavailable("injected fault");
        });
        TermPolicies policies(services.database, store, services.clock, services.mails, services.audit, {});
        try {
            const auto done =
                run(policies.publish(Actor::operator_at_the_machine(), TermPolicyId::parse(id).value(), {}));
            ADD_FAILURE() << "no fault was injected: " << done.has_value();
        } catch (const Unavailable& outage) {
            EXPECT_STREQ(outage.what(), "injected fault");
        }
        EXPECT_EQ(stored_objects(service, "public"), 2U);
    }
    PolicyDesk desk;
    std::string id;
};

TEST(DOC_7, WhatACutOffPublicationLeftBehindIsErased) {
    Service& service = service_without_policies();
    const CutOff cut_off(service);
    cut_off.desk.sweep();
    EXPECT_EQ(stored_objects(service, "public"), 2U) << "the publisher may still be at it";
    service.pass(hours{1});
    cut_off.desk.sweep();
    EXPECT_EQ(stored_objects(service, "public"), 0U);
    EXPECT_EQ(cut_off.desk.publish(cut_off.id).status, 200U);
    EXPECT_EQ(stored_objects(service, "public"), 2U);
}

TEST(DOC_7, FilesOfARepeatedPublicationAreKept) {
    Service& service = service_without_policies();
    const CutOff cut_off(service);
    ASSERT_EQ(cut_off.desk.publish(cut_off.id).status, 200U);
    service.pass(hours{1});
    cut_off.desk.sweep();
    EXPECT_EQ(stored_objects(service, "public"), 2U);
}

TEST(DOC_7, ALanguageThatWasRemovedAfterACutOffPublicationGoes) {
    Service& service = service_without_policies();
    const CutOff cut_off(service);
    service.pass(minutes{10});
    EXPECT_EQ(cut_off.desk.remove(cut_off.id, "de").status, 204U);
    EXPECT_EQ(cut_off.desk.publish(cut_off.id).status, 200U);
    service.pass(hours{1});
    cut_off.desk.sweep();
    EXPECT_EQ(stored_object(service, "public", draft_key("privacy", 1, "de")), std::nullopt);
    EXPECT_NE(stored_object(service, "public", draft_key("privacy", 1, "en")), std::nullopt);
}

// Between the sweeper's check and the erasure, no request may create a document from the object.
TEST(DOC_7, WhatIsBeingErasedIsNotTakenUp) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en", "de"}));
    desk.remove(id, "de");
    const json::object german = desk.upload("privacy", 1, "de", "x");
    service.pass(hours{1});
    int looked = 0;
    sweep_with(service, [&](std::string_view call) {
        if (call != "erase") return;
        ++looked;
        const Answer busy = desk.add(id, german);
        expect_error(busy, 409, 6112);
        EXPECT_GE(busy.number("data.retryAfterSeconds"), 1);
        EXPECT_EQ(busy.text("message"), "The policy or one of its files is being changed. Please try again in " +
                                            std::to_string(busy.number("data.retryAfterSeconds")) + " seconds.");
        expect_error(desk.presign("privacy", 1, "de", 5), 409, 6112);
        expect_error(desk.create("privacy", 1, {german}), 409, 6101);
    });
    EXPECT_EQ(looked, 1);
    EXPECT_EQ(complaints_of(desk.add(id, german)), "de absent");
    EXPECT_EQ(desk.add(id, desk.upload("privacy", 1, "de", "x")).status, 200U);
}

TEST(DOC_7, WhatIsReleasedWhileItIsLookedAtIsLookedAtAgain) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    service.pass(hours{1});
    auto& services = service.app().services();
    // Deletes the draft after the sweeper has found it, but before the sweeper updates its row.
    int commits = 0;
    FaultyDatabase database(services.database, [&](std::string_view call) {
        if (call == "commit" && commits++ == 0) EXPECT_EQ(desk.erase(id).status, 200U);
    });
    LooseObjects sweeper(database, services.object_store, services.clock, {});
    run(sweeper.sweep());
    EXPECT_EQ(commits, 1);
    expect_swept_in_an_hour(service, desk);
}

TEST(DOC_7, ASweeperThatStoodStillErasesNothing) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    desk.upload("privacy", 1, texts_in({"en"}));
    service.pass(hours{1});
    auto& services = service.app().services();
    int reads = 0;
    FaultyDatabase database(services.database, [&](std::string_view call) {
        if (call == "read" && ++reads == 2) service.clock().advance(minutes{5});
    });
    LooseObjects sweeper(database, services.object_store, services.clock, {});
    run(sweeper.sweep());
    EXPECT_EQ(stored_objects(service, "private"), 1U);
    desk.sweep();
    EXPECT_EQ(stored_objects(service, "private"), 0U);
}

// Its claim is over when it decides, and the sweeper has erased the public files meanwhile.
TEST(DOC_7, APublisherThatStoodStillPublishesNothingThatWasErased) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en", "de"}));
    auto& services = service.app().services();
    int commits = 0;
    FaultyDatabase database(services.database, [&](std::string_view call) {
        if (call != "commit" || ++commits != 2) return;
        EXPECT_EQ(stored_objects(service, "public"), 2U) << "ready to be published";
        service.pass(hours{1});
        desk.sweep();
        EXPECT_EQ(stored_objects(service, "public"), 0U);
    });
    TermPolicies policies(database, services.object_store, services.clock, services.mails, services.audit, {});
    EXPECT_TRUE(run(policies.publish(Actor::operator_at_the_machine(), TermPolicyId::parse(id).value(), {})));
    EXPECT_EQ(desk.status(id), "published");
    EXPECT_EQ(stored_objects(service, "public"), 2U) << "at the second try";
    service.pass(hours{1});
    desk.sweep();
    EXPECT_EQ(stored_objects(service, "public"), 2U);
}

TEST(DOC_7, ManySweepersAndEditorsAtOnce) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    const auto answers = at_once(6, [&](std::size_t i) {
        if (i % 2 == 0) {
            for (int n = 0; n < 10; ++n) desk.sweep();
            return Answer{};
        }
        const std::string language = i == 1 ? "de" : i == 3 ? "fr" : "es";
        Answer last;
        for (int n = 0; n < 10; ++n) {
            const Answer address = desk.presign("privacy", 1, language, 4);
            if (address.status != 200) continue;
            desk.put(address.text("data.presignUrl"), "text");
            last = desk.add(id, {{"language", language}, {"key", draft_key("privacy", 1, language)}, {"size", 4}});
            EXPECT_TRUE(last.status == 200 || last.status == 409 || complaints_of(last) == language + " absent");
            if (n < 9) desk.remove(id, language);
        }
        return last;
    });
    for (const auto& row : service.sql("SELECT language FROM term_policy_contents"))
        EXPECT_NE(stored_object(service, "private", draft_key("privacy", 1, row[0])), std::nullopt) << row[0];
    EXPECT_EQ(answers.size(), 6U);
}

}  // namespace
}  // namespace consentry::tests
