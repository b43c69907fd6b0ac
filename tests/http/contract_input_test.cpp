// Input rules that apply to every request body alike: addresses, names, codes.
#include <set>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

// The body of an operation as the document describes it, with all referenced components.
struct DescribedBody {
    std::string operation;
    json::object components;
    std::string text;
};
std::vector<DescribedBody> described_bodies(App& app) {
    std::vector<DescribedBody> out;
    for (const auto& operation : app.router().operations()) {
        if (!operation->describe_body) continue;
        DescribedBody body{.operation = operation->id, .components = {}, .text = {}};
        operation->describe_body(body.components);
        body.text = json::serialize(body.components);
        out.push_back(std::move(body));
    }
    return out;
}

// What a version says about the processing of personal data, with these names.
json::object processing_of(json::object controller, const std::string& recipient = "Mailer Ltd") {
    controller["address"] = "1 Example Street";
    return {{"controller", std::move(controller)},
            {"jurisdictions", json::array{"EU"}},
            {"personalData", json::array{json::object{{"category", "pd:EmailAddress"}}}},
            {"purposes", json::array{json::object{{"category", "dpv:Marketing"}}}},
            {"recipients", json::array{json::object{{"name", recipient}}}},
            {"rights", json::array{}},
            {"storage", json::object{{"duration", "P2Y"}, {"locations", json::array{"DE"}}}}};
}

TEST(INP_7, BlanksAroundAnAddressAreNoPartOfIt) {
    Keys office;
    const Service& service = office.service;
    const Person ada = office.service.make_person();
    std::string written = " \t\r\n" + ada.email + "  ";
    written[written.find('p')] = 'P';
    const Headers system = with_key(office.make("system").text());
    const auto login = [&](const std::string& email) { return service.log_in(email, ada.password); };

    std::set<std::string> asked;
    const auto expect = [&](const char* operation, const Answer& answer, unsigned status) {
        asked.emplace(operation);
        EXPECT_EQ(answer.status, status) << operation << answer.body;
        EXPECT_FALSE(answer.has("errors")) << operation << answer.body;
    };
    expect("loginWithCredential", login(written), 200);
    expect("signUp", service.post(sign_up_path, sign_up_body(" New@Example.org\n")), 201);
    expect("sendVerificationEmail", service.post(resend_path, {{"email", written}}), 200);
    expect("forgotPassword", service.post(forgot_path, {{"email", written}}), 200);
    expect("createUser",
           office.call(office.chief, "POST", "user/create",
                       {{"email", "\tmade@example.org "}, {"roleId", built_in(Role::user)}}),
           201);
    const Answer known = service.post("/api/system/user/check/email", {{"email", written}}, system);
    expect("checkEmail", known, 200);
    EXPECT_TRUE(known.boolean("data.exist"));
    EXPECT_EQ(one(service, "SELECT count(*) FROM users WHERE email IN ('new@example.org', 'made@example.org')"), "2");

    const PolicyDesk desk(office.service);
    const auto stored = [&] {
        const json::value processing =
            json::parse(one(service, "SELECT processing FROM term_policies WHERE processing IS NOT NULL"));
        return std::string(processing.at("controller").at("email").as_string());
    };
    const Answer drafted = desk.call("POST", "create",
                                     {{"type", "marketing"},
                                      {"version", 1},
                                      {"contents", desk.upload("marketing", 1, texts_in({"en"}))},
                                      {"processing", processing_of({{"name", "Ada Ltd"}, {"email", written}})}});
    expect("createTermPolicy", drafted, 201);
    EXPECT_EQ(stored(), ada.email);
    expect("updateTermPolicyProcessing",
           desk.call("PUT", "update/" + drafted.text("data.id") + "/processing",
                     {{"processing", processing_of({{"name", "Ada Ltd"}, {"email", " Office@example.org\n"}})}}),
           200);
    EXPECT_EQ(stored(), "office@example.org");

    // The list above must be complete: add every operation whose body has an address.
    std::set<std::string> with_address;
    for (const DescribedBody& body : described_bodies(office.service.app()))
        if (body.text.contains(R"("format":"email")")) with_address.insert(body.operation);
    EXPECT_EQ(asked, with_address);
    // Inside an address, white space still makes it invalid.
    for (const char* email : {"mi ke@example.org", "mike @example.org", "mike@ example.org", " ", "\t\n"})
        EXPECT_TRUE(login(email).violates("email", "isEmail")) << email;
}

// Names that are invisible, span several lines, control a terminal, or display in another order than stored.
const std::vector<std::string> unfit_names{
    " ",
    "\t \n",
    "\xC2\xA0",                   // no-break space
    "\xE3\x80\x80",               // ideographic space
    "\xE2\x80\x8B",               // zero width space
    "\xE2\x80\x8D",               // zero width joiner that joins nothing
    "Ada\nBcc: eve@example.org",  // two lines
    "Ada\r",                      //
    "Ada\x1B[2J",                 // terminal escape sequence
    "Ada\xE2\x80\xA8Lovelace",    // U+2028 LINE SEPARATOR
    "Ada\xC2\x85Lovelace",        // U+0085 NEXT LINE
    "Ada\xE2\x80\xAE"             // U+202E reverses the text after it
    "Lovelace",                   //
    "\xE2\x81\xA6"                // U+2066 LEFT-TO-RIGHT ISOLATE
    "Ada\xE2\x81\xA9",            //
    "\xE2\x80\x8F"                // U+200F RIGHT-TO-LEFT MARK
    "Ada",                        //
    "Ada\x7F",                    //
    "Ada\xEF\xBB\xBF",            // U+FEFF ZERO WIDTH NO-BREAK SPACE
};
const std::vector<std::string> fit_names{
    "Ada", "Ada \xC3\x89lise O'Neill-\xC5\x81uk", "\xE5\xB1\xB1\xE7\x94\xB0 \xE5\xA4\xAA\xE9\x83\x8E",
    "\xD9\x85\xD8\xB1\xDB\x8C\xD9\x85\xE2\x80\x8C\xD8\xB2\xD8\xA7\xD8\xAF\xD9\x87",  // with a zero width non-joiner
    "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC"};

