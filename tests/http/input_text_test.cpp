// Text from outside: encoding, limits, and look-alikes of other users' addresses.
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "http/schema/rules.hpp"
#include "tests/support/calls/factor_calls.hpp"

namespace consentry::tests {
namespace {

constexpr const char* login = "/api/user/login/credential";

std::string login_body(const std::string& email, const std::string& password) {
    return R"({"email":")" + email + R"(","password":")" + password + R"(","from":"website"})";
}

TEST(INP_2, WhatIsTooDeepOrTooManyIsRefusedAtOnce) {
    Service service;
    std::string many = "{";
    for (int i = 0; i < 2'000; ++i) many += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
    many += "}";
    for (const std::string& text :
         {std::string(450'000, '['), "{\"a\":" + std::string(33, '[') + std::string(33, ']') + "}", many,
          std::string(R"({"a":1e400})"), "{\"a\":" + std::string(100'000, '9') + "e999}"})
        EXPECT_EQ(service.call("POST", login, text).status, 400U) << text.substr(0, 40);
    EXPECT_EQ(service.call("POST", login, "{\"a\":\"" + std::string(600'000, 'x') + "\"}").status, 413U);
}

TEST(INP_3, TextIsUtf8WithoutNulAndNeverRepaired) {
    Service& service = suite_service();
    const Person person = service.make_person();
    for (const char* bytes :
         {"\xC0\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xF0\x80\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80",
          "\xFF", "\xC3", "\xE2\x82", "\xED\xA0\x80\xED\xB0\x80", "\\ud800", "\\udc00", "\\ud800x", "\\udc00\\ud800"}) {
        EXPECT_EQ(service.call("POST", login, login_body(person.email, person.password + bytes)).status, 400U) << bytes;
        EXPECT_EQ(service.call("POST", login, std::string(R"({"em)") + bytes + R"(ail":"x"})").status, 400U) << bytes;
    }
    for (const char* field : {"email", "password"}) {
        const Answer refused = service.call("POST", login, "{\"" + std::string(field) + "\":\"abc\\u0000def\"}");
        EXPECT_EQ(refused.status, 422U);
        EXPECT_TRUE(refused.violates(field, "isString")) << refused.body;
    }
    const Answer verify =
        service.call("POST", "/api/user/login/2fa", R"({"challengeToken":"abc\u0000","code":"123456"})");
    EXPECT_EQ(verify.status, 422U);
    EXPECT_EQ(service.log_in(person).status, 200U) << "none of these was an attempt";
}

TEST(INP_3, InvisibleAndTurningCharactersMakeNoAddress) {
    Service& service = suite_service();
    for (const char* character :
         {"\xE2\x80\x8B", "\xE2\x80\xAE", "\xEF\xBB\xBF", "\xE2\x81\xA6", "\xC2\xAD", "\xC2\xA0"}) {
        const Answer refused =
            service.call("POST", login, login_body("mi" + std::string(character) + "ke@example.org", "x"));
        EXPECT_EQ(refused.status, 422U);
        EXPECT_TRUE(refused.violates("email", "isEmail"));
    }
}

// Sends `names` unknown members whose names end with `name`.
Answer unknown_names(const Service& service, int names, const std::string& name, const Headers& headers = {}) {
    std::string body = "{";
    for (int i = 0; i < names; ++i) body += (i == 0 ? "\"" : ",\"") + std::to_string(i) + name + "\":1";
    return service.call("POST", login, body + "}", headers);
}

TEST(INP_5, AnAnswerAboutAnyNumberOfFaultsIsBounded) {
    Service& service = suite_service();
    std::string control;
    for (int i = 0; i < 40; ++i) control += "\\u0001";
    std::string quotes;
    for (int i = 0; i < 40; ++i) quotes += "\\\"";
    for (const std::string& name : {std::string(450, 'n'), quotes, control, std::string("ab.")})
        for (const char* language : {"en", "id", "es", "fr", "de", "ja"}) {
            const Answer refused = unknown_names(service, 900, name, {{"x-custom-lang", language}});
            EXPECT_EQ(refused.status, 422U);
            EXPECT_EQ(refused.number("statusCode"), 5030);
            EXPECT_LE(refused.json.at("errors").as_array().size(), 50U);
            EXPECT_LE(refused.body.size(), 16U * 1024) << language;
        }
}

TEST(INP_5, ACutNameIsStillText) {
    // Regression: a long unknown name was truncated inside a multi-byte character.
    Service& service = suite_service();
    for (std::size_t shift = 0; shift < 4; ++shift) {
        std::string name(shift, 'x');
        for (int i = 0; i < 100; ++i) name += "\xF0\x9F\x94\x91";
        const Answer refused = unknown_names(service, 2, name);
        EXPECT_EQ(refused.status, 422U);
        EXPECT_TRUE(code_points(refused.body)) << "valid UTF-8";
        EXPECT_TRUE(refused.json.is_object());
    }
}

TEST(INP_5, EveryBrokenRuleIsToldWithItsPath) {
    Service& service = suite_service();
    const Answer refused = service.call("POST", login, R"({"device":{"platform":1,"x":[[[1]]]},"y":{}})");
    EXPECT_EQ(refused.status, 422U);
    for (const auto& [property, key] :
         std::vector<std::pair<const char*, const char*>>{{"email", "isNotEmpty"},
                                                          {"email", "isString"},
                                                          {"email", "isEmail"},
                                                          {"password", "isNotEmpty"},
                                                          {"password", "isString"},
                                                          {"device.fingerprint", "isNotEmpty"},
                                                          {"device.fingerprint", "isString"},
                                                          {"device.platform", "isEnum"},
                                                          {"device.x", "whitelistValidation"},
                                                          {"y", "whitelistValidation"}})
        EXPECT_TRUE(refused.violates(property, key)) << property << " " << key << refused.body;
}

TEST(INP_7, NothingThatLooksLikeAnAddressReachesItsOwner) {
    Service& service = suite_service();
    const Person mike = person_named(service, "mike@example.org");
    for (const char* email :
         {"m\xC4\xB1ke@example.org",      // dotless i
          "m\xD1\x96ke@example.org",      // Cyrillic i
          "\xEF\xBD\x8Dike@example.org",  // full-width m
          "mike@exa\xC2\xADmple.org",     // soft hyphen
          "mike@\xEF\xBC\xA5\xEF\xBC\xB8\xEF\xBC\xA1\xEF\xBC\xAD\xEF\xBC\xB0\xEF\xBC\xAC\xEF\xBC\xA5.org",
          "mike@xn--exmple-qt\xC3\xA1.org",
          "mike@xn--example.org",         // encodes no valid name
          "mike@example\xE3\x80\x82org",  // ideographic full stop
          "mike @example.org",
          "mike@example .org",
          "mike@example.org\\u0000",
          "\\\"mike\\\"@example.org",
          "mike(comment)@example.org",
          "mike@example.org,evil@x.org",
          "mike@example.org%0d%0abcc:evil@x.org",
          "mike@example.org\\r\\nbcc: evil@x.org",
          "mi\xE2\x84\xAA"
          "e@example.org",  // Kelvin sign
          "mike@example.org.",
          "mike@[127.0.0.1]",
          "mike@example..org",
          ".mike@example.org",
          "mike.@example.org",
          "<mike@example.org>",
          "mike@@example.org",
          "mike@example"}) {
        const Answer answer = service.call("POST", login, login_body(email, mike.password));
        EXPECT_EQ(answer.status, 422U) << email;
        EXPECT_FALSE(answer.has("data")) << email;
    }
    // Well-formed addresses of other mailboxes, which have no account.
    for (const char* email : {"mike+tag@example.org", "m.ike@example.org", "mike@example.com", "mike@sub.example.org",
                              "mike@ex\xC3\xA1mple.org",  // a with acute: a different domain
                              "mike@xn--exmple-qta.org"})
        EXPECT_EQ(service.call("POST", login, login_body(email, mike.password)).status, 400U) << email;
    const std::string longest = std::string(64, 'a') + "@" + std::string(63, 'b') + "." + std::string(63, 'c') + "." +
                                std::string(57, 'd') + ".org";
    EXPECT_EQ(longest.size(), 254U);
    EXPECT_EQ(service.call("POST", login, login_body(longest, "x")).status, 400U);
    EXPECT_EQ(service.call("POST", login, login_body("a" + longest, "x")).status, 422U);
    // Letters are compared case-insensitively.
    EXPECT_EQ(service.call("POST", login, login_body("MIKE@example.org", mike.password)).status, 200U);
    EXPECT_EQ(service.call("POST", login, login_body("Mike@EXAMPLE.Org", mike.password)).status, 200U);
}

TEST(INP_7, AnInternationalDomainHasOneSpelling) {
    for (const char* text : {"ada@m\xC3\xBCller.example",   // u with diaeresis
                             "ADA@M\xC3\x9CLLER.Example",   // in upper case
                             "Ada@mu\xCC\x88ller.example",  // u and a combining diaeresis
                             "ada@xn--mller-kva.example", "ADA@XN--MLLER-KVA.EXAMPLE"})
        EXPECT_EQ(canonical_email(text), "ada@xn--mller-kva.example") << text;
    EXPECT_EQ(canonical_email("ada@\xD0\xBF\xD1\x80\xD0\xB8\xD0\xBC\xD0\xB5\xD1\x80.\xD1\x80\xD1\x84"),
              "ada@xn--e1afmkfd.xn--p1ai");
    EXPECT_EQ(canonical_email("ada@stra\xC3\x9F"
                              "e.example"),
              "ada@xn--strae-oqa.example")
        << "a sharp s is a letter of its own";
    for (const char* text : {"\xC3\xA4"
                             "da@example.org",            // the local part must be ASCII
                             "ada@\xE2\x82\xAC.example",  // currency sign
                             "ada@-\xC3\xBC.example", "ada@\xC3\xBC-.example", "ada@m\xC3\xBCller",
                             "ada@\xF0\x9F\x94\x91.example",  // an emoji
                             "ada@m\xC3ller.example",         // invalid UTF-8
                             "ada@xn--.example", "ada@xn--a.example", "ada@ab--cd.example", "ada@\xCC\x88u.example"})
        EXPECT_EQ(canonical_email(text), std::nullopt) << text;
    std::string longest = "ada@";
    for (int i = 0; i < 64; ++i) longest += "\xC3\xBC";
    EXPECT_EQ(canonical_email(longest + ".example"), std::nullopt);
}

TEST(INP_7, OneAddressIsOneAccount) {
    Service& service = suite_service();
    const Person ada = person_named(service, "ada@example.org");
    EXPECT_THROW(person_named(service, "ada@example.org"), std::exception);
    EXPECT_EQ(service.sql("SELECT count(*) FROM users WHERE email = 'ada@example.org'")[0][0], "1");
    EXPECT_THROW(
        service.sql("INSERT INTO users SELECT '00000000-0000-7000-8000-000000000000', email, 'other', name, role, "
                    "status, is_verified, "
                    "verified_at, 1, NULL, NULL, NULL, 0, NULL, 0, 0, 'system', 'credential', NULL, NULL, NULL, "
                    "NULL, 0, 0, NULL, role_id FROM users WHERE email = 'ada@example.org'"),
        std::exception);
}

TEST(INP_10, LanguageAndZoneComeFromFixedLists) {
    Service service;
    for (const std::string& sent :
         {std::string("../../x"), std::string("%n%s%n%s"), std::string("xx"), std::string("en-GB"),
          std::string("/etc/passwd"), std::string("de/../en"), std::string("en,de"), std::string("{}"),
          std::string("*"), std::string(4'000, 'e'), std::string("de\t"), std::string("-de"), std::string("de_DE"),
          std::string("dex-DE"), std::string("-")}) {
        const Answer answer = service.get("/api/health/live", {{"x-custom-lang", sent}, {"x-timezone", sent}});
        EXPECT_EQ(answer.status, 200U) << sent;
        const bool german = sent == "de\t";  // white space around the value is ignored
        EXPECT_EQ(answer.text("metadata.language"), german ? "de" : "en") << sent;
        EXPECT_EQ(answer.headers.at("x-custom-lang"), german ? "de" : "en");
        EXPECT_EQ(answer.text("metadata.timezone"), service.get("/api/health/live").text("metadata.timezone"));
    }
    for (const char* sent : {"DE", "De", "de", "de-DE", "DE-at", "de-"})
        EXPECT_EQ(service.get("/api/health/live", {{"x-custom-lang", sent}}).text("metadata.language"), "de");
    Person person = service.make_person();
    const Headers caller = bearer(service.tokens_of(person).access);
    EXPECT_TRUE(service.call("PUT", "/api/shared/user/profile", R"({"language":"de-DE"})", caller)
                    .violates("language", "isEnum"))
        << "a value in a body is one of the names";
    const Answer large = service.get("/api/health/live", {{"x-custom-lang", std::string(10'000, 'e')}});
    EXPECT_TRUE(large.status == 431 || large.text("metadata.language") == "en") << large.status;
}

}  // namespace
}  // namespace consentry::tests
