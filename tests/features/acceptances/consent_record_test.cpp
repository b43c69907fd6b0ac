// The record of an acceptance: what it states, and when it claims to be a record of consent.
#include <gmock/gmock.h>

#include "crypto/digest.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_schema.hpp"

namespace consentry::tests {
namespace {

using ::testing::IsEmpty;

const json::object processing = json::parse(R"({
    "storage": {"locations": ["DE"], "duration": "P2Y"}, "purposes": [{"category": "dpv:Marketing"}],
    "personalData": [{"category": "pd:EmailAddress"}], "recipients": [{"name": "Mailer Ltd", "region": "IE"}],
    "jurisdictions": ["EU"], "rights": ["eu-gdpr:A7-3"]})")
                                    .as_object();
const Environment controller{{"CONSENT_CONTROLLER_NAME", "Example Ltd"},
                             {"CONSENT_CONTROLLER_EMAIL", "privacy@example.com"},
                             {"CONSENT_CONTROLLER_ADDRESS", "1 Example Street, Berlin"},
                             {"CONSENT_CONTROLLER_DPO", "dpo@example.com"}};

struct Records {
    explicit Records(Environment settings = controller) : service(std::move(settings)) {}

    void publish(const std::string& type, int version, const json::object& more = {}, const json::object& terms = {}) {
        json::object body = more;
        body["type"] = type;
        body["version"] = version;
        body["contents"] = desk.upload(type, version, texts_in({"en", "de"}, std::to_string(version)));
        const Answer created = desk.call("POST", "create", body);
        ASSERT_EQ(created.status, 201U) << created.body;
        ASSERT_EQ(desk.call("PATCH", "publish/" + created.text("data.id"), terms).status, 200U);
        service.clock().advance(std::chrono::seconds{1});  // what comes next is newer
    }
    std::string newest_id() const {
        return service.get(accepted_path, bearer(token)).json.at("data").at(0).at("acceptanceId").as_string().c_str();
    }
    Answer get(const std::string& id, const std::string& of = {}) const {
        return service.get("/api/shared/user/term-policy/record/" + id, bearer(of.empty() ? token : of));
    }
    json::object newest() const {
        const Answer answer = get(newest_id());
        EXPECT_EQ(answer.status, 200U) << answer.body;
        EXPECT_TRUE(answer.headers.at("content-type").starts_with("application/ld+json"));
        const json::value record = json::parse(answer.body);
        const json::value schema = json::parse(text_in(CONSENTRY_REFERENCE "/consent-record.schema.json"));
        const json::object forms{{"oneOf", schema.at("oneOf")}};
        EXPECT_THAT(SchemaChecker(schema).complaints(record, forms), IsEmpty()) << answer.body;
        return record.as_object();
    }

