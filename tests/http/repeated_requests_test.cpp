// RAC-4: a client that repeats a request because it lost the answer gets a stable answer, and nothing happens twice.
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

// How often the logs have this action of this person.
std::string activities(const Service& service, const Person& by, const std::string& action) {
    return value_of(
        service, "count(*) FROM activity_log WHERE action = '" + action + "' AND created_by = '" + by.id.text() + "'");
}

// Expects that the first call succeeds and that all later ones fail with this error.
template <class Call>
void expect_once(Call call, unsigned status, std::string_view name) {
    const Answer first = call();
    EXPECT_EQ(first.status / 100, 2U) << first.body;
    for (int i = 0; i < 2; ++i) {
        const Answer again = call();
        EXPECT_EQ(again.status, status) << again.body;
        EXPECT_EQ(again.code_name(), name);
    }
}

TEST(RAC_4, ADocumentIsPublishedOnce) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    const auto published_at = [&] { return value_of(service, "published_at FROM term_policies"); };
    std::string first;
    expect_once(
        [&] {
            const Answer answer = desk.publish(id);
            if (first.empty()) first = published_at();
            service.pass(std::chrono::seconds{1});
            return answer;
        },
        400, "statusInvalid");
    EXPECT_EQ(published_at(), first);
    EXPECT_EQ(activities(service, desk.admin, "adminTermPolicyPublish"), "1");
}

TEST(RAC_4, ADraftIsDeletedOnce) {
    Service& service = service_without_policies();
    const PolicyDesk desk(service);
    const std::string id = desk.draft("privacy", 1, texts_in({"en"}));
    expect_once([&] { return desk.erase(id); }, 404, "notFound");
    EXPECT_EQ(activities(service, desk.admin, "adminTermPolicyDelete"), "1");
}

TEST(RAC_4, ADocumentIsAcceptedOnce) {
    Signed t;
    publish(t.service, "privacy", 1);
    const auto accept_it = [&] { return accept(t.service, t.token, "privacy"); };
    const Answer first = accept_it();
    EXPECT_EQ(first.status, 200U) << first.body;
    const Answer second = accept_it();
    const Answer third = accept_it();
    EXPECT_EQ(comparable(second), comparable(third));
    EXPECT_EQ(second.code_name(), "alreadyAccepted") << second.body;
    EXPECT_EQ(t.rows(), "1");
    EXPECT_EQ(flags(t.service, t.token), "1111") << "whatever the answer was, it is accepted";
    EXPECT_EQ(activities(t.service, t.person, "userAcceptTermPolicy"), "1");
}

TEST(RAC_4, ASecondFactorIsTurnedOffOnce) {
    Service& service = suite_service();
    Person person = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(person);
    const std::string code = service.next_code(person);
    expect_once([&] { return service.erase("/api/user/2fa", {{"code", code}}, bearer(tokens.access)); }, 400,
                "twoFactorNotEnabled");
    EXPECT_EQ(activities(service, person, "userDisableTwoFactor"), "1");
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(tokens.access)).status, 200U)
        << "the session that did it goes on";
}

// A reset sets a state, so repeating it succeeds and changes nothing.
TEST(RAC_4, ASecondFactorIsResetOnce) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const Person chief = service.make_person(Role::super_admin);
    const auto by_chief = bearer(service.tokens_of(chief).access);
    const auto reset = [&] {
        return service.patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {}, by_chief);
    };
    const Answer first = reset();
    EXPECT_EQ(first.status, 200U) << first.body;
    const auto effects = [&] {
        return value_of(service, "security_version FROM users WHERE id = '" + person.id.text() + "'") + " " +
               activities(service, chief, "adminUserResetTwoFactor");
    };
    const std::string once = effects();
    for (int i = 0; i < 2; ++i) {
        const Answer again = reset();
        EXPECT_EQ(comparable(again), comparable(first));
    }
    EXPECT_EQ(effects(), once);
    EXPECT_EQ(value_of(service, "count(*) FROM two_factors WHERE enabled AND required_setup AND user_id = '" +
                                    person.id.text() + "'"),
              "1");
}

}  // namespace
}  // namespace consentry::tests