struct NameField {
    const char* operation;
    std::string property;
    std::function<Answer(const std::string& name)> send;
};

TEST(INP_3, ANameIsOneLineThatCanBeSeenWhereverItIsAskedFor) {
    Keys office;
    const Service& service = office.service;
    const Person ada = office.service.make_person();
    const Headers caller = bearer(service.tokens_of(ada).access);
    const std::string key = office.make().id;
    const PolicyDesk desk(office.service);
    const std::string processing_path = "update/" + desk.draft("marketing", 1, texts_in({"en"})) + "/processing";
    int made = 0;
    const auto put = [&](const std::string& path, const json::object& body, const Headers& headers) {
        return service.call("PUT", path, json::serialize(body), headers);
    };
    const std::vector<NameField> fields{
        {"signUp", "name",
         [&](const std::string& name) {
             json::object body = sign_up_body("new" + std::to_string(++made) + "@example.org");
             body["name"] = name;
             return service.post(sign_up_path, body);
         }},
        {"updateProfile", "name",
         [&](const std::string& name) { return put("/api/shared/user/profile", {{"name", name}}, caller); }},
        {"createUser", "name",
         [&](const std::string& name) {
             return office.call(office.chief, "POST", "user/create",
                                {{"email", "made" + std::to_string(++made) + "@example.org"},
                                 {"roleId", built_in(Role::user)},
                                 {"name", name}});
         }},
        {"createApiKey", "name",
         [&](const std::string& name) { return office.create({{"name", name}, {"type", "default"}}); }},
        {"updateApiKey", "name", [&](const std::string& name) { return office.update(key, "", {{"name", name}}); }},
        {"loginWithCredential", "device.name",
         [&](const std::string& name) {
             return service.post("/api/user/login/credential", {{"email", ada.email},
                                                                {"password", ada.password},
                                                                {"from", "mobile"},
                                                                {"device", {{"fingerprint", "a"}, {"name", name}}}});
         }},
        {"updateTermPolicyProcessing", "processing.controller.name",
         [&](const std::string& name) {
             const json::object controller{{"name", name}, {"email", "office@example.org"}};
             return desk.call("PUT", processing_path, {{"processing", processing_of(controller)}});
         }},
        {"updateTermPolicyProcessing", "processing.recipients.0.name",
         [&](const std::string& name) {
             const json::object controller{{"name", "Ada Ltd"}, {"email", "office@example.org"}};
             return desk.call("PUT", processing_path, {{"processing", processing_of(controller, name)}});
         }},
    };
    for (const NameField& field : fields) {
        for (const std::string& name : unfit_names) {
            const Answer refused = field.send(name);
            EXPECT_EQ(refused.status, 422U) << field.operation << " " << json::serialize(json::string(name));
            EXPECT_TRUE(refused.violates(field.property, "isName")) << field.operation << refused.body;
        }
        for (const std::string& name : fit_names) EXPECT_LT(field.send(name).status, 300U) << field.operation << name;
    }
    EXPECT_EQ(service.get("/api/shared/user/profile", caller).text("data.name"), fit_names.back());
}

TEST(INP_3, EveryNameInABodyHasARuleAboutItsSigns) {
    Service service;
    int names = 0;
    for (const DescribedBody& body : described_bodies(service.app()))
        for (const auto& component : body.components) {
            const auto* name = component.value().at("properties").as_object().if_contains("name");
            if (name == nullptr) continue;
            ++names;
            EXPECT_TRUE(name->as_object().contains("pattern")) << body.operation << " " << component.key();
        }
    EXPECT_GE(names, 8);
}

TEST(INP_4, ACodeInAnotherSpellingIsRefusedWithTheReason) {
    Service service;
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string challenge = service.challenge_of(person);
    std::string code = service.next_code(person);
    const auto message_of = [&](const std::string& member, const std::string& value) {
        const Answer refused = service.post("/api/user/login/2fa", {{"challengeToken", challenge}, {member, value}});
        EXPECT_EQ(refused.status, 422U) << value;
        return refused.status == 422U ? refused.text("errors.0.message") : std::string();
    };
    EXPECT_TRUE(message_of("code", code.substr(0, 3) + " " + code.substr(3)).contains("without spaces"));
    std::string lowered = to_lower_ascii(person.backup_codes[0]);
    lowered.back() = 'x';
    for (const std::string& value : {lowered, person.backup_codes[0].insert(5, "-"), " " + lowered}) {
        const std::string message = message_of("backupCode", value);
        EXPECT_TRUE(message.contains("uppercase") && message.contains("without spaces")) << message;
    }
    EXPECT_EQ(one(service, "SELECT attempt FROM two_factors"), "0") << "no attempt";
    EXPECT_EQ(service.verify(challenge, code).status, 200U);
}

}  // namespace
}  // namespace consentry::tests
