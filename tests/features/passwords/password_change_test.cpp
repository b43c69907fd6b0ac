// Tests changing a password: what the new one must be, and what the user must prove.
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

constexpr const char* change_path = "/api/shared/user/change-password";
constexpr const char* new_password = "Copper-Meadow-77";

Answer change(const Service& service, const TokenTexts& tokens, const std::string& from, const std::string& to,
              const json::object& proof = {}) {
    json::object body{{"oldPassword", from}, {"newPassword", to}};
    for (const auto& member : proof) body[member.key()] = member.value();
    return service.patch(change_path, body, bearer(tokens.access));
}

// Mixes the character with others, because a repeated character is easy to guess at any length.
std::string of_length(std::size_t code_points, std::string_view character) {
    constexpr std::string_view letters = "wjzxkhgfbmnptdlsrcy";
    std::string out = "Kv9";
    for (std::size_t i = 3; i < code_points; ++i)
        if (i % 2 == 0)
            out += letters[(i * 7) % letters.size()];
        else
            out += character;
    return out;
}

TEST(PWD_3, LengthCountsCodePointsAndWhatWasSetLogsIn) {
    Service& service = suite_service();
    Person person = service.make_person();
    for (const std::string_view character : {"q", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x94\x91"}) {
        for (const std::size_t length : {7U, 51U}) {
            const Answer refused =
                change(service, service.tokens_of(person), person.password, of_length(length, character));
            EXPECT_EQ(refused.status, 422U) << length << character;
            EXPECT_TRUE(refused.violates("newPassword", length == 7 ? "minLength" : "maxLength")) << refused.body;
        }
        for (const std::size_t length : {8U, 50U}) {
            const std::string wanted = of_length(length, character);
            const Answer changed = change(service, service.tokens_of(person), person.password, wanted);
            EXPECT_EQ(changed.status, 200U) << length << character << changed.body;
            EXPECT_EQ(service.log_in(person.email, person.password).status, 400U);
            person.password = wanted;
            EXPECT_EQ(service.log_in(person).status, 200U) << length << character;
        }
    }
}

// Length replaces the kinds of characters (AUTH_PASSWORD_RULES).
TEST(PWD_3, ByTheRulesOfNistLengthCountsAndKindsDoNot) {
    Service service({{"AUTH_PASSWORD_RULES", "nist"}});
    Person person = service.make_person();
    for (const auto& [length, rule] : {std::pair{11U, "minLength"}, std::pair{129U, "maxLength"}}) {
        const Answer refused =
            change(service, service.tokens_of(person), person.password, of_length(length, "\xC3\xA9"));
        EXPECT_EQ(refused.status, 422U) << length;
        EXPECT_TRUE(refused.violates("newPassword", rule)) << refused.body;
    }
    for (const std::string& wanted :
         {std::string("velvet harbour lamp"), of_length(12, "\xC3\xA9"), of_length(128, "q")}) {
        const Answer changed = change(service, service.tokens_of(person), person.password, wanted);
        EXPECT_EQ(changed.status, 200U) << wanted << changed.body;
        person.password = wanted;
        EXPECT_EQ(service.log_in(person).status, 200U) << wanted;
    }
    EXPECT_EQ(change(service, service.tokens_of(person), person.password, "passwordpassword").status, 422U)
        << "the lists count by these rules, too";
    const Answer signed_up = service.post(
        "/api/public/user/sign-up",
        {{"email", "grace@example.org"}, {"name", "Grace"}, {"from", "website"}, {"password", "velvet harbour lamp"}});
    EXPECT_EQ(signed_up.status, 201U) << signed_up.body;
    service.restart({{"AUTH_PASSWORD_RULES", "classes"}});
    EXPECT_TRUE(change(service, service.tokens_of(person), person.password, "copper meadow lamp")
                    .violates("newPassword", "isPassword"));
}

TEST(PWD_3, NothingIsTrimmedFoldedOrComposed) {
    Service& service = suite_service();
    Person person = service.make_person();
    const std::string set = " Velvet\tHarbor 77 \xC3\xA9 ";
    ASSERT_EQ(change(service, service.tokens_of(person), person.password, set).status, 200U);
    EXPECT_EQ(service.log_in(person.email, "Velvet\tHarbor 77 \xC3\xA9").status, 400U);
    EXPECT_EQ(service.log_in(person.email, " velvet\tharbor 77 \xC3\xA9 ").status, 400U);
    EXPECT_EQ(service.log_in(person.email, " Velvet\tHarbor 77 e\xCC\x81 ").status, 400U) << "another normal form";
    EXPECT_EQ(service.log_in(person.email, set).status, 200U);
}

TEST(PWD_4, CommonAndPersonalPasswordsAreRefusedAndNotRepeated) {
    Service& service = suite_service();
    const Person person = person_named(service, "brunhilde@example.org");
    const TokenTexts tokens = service.tokens_of(person);
    struct Row {
        std::string password;
        const char* key;
    };
    const Row rows[] = {{"Password1!", "isNotCommonPassword"}, {"P@ssw0rd1", "isNotCommonPassword"},
                        {"Qwerty123", "isNotCommonPassword"},  {"Welcome2024", "isNotCommonPassword"},
                        {"Iloveyou1", "isNotCommonPassword"},  {"Brunhilde-Oak-77", "isNotContext"},
                        {"77-Oak-bRUNHILDE", "isNotContext"},  {"alllowercase77", "isPassword"},
                        {"ALLUPPERCASE77", "isPassword"},      {"No-Digits-Here", "isPassword"},
                        {person.password, "isDifferentFrom"}};
    for (const Row& row : rows) {
        const Answer refused = change(service, tokens, person.password, row.password);
        EXPECT_EQ(refused.status, 422U) << row.password;
        EXPECT_EQ(refused.number("statusCode"), 5030);
        EXPECT_TRUE(refused.violates("newPassword", row.key)) << row.password << refused.body;
        EXPECT_FALSE(refused.body.contains(row.password)) << "the value is not repeated";
    }
    EXPECT_EQ(service.log_in(person).status, 200U) << "unchanged";
}

TEST(PWD_4, AWeakPasswordIsNamedBesideAllElseThatIsWrong) {
    Service& service = suite_service();
    const Person person = person_named(service, "adelheid@example.org");
    const TokenTexts tokens = service.tokens_of(person);
    for (const auto& [password, key] :
         {std::pair{"Summer2026", "isNotCommonPassword"}, {"Adelheid-Oak-77", "isNotContext"}}) {
        const Answer refused = change(service, tokens, "", password, {{"code", "x"}, {"more", 1}});
        EXPECT_EQ(refused.status, 422U);
        EXPECT_TRUE(refused.violates("oldPassword", "isNotEmpty")) << refused.body;
        EXPECT_TRUE(refused.violates("code", "isTwoFactorCode")) << refused.body;
        EXPECT_TRUE(refused.violates("more", "whitelistValidation")) << refused.body;
        EXPECT_TRUE(refused.violates("newPassword", key)) << refused.body;
        EXPECT_EQ(refused.json.at("errors").as_array().size(), 4U) << "each once: " << refused.body;
    }
}

TEST(PWD_5, TheOldPasswordIsJudgedBeforeTheCode) {
    Service& service = suite_service();
    Person person = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(person);
    const std::string right = service.next_code(person);
    const Answer both_wrong =
        change(service, tokens, "Wrong-Harbor-42", new_password, {{"code", wrong_code(service, person)}});
    EXPECT_EQ(both_wrong.status, 400U);
    EXPECT_EQ(both_wrong.code_name(), "passwordNotMatch");
    const Answer code_right = change(service, tokens, "Wrong-Harbor-42", new_password, {{"code", right}});
    EXPECT_EQ(code_right.status, 400U);
    EXPECT_EQ(comparable(code_right), comparable(both_wrong)) << "nothing about codes without the password";
    EXPECT_EQ(two_factor_attempt(service, person), "0");
    EXPECT_EQ(change(service, tokens, person.password, new_password, {{"code", right}}).status, 200U) << "not spent";
}

TEST(PWD_5, WithoutAProofItIsRefusedAndNotCounted) {
    Service& service = suite_service();
    Person person = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(person);
    for (int i = 0; i < 10; ++i) {
        const Answer refused = change(service, tokens, person.password, new_password);
        EXPECT_EQ(refused.status, 400U);
        EXPECT_EQ(refused.number("statusCode"), 5135);
        EXPECT_EQ(refused.code_name(), "twoFactorMethodRequired");
    }
    EXPECT_EQ(two_factor_attempt(service, person), "0");
    EXPECT_EQ(service.log_in(person).status, 200U);
}

TEST(PWD_5, FiveWrongCodesLockEvenTheRightOne) {
    Service& service = suite_service();
    Person person = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(person);
    service.clock().advance(seconds{30});
    for (int i = 0; i < 5; ++i) {
        const Answer wrong =
            change(service, tokens, person.password, new_password, {{"code", wrong_code(service, person, i)}});
        EXPECT_EQ(wrong.status, 401U);
        EXPECT_EQ(wrong.code_name(), "twoFactorInvalid");
    }
    expect_two_factor_lock(change(service, tokens, person.password, new_password, {{"code", service.code(person)}}),
                           240);
    expect_two_factor_lock(
        change(service, tokens, person.password, new_password, {{"backupCode", person.backup_codes[0]}}), 240);
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(tokens.access)).number("data.backupCodesRemaining"), 8);
    EXPECT_EQ(service.log_in(person).status, 200U) << "the password is unchanged";
}

