// Tests drafts of term policies: how they are uploaded, checked, changed and deleted.
#include <set>

#include "app/app.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

constexpr const char* absent = "01890000-0000-7000-8000-000000000000";

TEST(DOC_2, AFileIsUploadedCheckedAndReadAgain) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string text = "<h1>Nutzungsbedingungen</h1> {{company}} äöü";
    const Answer address = desk.presign("termsOfService", 1, "de", text.size());
    ASSERT_EQ(address.status, 200U) << address.body;
    EXPECT_EQ(address.text("data.key"), "term-policies/termsOfService/1/de.hbs");
    EXPECT_EQ(address.text("data.extension"), "hbs");
    EXPECT_EQ(address.number("data.expiredIn"), 1'800);
    EXPECT_EQ(desk.put(address.text("data.presignUrl"), text + "!").status, 403U) << "another size than announced";
    ASSERT_EQ(desk.put(address.text("data.presignUrl"), text).status, 200U);

    const Answer created = desk.create(
        "termsOfService", 1, {{{"language", "de"}, {"key", address.text("data.key")}, {"size", text.size()}}});
    ASSERT_EQ(created.status, 201U) << created.body;
    EXPECT_EQ(created.text("data.status"), "draft");
    EXPECT_EQ(created.number("data.version"), 1);
    EXPECT_EQ(created.text("data.createdBy"), desk.admin.id.text());
    EXPECT_EQ(created.text("data.contents.0.access"), "private");
    EXPECT_EQ(created.number("data.contents.0.size"), std::ssize(text));
    const json::object& content = created.json.at("data").at("contents").at(0).as_object();
    for (const char* name : {"cdnUrl", "completedUrl"}) {
        ASSERT_TRUE(content.contains(name)) << created.body;
        EXPECT_TRUE(content.at(name).is_null()) << "drafts have no public address: " << created.body;
    }
    EXPECT_FALSE(created.has("data.publishedAt"));

    const Answer read = desk.content(created.text("data.id"), "de");
    ASSERT_EQ(read.status, 200U) << read.body;
    const Answer file = desk.fetch(read.text("data.presignUrl"));
    EXPECT_EQ(file.status, 200U);
    EXPECT_EQ(file.body, text);
    service.pass(std::chrono::seconds{1'801});
    EXPECT_EQ(desk.fetch(read.text("data.presignUrl")).status, 403U);
    EXPECT_EQ(desk.put(address.text("data.presignUrl"), text).status, 403U);
}

TEST(DOC_2, WhatIsNotThereAsAnnouncedIsRefused) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const auto content = [](const std::string& language, std::size_t size) {
        return json::object{{"language", language}, {"key", draft_key("privacy", 1, language)}, {"size", size}};
    };
    const auto put = [&](const std::string& language, const std::string& bytes) {
        overwrite_object(service, "private", draft_key("privacy", 1, language), bytes);
    };
    put("en", "good");
    put("de", "too long");
    put("fr", std::string("z\0ro", 4));
    put("es", "\xC0\xAF..");  // overlong UTF-8
    put("ja", std::string(1'048'577, 'x'));
    const Answer refused = desk.create("privacy", 1,
                                       {content("ja", 1'048'576), content("en", 4), content("de", 4), content("fr", 4),
                                        content("es", 4), content("id", 4)});
    EXPECT_EQ(refused.status, 400U);
    EXPECT_EQ(complaints_of(refused), "de size, es notText, fr notText, id absent, ja tooLarge");
    EXPECT_TRUE(service.sql("SELECT id FROM term_policies").empty());

    put("ja", std::string(1'048'576, 'x'));
    EXPECT_EQ(desk.create("privacy", 1, {content("ja", 1'048'576)}).status, 201U) << "the largest that is allowed";
}

TEST(DOC_1, PartsOfKeysComeFromListsAndPatterns) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    const auto rows = [&] { return service.sql("SELECT COUNT(*) FROM loose_objects").at(0).at(0); };
    const std::string before = rows();
    const std::string longest(1'000, 'a');
    const std::vector<std::string> tricks{"",       ".",        "..",     "../en",     "..%2fen", "%252e%252e",
                                          "..\\en", "en/../de", "en.",    "EN",        "ｅｎ",    longest,
                                          "en%00",  "/en",      "en.hbs", "en\\u0000", "en ",     "\xF0\x9F\x98\x80"};
    for (const std::string& trick : tricks) {
        SCOPED_TRACE(trick);
        const json::object presign{{"type", "privacy"}, {"version", 1}, {"language", "en"}, {"size", 5}};
        for (const char* part : {"type", "version", "language", "size"}) {
            json::object body = presign;
            body[part] = trick;
            EXPECT_EQ(desk.call("POST", "generate/content/presign", body).status, 422U) << part;
        }
        const Answer created = desk.create("cookies", 1, {{{"language", "en"}, {"key", trick}, {"size", 5}}});
        EXPECT_EQ(created.status, 422U) << created.body;
        EXPECT_TRUE(created.violates("contents.0.key", trick.empty() ? "isNotEmpty" : "isMatching"));
        EXPECT_EQ(desk.add(id, {{"language", "de"}, {"key", trick}, {"size", 5}}).status, 422U);
        EXPECT_EQ(desk.update(id, {{"language", "en"}, {"key", trick}, {"size", 5}}).status, 422U);
        EXPECT_EQ(desk.remove(id, trick).status, 422U);
    }
    for (const char* language : {"xx", "EN", "..%2fen", "%252e%252e", "en.", "en%00", "%C0%AF", "en%2Fde"}) {
        const unsigned status = desk.content(id, language).status;
        EXPECT_TRUE(status == 400 || status == 404) << language << " " << status;
    }
    for (const char* other : {"term-policies/cookies/2/en.hbs", "term-policies/cookies/1/de.hbs",
                              "term-policies/privacy/1/en.hbs", "./term-policies/cookies/1/en.hbs"})
        EXPECT_TRUE(desk.create("cookies", 1, {{{"language", "en"}, {"key", other}, {"size", 5}}})
                        .violates("contents.0.key", "isMatching"))
            << other;
    EXPECT_EQ(rows(), before) << "nothing was looked for in the store";
}

TEST(DOC_1, NumbersAreWithinBounds) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const auto presign = [&](json::value version, json::value size) {
        return desk.call("POST", "generate/content/presign",
                         {{"type", "privacy"}, {"version", version}, {"language", "en"}, {"size", size}});
    };
    for (const json::value& version : {json::value(0), json::value(-1), json::value(1'000'000'000), json::value(1.5)})
        EXPECT_EQ(presign(version, 5).status, 422U) << version;
    for (const json::value& size : {json::value(0), json::value(-1), json::value(1'048'577), json::value(1e9)})
        EXPECT_EQ(presign(1, size).status, 422U) << size;
    EXPECT_EQ(presign(999'999'999, 1'048'576).status, 200U);

    EXPECT_TRUE(desk.create("privacy", 1, {}).violates("contents", "arrayNotEmpty"));
    const json::object content{{"language", "en"}, {"key", draft_key("privacy", 1, "en")}, {"size", 5}};
    EXPECT_TRUE(desk.create("privacy", 1, {content, content}).violates("contents", "arrayUnique"));
}

TEST(DOC_1, ContentsThatCannotBeReadAreNotRepeated) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const Answer numbers = desk.create("privacy", 1, {3, 4});
    EXPECT_TRUE(numbers.violates("contents.0", "isObject")) << numbers.body;
    EXPECT_TRUE(numbers.violates("contents.1", "isObject")) << numbers.body;
    EXPECT_EQ(numbers.json.at("errors").as_array().size(), 2U) << numbers.body;
    const Answer text = desk.call("POST", "create", {{"type", "privacy"}, {"version", 1}, {"contents", "x"}});
    EXPECT_TRUE(text.violates("contents", "isArray")) << text.body;
    EXPECT_TRUE(text.violates("contents", "arrayNotEmpty")) << text.body;
    EXPECT_EQ(text.json.at("errors").as_array().size(), 2U) << text.body;
    const Answer missing = desk.call("POST", "create", {{"type", "privacy"}, {"version", 1}});
    for (const char* rule : {"isNotEmpty", "isArray", "arrayNotEmpty"})
        EXPECT_TRUE(missing.violates("contents", rule)) << missing.body;
}

TEST(Drafts, AVersionExistsOnce) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const json::array contents = desk.upload("cookies", 1, texts_in({"en", "de"}));
    const auto answers = at_once(8, [&](std::size_t) { return desk.create("cookies", 1, contents); });
    EXPECT_EQ(statuses(answers), (std::map<unsigned, std::size_t>{{201, 1}, {409, 7}}));
    for (const Answer& answer : answers)
        if (answer.status == 409) EXPECT_EQ(answer.number("statusCode"), 6101) << answer.body;
    expect_error(desk.create("cookies", 1, contents), 409, 6101);
    EXPECT_EQ(service.sql("SELECT COUNT(*) FROM term_policy_contents").at(0).at(0), "2");
}

TEST(Drafts, LanguagesComeAndGo) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("marketing", 3, texts_in({"en"}));
    const json::object german = desk.upload("marketing", 3, "de", "Werbung");
    expect_error(desk.update(id, german), 404, 6106);
    EXPECT_EQ(desk.add(id, german).status, 200U);
    expect_error(desk.add(id, german), 409, 6107);
    const json::object shorter = desk.upload("marketing", 3, "de", "Neu");
    EXPECT_EQ(desk.update(id, shorter).status, 200U);
    EXPECT_EQ(complaints_of(desk.update(id, german)), "de size") << "another one lies there now";
    EXPECT_EQ(desk.remove(id, "en").status, 204U);
    expect_error(desk.remove(id, "en"), 404, 6106);
    expect_error(desk.content(id, "en"), 404, 6106);
    const Answer deleted = desk.erase(id);
    EXPECT_EQ(deleted.status, 200U) << deleted.body;
    EXPECT_EQ(deleted.number("data.contents.0.size"), 3);
    EXPECT_EQ(deleted.json.at("data").at("contents").as_array().size(), 1U);
    for (const Answer& answer : {desk.erase(id), desk.add(id, german), desk.update(id, german), desk.remove(id, "de"),
                                 desk.content(id, "de"), desk.publish(id), desk.publish(absent)})
        expect_error(answer, 404, 6100);
    expect_error(desk.publish("nonsense"), 400, 5030);
    EXPECT_EQ(desk.draft("marketing", 3, texts_in({"en"})).empty(), false) << "the number is free again";
}

