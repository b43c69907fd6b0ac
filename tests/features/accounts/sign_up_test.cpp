// Tests signing up and verifying the address.
#include <gtest/gtest.h>

#include "crypto/digest.hpp"
#include "tests/support/calls/account_calls.hpp"

namespace consentry::tests {
namespace {

constexpr const char* ada = "ada@example.org";

// Returns a condition that selects the rows of the account with this address.
std::string of_account(const std::string& email) {
    return "user_id = (SELECT id FROM users WHERE email = '" + email + "')";
}

void switch_flag(const Service& service, const std::string& admin, const std::string& key, const json::object& body,
                 const std::string& what, std::string_view method) {
    const std::string id = one(service, "SELECT id FROM feature_flags WHERE key = '" + key + "'");
    const Answer answer =
        service.call(method, "/api/admin/feature-flag/update/" + id + what, json::serialize(body), bearer(admin));
    EXPECT_EQ(answer.status, 200U) << answer.body;
}

TEST(SignUp, MakesAnAccountThatTheMailedLinkOpens) {
    Service& service = suite_service();
    const Answer made = service.post(sign_up_path, {{"email", "Ada@Example.org"},
                                                    {"password", right_password},
                                                    {"name", "Ada"},
                                                    {"from", "mobile"},
                                                    {"termsOfService", true},
                                                    {"marketing", false}});
    EXPECT_EQ(made.status, 201U) << made.body;
    EXPECT_FALSE(made.has("data")) << "neither tokens nor an id: the address is not proven";
    const Answer early = service.log_in(ada, right_password);
    EXPECT_EQ(early.status, 403U);
    EXPECT_EQ(early.code_name(), "emailNotVerified");
    EXPECT_EQ(one(service, "SELECT count(*) FROM sessions WHERE " + of_account(ada)), "0");

    const Mailbox mailbox(service);
    const ReceivedMail mail = mailbox.wait_for(ada, "verifyEmail");
    EXPECT_EQ(mail.token().size(), 100U);
    EXPECT_EQ(service.sql("SELECT hex(digest) FROM account_tokens WHERE " + of_account(ada)),
              (std::vector<std::vector<std::string>>{{[&] {
                  std::string hex = to_hex(BytesView(crypto::sha256(mail.token())));
                  for (char& c : hex)
                      if (c >= 'a') c = static_cast<char>(c - 'a' + 'A');
                  return hex;
              }()}}));
    EXPECT_EQ(verify_email(service, mail.token()).status, 200U);
    mailbox.wait_for(ada, "welcome");
    const Answer login = service.log_in(ada, right_password);
    ASSERT_EQ(login.status, 200U) << login.body;
    const Answer profile = service.get("/api/shared/user/profile", bearer(login.text("data.tokens.accessToken")));
    EXPECT_EQ(profile.text("data.email"), ada);
    EXPECT_EQ(profile.text("data.name"), "Ada");
    EXPECT_TRUE(profile.text("data.username").starts_with("user-"));
    EXPECT_TRUE(profile.boolean("data.isVerified"));
    EXPECT_EQ(profile.text("data.status"), "active");
    EXPECT_EQ(profile.text("data.role.type"), "user");
    EXPECT_EQ(profile.text("data.signUpFrom"), "mobile");
    EXPECT_EQ(profile.text("data.signUpWith"), "credential");
    EXPECT_FALSE(profile.boolean("data.termPolicy.termsOfService")) << "nobody can accept what is not published";
    EXPECT_EQ(one(service, "SELECT type FROM password_history WHERE " + of_account(ada)), "signUp");
    EXPECT_EQ(one(service,
                  "SELECT count(*) FROM activity_log WHERE action IN ('userSignedUp', "
                  "'userSendVerificationEmail', 'userVerifiedEmail') AND " +
                      of_account(ada)),
              "3");
}

TEST(SignUp, SpentExpiredUnknownAndForeignTokensGetOneAnswer) {
    constexpr const char* early = "early@example.org";
    Service& service = suite_service();
    newcomer(service, early);
    const std::string spent = Mailbox(service).wait_for(early, "verifyEmail").token();
    ASSERT_EQ(sign_up(service, "late@example.org").status, 201U);
    const std::string expired = Mailbox(service).wait_for("late@example.org", "verifyEmail").token();
    service.pass(std::chrono::minutes{5});
    ASSERT_EQ(forget(service, early).status, 200U);
    const std::string foreign = forgotten_token(service, early);
    const Answer refused = verify_email(service, spent);
    EXPECT_EQ(refused.status, 400U);
    EXPECT_EQ(refused.number("statusCode"), 5169);
    EXPECT_EQ(refused.code_name(), "tokenInvalid");
    for (const std::string& token : {expired, foreign, std::string(100, 'A'), std::string("x"), std::string("../../")})
        EXPECT_EQ(comparable(verify_email(service, token)), comparable(refused)) << token;
    EXPECT_EQ(service.sql("SELECT email FROM users WHERE is_verified AND email IN ('early@example.org', "
                          "'late@example.org')"),
              (std::vector<std::vector<std::string>>{{early}}));
    EXPECT_EQ(reset(service, foreign, new_password).status, 200U) << "a refused use spends nothing";
}

TEST(SignUp, TheLinkLivesUntilItsLastSecond) {
    constexpr const char* slow = "slow@example.org";
    Service& service = suite_service();
    ASSERT_EQ(sign_up(service, slow).status, 201U);
    const std::string token = Mailbox(service).wait_for(slow, "verifyEmail").token();
    service.pass(std::chrono::minutes{5} - milliseconds{1});
    EXPECT_EQ(verify_email(service, token).status, 200U);
}

TEST(SignUp, ANewLinkTakesThePlaceOfTheFormerOne) {
    constexpr const char* kay = "kay@example.org";
    Service& service = suite_service();
    ASSERT_EQ(sign_up(service, kay).status, 201U);
    const std::string first = Mailbox(service).wait_for(kay, "verifyEmail").token();
    service.pass(seconds{1});  // mails of the same millisecond have no defined order
    ASSERT_EQ(service.post(resend_path, {{"email", "KAY@example.org"}}).status, 200U);
    const std::string second = Mailbox(service).wait_for(kay, "verifyEmail", 1).token();
    EXPECT_EQ(verify_email(service, first).code_name(), "tokenInvalid");
    EXPECT_EQ(verify_email(service, second).status, 200U);
    service.pass(std::chrono::minutes{2});
    ASSERT_EQ(service.post(resend_path, {{"email", kay}}).status, 200U);
    EXPECT_EQ(mails(service, kay, "verifyEmail"), 2U) << "it is verified: there is nothing to send";
}

// A reset by a mailed link proves the address as well.
TEST(SignUp, TheLinkOfAnAddressThatIsProvenMeanwhileIsNoError) {
    constexpr const char* rex = "rex@example.org";
    Service& service = suite_service();
    ASSERT_EQ(sign_up(service, rex).status, 201U);
    const std::string token = Mailbox(service).wait_for(rex, "verifyEmail").token();
    service.sql("UPDATE users SET is_verified = TRUE WHERE email = 'rex@example.org'");
    EXPECT_EQ(verify_email(service, token).status, 200U);
}

TEST(SignUp, AHundredAtOnceMakeOneAccount) {
    constexpr const char* rush = "rush@example.org";
    Service& service = suite_service();
    const auto rows = [&](const std::string& table) {
        return std::stoi(one(service, "SELECT count(*) FROM " + table));
    };
    const int users = rows("users");
    const int passwords = rows("password_history");
    const auto answers =
        all_at_once(service, std::vector<Call>(100, Call{.path = sign_up_path, .body = sign_up_body(rush)}));
    EXPECT_EQ(count(answers, 201), 1U);
    EXPECT_EQ(count(answers, 409, "emailExist") + count(answers, 503), 99U);
    EXPECT_EQ(rows("users"), users + 1);
    EXPECT_EQ(rows("password_history"), passwords + 1);
    EXPECT_EQ(mails(service, rush), 1U);
    EXPECT_EQ(rows("activity_log WHERE " + of_account(rush)), 2);
}

TEST(SignUp, AHundredUsesOfALinkVerifyOnce) {
    constexpr const char* eager = "eager@example.org";
    Service& service = suite_service();
    ASSERT_EQ(sign_up(service, eager).status, 201U);
    const std::string token = Mailbox(service).wait_for(eager, "verifyEmail").token();
    const auto answers = all_at_once(
        service, std::vector<Call>(100, Call{.path = verify_path, .body = {{"token", token}}, .method = "PATCH"}));
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(count(answers, 400, "tokenInvalid"), 99U);
    EXPECT_EQ(mails(service, eager, "welcome"), 1U);
}

TEST(SignUp, ATakenAddressIsToldInAnySpelling) {
    Service& service = suite_service();
    const Person person = person_named(service, "taken@example.org");
    const Answer taken = sign_up(service, "TAKEN@Example.ORG");
    EXPECT_EQ(taken.status, 409U);
    EXPECT_EQ(taken.number("statusCode"), 5152);
    EXPECT_EQ(taken.code_name(), "emailExist");
    EXPECT_EQ(service.log_in(person).status, 200U) << "untouched";
    EXPECT_EQ(mails(service, person.email, "verifyEmail"), 0U);
}

TEST(SignUp, AllOfItIsThereOrNothing) {
    Service service;
    for (const char* table : {"password_history", "account_tokens", "mails", "activity_log"}) {
        service.break_writes(std::string("INSERT ON ") + table);
        EXPECT_EQ(sign_up(service, ada).status, 503U) << table;
        service.mend_writes();
        EXPECT_EQ(one(service, "SELECT count(*) FROM users"), "0") << table;
    }
    EXPECT_EQ(sign_up(service, ada).status, 201U);
}

TEST(SignUp, SpeaksTheLanguageOfTheRequest) {
    constexpr const char* eva = "eva@example.org";
    Service& service = suite_service();
    ASSERT_EQ(service.post(sign_up_path, sign_up_body(eva), {{"x-custom-lang", "de"}}).status, 201U);
    EXPECT_EQ(one(service, "SELECT language FROM users WHERE email = 'eva@example.org'"), "de");
    ASSERT_EQ(sign_up(service, "bob@example.org").status, 201U);
    const Mailbox mailbox(service);
    EXPECT_NE(mailbox.wait_for(eva, "verifyEmail").subject, mailbox.wait_for("bob@example.org", "verifyEmail").subject);
}

TEST(SignUp, CanBeSwitchedOff) {
    Service service;
    const Person chief = service.make_person(Role::admin);
    const std::string admin = service.tokens_of(chief).access;
    switch_flag(service, admin, "signUp", {{"isEnable", false}, {"rolloutPercent", 100}}, "/status", "PATCH");
    EXPECT_EQ(sign_up(service, ada).number("statusCode"), 5081);
    EXPECT_EQ(forget(service, chief.email).status, 200U);
    switch_flag(service, admin, "changePassword", {{"metadata", {{"forgotAllowed", false}}}}, "/metadata", "PUT");
    EXPECT_EQ(forget(service, chief.email).number("statusCode"), 5081);
    EXPECT_EQ(reset(service, "x", new_password).number("statusCode"), 5081);
    EXPECT_EQ(one(service, "SELECT count(*) FROM users"), "1");
}

TEST(PWD_4, SignUpTakesNoCommonAndNoPersonalPassword) {
    Service& service = suite_service();
    struct Row {
        const char* password;
        const char* key;
    };
    for (const Row& row :
         {Row{"Password1!", "isNotCommonPassword"}, Row{"P@ssw0rd1", "isNotCommonPassword"},
          Row{"Qwerty123", "isNotCommonPassword"}, Row{"Kunigunde-Oak-77", "isNotContext"},
          Row{"Consentry-Oak-77", "isNotContext"}, Row{"alllowercase77", "isPassword"}, Row{"Kv9qqqq", "minLength"}}) {
        const Answer refused = service.post(sign_up_path, sign_up_body("kunigunde@example.org", row.password));
        EXPECT_EQ(refused.status, 422U) << row.password;
        EXPECT_TRUE(refused.violates("password", row.key)) << row.password << refused.body;
        EXPECT_FALSE(refused.body.contains(row.password)) << "the value is not repeated";
    }
    EXPECT_EQ(one(service, "SELECT count(*) FROM users WHERE email = 'kunigunde@example.org'"), "0");
}

TEST(PWD_4, SignUpTakesNoPasswordWithTheAddressHoweverShortItsName) {
    Service& service = suite_service();
    const Answer refused = service.post(sign_up_path, sign_up_body("kim@example.org", "Kim@example.org7"));
    EXPECT_EQ(refused.status, 422U) << refused.body;
    EXPECT_TRUE(refused.violates("password", "isNotContext")) << refused.body;
}

TEST(PWD_4, SignUpNamesAWeakPasswordBesideAllElseThatIsWrong) {
    Service& service = suite_service();
    json::object body = sign_up_body("bad", "Summer2026");
    body["more"] = 1;
    const Answer common = service.post(sign_up_path, body);
    EXPECT_EQ(common.status, 422U);
    EXPECT_TRUE(common.violates("email", "isEmail")) << common.body;
    EXPECT_TRUE(common.violates("password", "isNotCommonPassword")) << common.body;
    EXPECT_TRUE(common.violates("more", "whitelistValidation")) << common.body;
    EXPECT_EQ(common.json.at("errors").as_array().size(), 3U) << "each once: " << common.body;
    const Answer of_service = service.post(sign_up_path, sign_up_body("bad", "Consentry-Oak-77"));
    EXPECT_TRUE(of_service.violates("email", "isEmail")) << of_service.body;
    EXPECT_TRUE(of_service.violates("password", "isNotContext")) << of_service.body;
    body = sign_up_body("kunigunde@example.org", "Kunigunde-Oak-77");
    body["from"] = "nowhere";
    const Answer of_owner = service.post(sign_up_path, body);
    EXPECT_TRUE(of_owner.violates("from", "isEnum")) << of_owner.body;
    EXPECT_TRUE(of_owner.violates("password", "isNotContext")) << of_owner.body;
    const Answer missing = service.post(sign_up_path, {{"email", "bad"}, {"from", "website"}});
    EXPECT_TRUE(missing.violates("password", "isNotEmpty")) << missing.body;
    EXPECT_FALSE(missing.violates("password", "isNotCommonPassword")) << "nothing was chosen";
    const Answer endless = service.post(sign_up_path, sign_up_body("bad", std::string(100'000, 'x')));
    EXPECT_TRUE(endless.violates("password", "maxLength")) << endless.body;
}

TEST(PWD_3, SignUpCountsCodePoints) {
    Service& service = suite_service();
    std::string of_51 = "Kv9";
    for (int i = 3; i < 51; ++i) of_51 += "\xE2\x82\xAC";
    EXPECT_TRUE(service.post(sign_up_path, sign_up_body(ada, of_51)).violates("password", "maxLength"));
    const std::string of_50 = of_51.substr(0, of_51.size() - 3);
    ASSERT_EQ(service.post(sign_up_path, sign_up_body(ada, of_50)).status, 201U);
    verify_email(service, Mailbox(service).wait_for(ada, "verifyEmail").token());
    EXPECT_EQ(service.log_in(ada, of_50).status, 200U);
}

TEST(AccountNames, AnEmptyOneIsTooShortEverywhere) {
    Service& service = suite_service();
    const auto expect_too_short = [](const Answer& answer) {
        EXPECT_EQ(answer.status, 422U);
        EXPECT_TRUE(answer.violates("name", "minLength")) << answer.body;
        EXPECT_FALSE(answer.violates("name", "isNotEmpty")) << answer.body;
    };
    json::object body = sign_up_body(ada);
    body["name"] = "";
    expect_too_short(service.post(sign_up_path, body));
    const Person person = service.make_person();
    expect_too_short(
        service.call("PUT", "/api/shared/user/profile", R"({"name":""})", bearer(service.tokens_of(person).access)));
    const Person admin = service.make_person(Role::super_admin);
    expect_too_short(service.post("/api/admin/user/create", {{"email", "berta@example.org"}, {"name", ""}},
                                  bearer(service.tokens_of(admin).access)));
}

TEST(AUT_5, NoExtraPropertyReachesANewAccount) {
    Service& service = suite_service();
    for (const char* name : {"role", "roleId", "roleType", "status", "isVerified", "verifiedAt", "twoFactor", "attempt",
                             "termPolicy", "id", "username", "securityVersion", "mustChangePassword", "language"}) {
        json::object body = sign_up_body(ada);
        body[name] = "admin";
        const Answer refused = service.post(sign_up_path, body);
        EXPECT_EQ(refused.status, 422U) << name;
        EXPECT_EQ(refused.number("statusCode"), 5030);
        EXPECT_TRUE(refused.violates(name, "whitelistValidation")) << refused.body;
    }
    for (const auto& [method, path] : {std::pair{"PATCH", verify_path}, std::pair{"POST", resend_path},
                                       std::pair{"POST", forgot_path}, std::pair{"PUT", reset_path}})
        EXPECT_TRUE(service.call(method, path, R"({"role":"admin"})").violates("role", "whitelistValidation")) << path;
    const Answer made = service.post(sign_up_path, sign_up_body(ada), {{"X-Role", "superAdmin"}, {"X-User-Id", "1"}});
    EXPECT_EQ(made.status, 201U);
    EXPECT_EQ(service.sql("SELECT r.type FROM users u JOIN roles r ON r.id = u.role_id WHERE u.is_verified = FALSE "
                          "AND u.email = 'ada@example.org'"),
              (std::vector<std::vector<std::string>>{{"user"}}));
}

TEST(INP_4, FieldsOfAccountsAreTakenAsSent) {
    Service service;
    for (const char* wrong : {"123456", "true", R"(["ada@example.org"])", R"({"$ne":null})", "null"}) {
        for (const char* field : {"email", "password", "from", "name"}) {
            std::string body =
                R"({"email":"ada@example.org","password":"Velvet-Harbor-42","from":"website","name":"A"})";
            const std::string mark = "\"" + std::string(field) + "\":";
            const auto begin = body.find(mark) + mark.size();
            body.replace(begin, body.find('"', begin + 1) + 1 - begin, wrong);
            EXPECT_EQ(service.call("POST", sign_up_path, body).status, 422U) << body;
        }
        EXPECT_EQ(service.call("PATCH", verify_path, R"({"token":)" + std::string(wrong) + "}").status, 422U) << wrong;
        EXPECT_EQ(service.call("POST", forgot_path, R"({"email":)" + std::string(wrong) + "}").status, 422U) << wrong;
    }
    EXPECT_EQ(one(service, "SELECT count(*) FROM users"), "0");
}

// Appendix B of the requirements: addresses that look like another one, or that smuggle in a second one.
const std::vector<std::string>& look_alikes() {
    static const std::vector<std::string> all{"m\xC4\xB1ke@example.org",
                                              "m\xD1\x96ke@example.org",
                                              "\xEF\xBD\x8Dike@example.org",
                                              "mi\xE2\x84\xAA"
                                              "e@example.org",
                                              "mike@exa\xC2\xADmple.org",
                                              "mike@\xEF\xBC\xA5\xEF\xBC\xB8\xEF\xBC\xA1\xEF\xBC\xAD\xEF\xBC\xB0.org",
                                              "mike@xn--example.org",
                                              "mike @example.org",
                                              "mike@ example.org",
                                              std::string("mike@example.org\0", 17),
                                              "\"mike\"@example.org",
                                              "mike(comment)@example.org",
                                              "mike@example.org,evil@x.org",
                                              "mike@example.org\r\nbcc:evil@x.org",
                                              "mike@example.org%0d%0abcc:evil@x",
                                              "mike@example.org.",
                                              "mike@@example.org",
                                              "<mike@example.org>"};
    return all;
}

TEST(INP_7, AnAddressOfAnInternationalDomainIsOneAccount) {
    Service& service = suite_service();
    const int users = std::stoi(one(service, "SELECT count(*) FROM users"));
    const std::string typed = "ada@m\xC3\xBCller.example";
    const std::string stored = "ada@xn--mller-kva.example";
    EXPECT_EQ(sign_up(service, typed).status, 201U);
    const std::string by_address = " FROM users WHERE email = '" + stored + "'";
    EXPECT_EQ(one(service, "SELECT count(*)" + by_address), "1");
    Mailbox(service).wait_for(stored, "verifyEmail");
    for (const std::string& spelling : {typed, stored, std::string("ADA@M\xC3\x9CLLER.example")}) {
        EXPECT_EQ(sign_up(service, spelling).code_name(), "emailExist") << spelling;
        EXPECT_EQ(service.log_in(spelling, "Wrong-Harbor-42").status, 400U) << spelling;
    }
    EXPECT_EQ(one(service, "SELECT password_attempt" + by_address), "3") << "one count for all spellings";
    EXPECT_EQ(std::stoi(one(service, "SELECT count(*) FROM users")), users + 1);
}

TEST(INP_7, NoTwoAccountsShareACanonicalForm) {
    Service service;
    const Person mike = newcomer(service, "mike@example.org");
    for (const std::string& spelling : look_alikes()) {
        EXPECT_EQ(sign_up(service, spelling).status, 422U) << spelling;
        EXPECT_EQ(forget(service, spelling).status, 422U) << spelling;
        EXPECT_EQ(service.post(resend_path, {{"email", spelling}}).status, 422U) << spelling;
        EXPECT_EQ(service.log_in(spelling, mike.password).status, 422U) << spelling;
    }
    for (const char* spelling : {"MIKE@example.org", "Mike@Example.Org", "mike@EXAMPLE.org"})
        EXPECT_EQ(sign_up(service, spelling).code_name(), "emailExist") << spelling;
    EXPECT_EQ(one(service, "SELECT count(*) FROM users"), "1");
    EXPECT_EQ(mails(service, mike.email, "forgotPassword"), 0U);
    EXPECT_EQ(Mailbox(service).all().size(), 2U) << "verifyEmail and welcome, to nobody else";
}

}  // namespace
}  // namespace consentry::tests
