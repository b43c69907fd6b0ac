// What a version says about the processing of personal data: checked in a draft, frozen and hashed with its
// publication.
#include <gmock/gmock.h>

#include "crypto/digest.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Without white space, the members in alphabetical order.
constexpr const char* canonical =
    R"({"jurisdictions":["EU","US-CA"],"personalData":[{"category":"pd:EmailAddress"}],)"
    R"("purposes":[{"category":"dpv:Marketing","description":"Mails about our offers"}],)"
    R"("recipients":[{"category":"dpv:DataProcessor","name":"Mailer Ltd","region":"IE"}],)"
    R"("rights":["eu-gdpr:A7-3"],"storage":{"duration":"P2Y","locations":["DE"]}})";

std::string public_path(const std::string& what) { return "/api/public/term-policy/" + what + "/marketing/1"; }

std::vector<std::string> violated(const Answer& answer) {
    EXPECT_EQ(answer.status, 422U) << answer.body;
    std::vector<std::string> out;
    for (const json::value& error : answer.json.at("errors").as_array())
        out.emplace_back(error.at("property").as_string());
    return out;
}

struct Processings {
    Service& service = service_without_policies();
    const PolicyDesk desk{service};
    Answer create(const json::object& processing) const {
        return desk.call("POST", "create",
                         {{"type", "marketing"},
                          {"version", 1},
                          {"contents", desk.upload("marketing", 1, texts_in({"en"}))},
                          {"processing", processing}});
    }
};

TEST(DOC_7, AProcessingDocumentIsFrozenAndHashedWithItsPublication) {
    const Processings t;
    const Answer created = t.create(some_processing());
    ASSERT_EQ(created.status, 201U) << created.body;
    const std::string id = created.text("data.id");
    EXPECT_EQ(t.service.get(public_path("processing")).number("statusCode"), 6100) << "a draft is nobody's business";
    ASSERT_EQ(t.desk.publish(id).status, 200U);
    const Answer processing = t.service.get(public_path("processing"));
    ASSERT_EQ(processing.status, 200U);
    EXPECT_EQ(processing.body, canonical);
    EXPECT_TRUE(processing.headers.at("etag").starts_with('"')) << "strong";
    const json::value record = json::parse(t.service.get(public_path("publication")).body);
    EXPECT_EQ(record.at("processingHash"), to_hex(crypto::sha256(std::string_view(canonical))).c_str());
    const Answer list = t.service.get("/api/public/term-policy/list");
    EXPECT_EQ(json::serialize(list.json.at("data").at(0).at("processing")), canonical);
    expect_error(t.desk.call("PUT", "update/" + id + "/processing", {{"processing", some_processing()}}), 400, 6105);
}

TEST(DOC_7, ADraftsProcessingDocumentIsReplacedAndRemoved) {
    const Processings t;
    const std::string id = t.create(some_processing()).text("data.id");
    json::object other = some_processing();
    other["rights"] = json::array{};
    ASSERT_EQ(t.desk.call("PUT", "update/" + id + "/processing", {{"processing", other}}).status, 200U);
    const auto stored = [&] {
        return t.service.sql("SELECT COALESCE(processing, 'none') FROM term_policies WHERE id = '" + id + "'")[0][0];
    };
    EXPECT_NE(stored().find(R"("rights":[])"), std::string::npos);
    ASSERT_EQ(t.desk.call("PUT", "update/" + id + "/processing").status, 200U);
    EXPECT_EQ(stored(), "none");
    EXPECT_EQ(t.service.sql("SELECT count(*) FROM activity_log WHERE action = 'adminTermPolicyUpdateProcessing'")[0][0],
              "2");
    EXPECT_EQ(t.service.sql("SELECT count(*) FROM activity_log WHERE action = 'adminTermPolicyUpdateContent'")[0][0],
              "0")
        << "no text was replaced";
    ASSERT_EQ(t.desk.publish(id).status, 200U);
    EXPECT_EQ(t.service.get(public_path("processing")).number("statusCode"), 6106);
    EXPECT_EQ(json::parse(t.service.get(public_path("publication")).body).at("processingHash"), nullptr);
}

TEST(DOC_7, EverythingThatIsWrongWithAProcessingDocumentIsNamed) {
    const Processings t;
    const json::value wrong = json::parse(R"({
        "storage": {"locations": ["DE", "Germany"], "duration": "two years"},
        "purposes": [{"category": "dpv:Marketing"}, {"category": "marketing", "description": ""}],
        "personalData": [],
        "recipients": [{"category": "dpv:", "region": "de"}],
        "jurisdictions": ["EUR"],
        "rights": ["the right"],
        "controller": {"name": "Example Ltd", "email": "nobody"},
        "purpose": 1})");
    EXPECT_THAT(
        violated(t.create(wrong.as_object())),
        UnorderedElementsAre("processing.controller.address", "processing.controller.address",
                             "processing.controller.email", "processing.jurisdictions.0", "processing.personalData",
                             "processing.purposes.1.category", "processing.purposes.1.description",
                             "processing.recipients.0.category", "processing.recipients.0.name",
                             "processing.recipients.0.name", "processing.recipients.0.region", "processing.rights.0",
                             "processing.storage.duration", "processing.storage.locations.1", "processing.purpose"));
    for (const char* missing : {"storage", "purposes", "personalData", "recipients", "jurisdictions", "rights"}) {
        json::object less = some_processing();
        less.erase(missing);
        EXPECT_THAT(violated(t.create(less)), Contains(std::string("processing.") + missing));
    }
    json::object many = some_processing();
    many["rights"] = json::array(51, json::value("eu-gdpr:A7-3"));
    EXPECT_THAT(violated(t.create(many)), UnorderedElementsAre("processing.rights"));
}

TEST(DOC_7, WhatIsInAProcessingDocumentThatCannotBeReadIsNotJudged) {
    const Processings t;
    const std::string id = t.create(some_processing()).text("data.id");
    for (const json::value& unreadable : {json::value("x"), json::value(1), json::value(json::array{})}) {
        const Answer refused = t.desk.call("PUT", "update/" + id + "/processing", {{"processing", unreadable}});
        EXPECT_THAT(violated(refused), ElementsAre("processing")) << refused.body;
        EXPECT_TRUE(refused.violates("processing", "isObject")) << refused.body;
    }
    json::object part = some_processing();
    part["storage"] = "in Germany";
    EXPECT_THAT(violated(t.create(part)), ElementsAre("processing.storage"));
    part.erase("storage");
    EXPECT_THAT(violated(t.create(part)), ElementsAre("processing.storage", "processing.storage"))
        << "isNotEmpty and isObject";
    part = some_processing();
    part["purposes"] = json::array{1, nullptr};
    EXPECT_THAT(violated(t.create(part)),
                UnorderedElementsAre("processing.purposes.0", "processing.purposes.1", "processing.purposes.1"));
    const Answer beside =
        t.desk.call("PUT", "update/" + id + "/processing", {{"processing", "x"}, {"processing.rights", json::array{}}});
    EXPECT_TRUE(beside.violates("processing.rights", "whitelistValidation")) << beside.body;
}

}  // namespace
}  // namespace consentry::tests