TEST(Drafts, ManyEditorsLoseNothing) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    const std::vector<std::string> languages{"de", "es", "fr", "id", "ja"};
    std::vector<json::object> contents;
    for (const std::string& language : languages) contents.push_back(desk.upload("privacy", 1, language, language));
    const auto answers = at_once(10, [&](std::size_t i) { return desk.add(id, contents[i % contents.size()]); });
    EXPECT_EQ(statuses(answers), (std::map<unsigned, std::size_t>{{200, 5}, {409, 5}}));
    EXPECT_EQ(service.sql("SELECT revision FROM term_policies").at(0).at(0), "5");
    const auto removed = at_once(10, [&](std::size_t i) { return desk.remove(id, languages[i % languages.size()]); });
    EXPECT_EQ(statuses(removed), (std::map<unsigned, std::size_t>{{204, 5}, {404, 5}}));
}

TEST(Drafts, ChangesStandInTheActivityLogOfWhoMadeThem) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    desk.add(id, desk.upload("privacy", 1, "de", "x"));
    desk.update(id, desk.upload("privacy", 1, "de", "y"));
    desk.remove(id, "de");
    EXPECT_EQ(desk.call("PUT", "update/" + id + "/processing", {{"processing", some_processing()}}).status, 200U);
    desk.publish(id);
    desk.erase(desk.draft("privacy", 2, texts_in({"en"})));
    std::set<std::string> actions;
    const Answer log = service.get("/api/shared/user/activity-log/list", bearer(desk.token()));
    for (const auto& entry : log.json.at("data").as_array())
        if (entry.as_object().contains("metadata") && entry.at("metadata").as_object().contains("termPolicyId"))
            actions.insert(std::string(entry.at("action").as_string()));
    EXPECT_EQ(actions, (std::set<std::string>{"adminTermPolicyCreate", "adminTermPolicyAddContent",
                                              "adminTermPolicyUpdateContent", "adminTermPolicyRemoveContent",
                                              "adminTermPolicyUpdateProcessing", "adminTermPolicyPublish",
                                              "adminTermPolicyDelete"}));
}