TEST(PWD_5, FiveHundredWrongOldPasswordsAtOnceAreFiveGuesses) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    std::vector<Call> calls;
    for (int i = 0; i < 500; ++i)
        calls.push_back({.path = change_path,
                         .body = {{"oldPassword", "Wrong-Harbor-42"}, {"newPassword", new_password}},
                         .headers = bearer(tokens.access),
                         .method = "PATCH"});
    expect_five_evaluated(all_at_once(service, calls),
                          [&] { return change(service, tokens, "Wrong-Harbor-42", new_password); });
    expect_lock(change(service, tokens, person.password, new_password), 403, "passwordAttemptMax", 240);
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(tokens.access)).status, 200U) << "the session goes on";
}

TEST(PWD_5, AFormerPasswordIsBarredForNinetyDays) {
    Service& service = suite_service();
    Person person = service.make_person();
    ASSERT_EQ(change(service, service.tokens_of(person), person.password, new_password).status, 200U);
    const std::string first = std::exchange(person.password, new_password);
    const Answer refused = change(service, service.tokens_of(person), person.password, first);
    EXPECT_EQ(refused.status, 400U);
    EXPECT_EQ(refused.code_name(), "passwordMustNew");
    service.clock().advance(seconds{7'776'000});
    EXPECT_EQ(change(service, service.tokens_of(person), person.password, first).status, 200U);
}