    Service service;
    const PolicyDesk desk{service};
    const Person person = service.make_person();
    const std::string token = service.tokens_of(person).access;
};

TEST(ConsentRecord, StatesWhoAgreedToWhatForWhichPurpose) {
    Records t;
    t.publish("marketing", 1, {{"processing", processing}});
    ASSERT_EQ(accept(t.service, t.token, "marketing", {{"language", "de"}}).status, 200U);
    const json::object record = t.newest();
    EXPECT_EQ(record.at("@type"), "dpv:ConsentRecord");
    EXPECT_EQ(record.at("dct:conformsTo"), "https://w3id.org/dpv/schema/dpv-27560#record");
    EXPECT_EQ(record.at("dct:identifier"), t.newest_id().c_str());
    EXPECT_EQ(record.at("dpv:hasDataSubject").at("@id"), ("urn:uuid:" + t.person.id.text()).c_str());
    const json::value& notice = record.at("dpv:hasNotice");
    EXPECT_EQ(notice.at("@type"), "dpv:ConsentNotice");
    EXPECT_EQ(notice.at("dct:identifier"), "marketing/1");
    EXPECT_EQ(notice.at("dct:language"), "de");
    EXPECT_EQ(notice.at("consentry:contentHash"), to_hex(crypto::sha256(texts_in({"de"}, "1").at("de"))).c_str());
    const json::value& process = record.at("dpv:hasProcess");
    EXPECT_EQ(process.at("dpv:hasPurpose").at(0).at("@type"), "dpv:Marketing");
    EXPECT_EQ(process.at("dpv:hasPersonalData").at(0).at("@type"), "pd:EmailAddress");
    EXPECT_EQ(process.at("dpv:hasStorageCondition").at("dpv:hasDuration"), "P2Y");
    EXPECT_EQ(process.at("dpv:hasRecipient").at(0).at("dpv:hasName"), "Mailer Ltd");
    EXPECT_EQ(process.at("dpv:hasJurisdiction").at(0).at("@id"), "loc:EU");
    EXPECT_EQ(process.at("dpv:hasRight").at(0).at("@id"), "eu-gdpr:A7-3");
    EXPECT_EQ(process.at("dpv:hasDataController").at("dpv:hasName"), "Example Ltd");
    EXPECT_EQ(process.at("dpv:hasConsentControl").as_array().size(), 2U);
    EXPECT_EQ(record.at("dpv:hasConsentStatus").at("@type"), "dpv:ConsentGiven");
    EXPECT_EQ(record.at("dpv:hasConsentStatus").at("dct:date"), to_iso8601(t.service.clock().now()).c_str());
}

TEST(ConsentRecord, FollowsTheStatesOfConsent) {
    Records t;
    t.publish("marketing", 1);
    const auto status = [&] { return t.newest().at("dpv:hasConsentStatus").at("@type"); };
    ASSERT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    const std::string first = t.newest_id();
    t.service.clock().advance(std::chrono::seconds{1});
    ASSERT_EQ(withdraw(t.service, t.token, "marketing").status, 200U);
    EXPECT_EQ(status(), "dpv:ConsentWithdrawn");
    t.service.clock().advance(std::chrono::seconds{1});
    ASSERT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    EXPECT_EQ(status(), "dpv:RenewedConsentGiven");
    EXPECT_EQ(json::parse(t.get(first).body).at("dpv:hasConsentStatus").at("@type"), "dpv:ConsentGiven");
}

TEST(ConsentRecord, ClaimsTheSchemaOnlyWhenItIsComplete) {
    Records without(Environment{});
    without.publish("marketing", 1, {{"processing", processing}});
    ASSERT_EQ(accept(without.service, without.token, "marketing").status, 200U);
    EXPECT_FALSE(without.newest().contains("dct:conformsTo")) << "no controller";
    json::object own = processing;
    own["controller"] =
        json::object{{"name", "Other Ltd"}, {"email", "a@other.example"}, {"address", "2 Other Street"}};
    without.publish("marketing", 2, {{"processing", own}});
    ASSERT_EQ(accept(without.service, without.token, "marketing").status, 200U);
    EXPECT_TRUE(without.newest().contains("dct:conformsTo")) << "the version names its own";
    Records with;
    with.publish("marketing", 1);
    ASSERT_EQ(accept(with.service, with.token, "marketing").status, 200U);
    EXPECT_FALSE(with.newest().contains("dct:conformsTo")) << "no processing";
}

TEST(ConsentRecord, AcceptingTermsIsNoConsent) {
    Records t;
    t.publish("termsOfService", 1, {{"processing", processing}});
    ASSERT_EQ(accept(t.service, t.token, "termsOfService").status, 200U);
    const json::object record = t.newest();
    EXPECT_EQ(record.at("@type"), "consentry:AcceptanceReceipt");
    EXPECT_EQ(record.at("consentry:action"), "accepted");
    for (const char* claim : {"dct:conformsTo", "dpv:hasConsentStatus"}) EXPECT_FALSE(record.contains(claim)) << claim;
    EXPECT_EQ(record.at("dpv:hasNotice").at("@type"), "dpv:Notice");
}

TEST(ConsentRecord, NamesTheChangesThatLeftItValid) {
    Records t;
    const json::object immaterial{{"isMaterial", false}, {"materialReason", "a typing error"}};
    t.publish("privacy", 1);
    ASSERT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    EXPECT_FALSE(t.newest().contains("consentry:holdsFor"));
    t.publish("privacy", 2, {}, immaterial);
    const json::object record = t.newest();
    ASSERT_EQ(record.at("consentry:holdsFor").as_array().size(), 1U);
    EXPECT_EQ(record.at("consentry:holdsFor").at(0).at("dct:identifier"), "privacy/2");
    EXPECT_EQ(record.at("consentry:holdsFor").at(0).at("consentry:materialReason"), "a typing error");
    t.publish("privacy", 3);
    t.publish("privacy", 4, {}, immaterial);
    EXPECT_EQ(t.newest().at("consentry:holdsFor").as_array().size(), 1U) << "not for what came after a material change";
}

TEST(ConsentRecord, IsItsOwnersAlone) {
    Records t;
    t.publish("marketing", 1);
    ASSERT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    const std::string other = t.service.tokens_of(t.service.make_person()).access;
    EXPECT_EQ(t.get(t.newest_id(), other).number("statusCode"), 6119);
    EXPECT_EQ(t.service.get("/api/shared/user/term-policy/record/" + t.newest_id()).status, 401U);
}

}  // namespace
}  // namespace consentry::tests