TEST(DOC_9, TemplatesAreKeptAsTheyAre) {
    Service service;
    const PolicyDesk desk(service);
    const std::string text = "<script>alert(1)</script>{7*7}${7*7}<%= 7*7 %>\r\n\t\xEF\xBB\xBF";
    const std::string template_text =
        text + "{{#each users}}{{password}}{{/each}}{{constructor.constructor \"return process\"}}";
    const std::string id = desk.draft("termsOfService", 1, {{"en", template_text}});
    EXPECT_EQ(desk.fetch(desk.content(id, "en").text("data.presignUrl")).body, template_text);

    EXPECT_EQ(desk.update(id, desk.upload("termsOfService", 1, "en", text)).status, 200U);
    ASSERT_EQ(desk.publish(id).status, 200U);
    const std::string url = desk.content(id, "en").text("data.presignUrl");
    EXPECT_EQ(url.find('?'), std::string::npos) << "public";
    const Answer file = desk.fetch(url);
    EXPECT_EQ(file.body, text);
    EXPECT_EQ(file.headers.at("content-type"), "text/plain; charset=utf-8");
    EXPECT_EQ(file.headers.at("x-content-type-options"), "nosniff");
    EXPECT_NE(file.headers.at("content-security-policy").find("sandbox"), std::string::npos);
}

}  // namespace
}  // namespace consentry::tests