TEST(PWD_5, ChangingOftenDoesNotBringAFormerPasswordBack) {
    Service& service = suite_service();
    Person person = service.make_person();
    const std::string first = person.password;
    for (int i = 0; i < 12; ++i) {
        const std::string next = "Copper-Meadow-" + std::to_string(70 + i);
        service.clock().advance(seconds{1});
        ASSERT_EQ(change(service, service.tokens_of(person), person.password, next).status, 200U) << i;
        person.password = next;
    }
    EXPECT_EQ(change(service, service.tokens_of(person), person.password, first).code_name(), "passwordMustNew");
    service.clock().advance(seconds{7'776'000});
    EXPECT_EQ(change(service, service.tokens_of(person), person.password, first).status, 200U);
}

TEST(PWD_5, AFormerPasswordIsForgottenOnceItMayBeUsedAgain) {
    Service service;
    Person person = service.make_person();
    ASSERT_EQ(change(service, service.tokens_of(person), person.password, new_password).status, 200U);
    const auto kept = [&] {
        run(service.app().services().clean_up());
        return service.sql("SELECT count(*) FROM password_history WHERE user_id = '" + person.id.text() + "'")
            .at(0)
            .at(0);
    };
    // A day longer, for instances whose clocks are behind.
    service.pass(seconds{7'776'000} + std::chrono::days{1});
    EXPECT_EQ(kept(), "2");
    service.pass(milliseconds{1});
    EXPECT_EQ(kept(), "0");
    EXPECT_EQ(service.log_in(person.email, new_password).status, 200U) << "the account keeps its password";
}

TEST(PWD_5, TheNewestHundredPasswordsAreCompared) {
    Service& service = suite_service();
    Person person = service.make_person();
    const std::string rows = "password_history WHERE user_id = '" + person.id.text() + "'";
    service.clock().advance(seconds{1});
    ASSERT_EQ(change(service, service.tokens_of(person), person.password, new_password).status, 200U);
    const std::string first = std::exchange(person.password, new_password);
    // The hash of another password, of a kind that is compared in no time.
    const auto add_newer = [&](int times) {
        for (int i = 0; i < times; ++i)
            service.sql(
                "INSERT INTO password_history (id, user_id, password_hash, type, created_at, expires_at) SELECT '" +
                Uuid::v7(service.clock().now()).text() +
                "', user_id, '$pbkdf2-sha256$i=2$c2FsdA$rk0Mla9rRtMtCt/5KPBt0CowP47zwlHf1uLYWpVHTEM', type, "
                "created_at + 1, expires_at FROM " +
                rows + " ORDER BY created_at DESC LIMIT 1");
    };
    add_newer(98);
    EXPECT_EQ(change(service, service.tokens_of(person), person.password, first).code_name(), "passwordMustNew");
    add_newer(1);
    EXPECT_EQ(change(service, service.tokens_of(person), person.password, first).status, 200U);
}

}  // namespace
}  // namespace consentry::tests
