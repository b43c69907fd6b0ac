// Tests how sessions appear to their owners and to administrators, and that a device has one of them.
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

constexpr const char* sessions_path = "/api/shared/user/session/list";
constexpr const char* firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

Answer log_in_on(const Service& service, const Person& person, const std::string& fingerprint,
                 const std::string& agent = "test") {
    return service.call("POST", "/api/user/login/credential",
                        json::serialize(json::object{{"email", person.email},
                                                     {"password", person.password},
                                                     {"from", "mobile"},
                                                     {"device", {{"fingerprint", fingerprint}}}}),
                        {{"User-Agent", agent}});
}
std::string token_of(const Answer& login) {
    EXPECT_EQ(login.status, 200U) << login.body;
    return login.text("data.tokens.accessToken");
}

TEST(SES_8, ALoginOnADeviceTakesThePlaceOfItsFormerSession) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Person other = service.make_person();
    const std::string laptop = token_of(log_in_on(service, person, "laptop"));
    const std::string anywhere = service.tokens_of(person).access;
    const std::string others = token_of(log_in_on(service, other, "phone"));
    std::string phone;
    for (int i = 0; i < 12; ++i) {
        service.clock().advance(1s);
        const std::string next = token_of(log_in_on(service, person, "phone"));
        if (!phone.empty()) EXPECT_EQ(service.get(sessions_path, bearer(phone)).status, 401U) << i;
        phone = next;
    }
    for (const std::string& token : {laptop, anywhere, phone, others})
        EXPECT_EQ(service.get(sessions_path, bearer(token)).status, 200U);
    EXPECT_EQ(service.live_sessions(person), 3U);
    EXPECT_EQ(
        service.sql("SELECT DISTINCT revoked_reason FROM sessions WHERE revoked_at IS NOT NULL AND user_id IN ('" +
                    person.id.text() + "', '" + other.id.text() + "')"),
        (SqlRows{{"device"}}));
    // Logins without a device do not end each other's sessions.
    service.tokens_of(person);
    EXPECT_EQ(service.live_sessions(person), 4U);
}

TEST(SES_8, OfLoginsOnOneDeviceAtOnceOneSessionIsLeft) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Call login{"/api/user/login/credential",
                     {{"email", person.email},
                      {"password", person.password},
                      {"from", "mobile"},
                      {"device", {{"fingerprint", "phone"}}}}};
    const auto answers = all_at_once(service, std::vector<Call>(8, login));
    EXPECT_GE(count(answers, 200), 1U);
    EXPECT_EQ(service.live_sessions(person), 1U);
}

TEST(SES_8, TheSecondStepOfALoginDoesSoToo) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    for (int i = 0; i < 3; ++i) {
        const Answer first = log_in_on(service, person, "phone");
        ASSERT_TRUE(first.boolean("data.isTwoFactorRequired"));
        token_of(service.verify(first.text("data.challengeToken"), service.next_code(person)));
    }
    EXPECT_EQ(service.live_sessions(person), 2U) << "this one, and the one that set two-factor up";
}

TEST(Sessions, AreShownWithTheirOwnerTheirChangesAndTheirClient) {
    Staff office;
    Service& service = office.service;
    const Person person = service.make_person();
    const std::string token = token_of(log_in_on(service, person, "laptop", firefox));
    service.clock().advance(1s);
    const std::string path = "/api/admin/user/" + person.id.text() + "/session/list";
    for (const Answer& list : {service.get(sessions_path, bearer(token)), service.get(path, bearer(office.chief))}) {
        ASSERT_EQ(list.status, 200U) << list.body;
        EXPECT_EQ(list.text("data.0.userId"), person.id.text());
        EXPECT_EQ(list.text("data.0.updatedAt"), list.text("data.0.createdAt"));
        EXPECT_FALSE(list.boolean("data.0.isRevoked"));
        EXPECT_EQ(list.text("data.0.userAgent.ua"), firefox);
        EXPECT_EQ(list.text("data.0.userAgent.browser.name"), "Firefox");
        EXPECT_EQ(list.text("data.0.userAgent.browser.version"), "128.0");
        EXPECT_EQ(list.text("data.0.userAgent.browser.major"), "128");
        EXPECT_EQ(list.text("data.0.userAgent.cpu.architecture"), "amd64");
        EXPECT_EQ(list.text("data.0.userAgent.engine.name"), "Gecko");
        EXPECT_EQ(list.text("data.0.userAgent.os.name"), "Linux");
        EXPECT_TRUE(list.json.at("data").at(0).at("userAgent").at("device").as_object().empty());
        EXPECT_FALSE(list.has("data.0.jti"));
    }
    EXPECT_EQ(service.get(sessions_path, bearer(token)).text("message"), "Here are the active sessions.");
    EXPECT_EQ(service.get(path, bearer(office.chief)).text("message"), "Here are the sessions.") << "ended ones too";
    // The service returns an unknown user agent as it was sent.
    const std::string odd = token_of(log_in_on(service, person, "oven", "<Oven \"7\">"));
    const Answer list = service.get(std::string(sessions_path) + "?orderBy=createdAt:desc", bearer(odd));
    EXPECT_EQ(list.text("data.0.userAgent.ua"), "<Oven \"7\">");
    EXPECT_TRUE(list.json.at("data").at(0).at("userAgent").at("browser").as_object().empty());
}

}  // namespace
}  // namespace consentry::tests
