// The secret of a second factor is on a page only until the factor is in use. A browser that keeps the cookie from
// before, because an answer was lost or in another tab, learns it no more.
#include <algorithm>
#include <utility>

#include <gmock/gmock.h>

#include "tests/support/browser.hpp"
#include "tests/support/calls/factor_calls.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The secret on a page, as an authenticator app takes it.
std::string secret_on(const Answer& page) {
    const std::string mark = R"(<code class="secret">)";
    const auto at = page.body.find(mark);
    EXPECT_NE(at, std::string::npos) << page.body;
    if (at == std::string::npos) return {};
    const auto from = at + mark.size();
    std::string secret = page.body.substr(from, page.body.find('<', from) - from);
    std::erase(secret, ' ');
    return secret;
}

std::string way_on(const Answer& answer) {
    const auto found = answer.headers.find("location");
    return found == answer.headers.end() ? std::to_string(answer.status) + " " + answer.body : found->second;
}

void expect_no_secret(const Answer& answer) {
    for (const char* mark : {"class=\"secret\"", "<svg", "otpauth:"}) EXPECT_THAT(answer.body, Not(HasSubstr(mark)));
}

// A user whose second factor an administrator has reset, at the page of the forced set-up.
struct ForcedSetUp {
    ForcedSetUp() {
        service.turn_two_factor_on(person);
        reset_two_factor(service, person);
        EXPECT_EQ(browser.log_in(person).headers.at("location"), "/login/set-up");
        person.secret = secret_on(browser.open("/login/set-up"));
        first = browser.cookies;
    }
    Answer enable() { return browser.send("/login/set-up", {{"code", service.next_code(person)}}); }

    Service& service = suite_service();
    Person person = service.make_person();
    Browser browser{service};
    std::map<std::string, std::string> first;  // the cookies with the secret
};

TEST(TFA_12, AForcedSetUpShowsItsSecretOnlyUntilTheFirstCode) {
    ForcedSetUp t;
    EXPECT_EQ(secret_on(t.browser.open("/login/set-up")), t.person.secret) << "as often as needed before";
    const Answer codes = t.enable();
    ASSERT_EQ(codes.status, 200U) << codes.body;
    EXPECT_THAT(codes.body, HasSubstr("Your backup codes"));
    expect_no_secret(codes);
    EXPECT_NE(t.browser.cookies.at(step_cookie), t.first.at(step_cookie)) << "the browser keeps it no longer";
    const auto after = t.browser.cookies;
    for (const auto& cookies : {after, t.first}) {
        t.browser.cookies = cookies;
        const Answer again = t.browser.open("/login/set-up?return=%2Faccount%2Fprofile");
        EXPECT_EQ(way_on(again), "/login/verify?return=%2Faccount%2Fprofile");
        expect_no_secret(again);
    }
    EXPECT_NE(t.browser.cookies.at(step_cookie), t.first.at(step_cookie));
}

TEST(TFA_12, AFormOfAForcedSetUpInAnotherTabShowsNoSecretInUse) {
    ForcedSetUp t;
    ASSERT_EQ(t.enable().status, 200U);
    for (const char* code : {"000000", "", "x"}) {
        t.browser.cookies = t.first;
        const Answer again = t.browser.send("/login/set-up", {{"code", code}});
        EXPECT_EQ(way_on(again), "/login/verify") << code;
        expect_no_secret(again);
    }
    t.browser.open("/login/verify");
    EXPECT_EQ(t.browser.send("/login/verify", {{"code", t.service.next_code(t.person)}}).status, 303U);
    EXPECT_TRUE(t.browser.is_logged_in()) << "the login goes on";
    t.browser.cookies = t.first;
    const Answer late = t.browser.open("/login/set-up");
    EXPECT_EQ(way_on(late), "/login?step=over") << "the challenge is spent";
    EXPECT_FALSE(t.browser.cookies.contains(step_cookie));
}

TEST(TFA_12, AForcedSetUpThatTookTooLongShowsNoSecret) {
    ForcedSetUp t;
    t.service.pass(std::chrono::minutes{5});
    const Answer late = t.browser.open("/login/set-up?return=%2Faccount%2Fprofile");
    EXPECT_EQ(way_on(late), "/login?step=over&return=%2Faccount%2Fprofile");
    EXPECT_FALSE(t.browser.cookies.contains(step_cookie));
}

TEST(TFA_12, TheAccountShowsItsSecretOnlyUntilTheFirstCode) {
    Service& service = suite_service();
    Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    browser.open("/account/two-factor/start");
    ASSERT_EQ(way_on(browser.send("/account/two-factor/start", {})), "/account/two-factor/confirm");
    person.secret = secret_on(browser.open("/account/two-factor/confirm"));
    const auto first = browser.cookies;
    const Answer codes = browser.send("/account/two-factor/confirm", {{"code", service.code(person)}});
    ASSERT_EQ(codes.status, 200U) << codes.body;
    EXPECT_THAT(codes.body, HasSubstr("<li><code>"));
    expect_no_secret(codes);
    const auto expect_nothing_shown = [&] {
        browser.cookies = first;
        const Answer again = browser.open("/account/two-factor/confirm");
        EXPECT_EQ(way_on(again), "/account/two-factor");
        expect_no_secret(again);
        EXPECT_FALSE(browser.cookies.contains(step_cookie));
        browser.cookies = first;
        const Answer sent = browser.send("/account/two-factor/confirm", {{"code", "x"}});
        EXPECT_EQ(way_on(sent), "/account/two-factor");
        expect_no_secret(sent);
    };
    expect_nothing_shown();
    browser.open("/account/two-factor/off");
    ASSERT_EQ(way_on(browser.send("/account/two-factor/off", {{"code", service.next_code(person)}})),
              "/account/two-factor");
    expect_nothing_shown();
}

std::string counted_guesses(const Service& service, const Person& person) {
    return service.sql("SELECT COUNT(*) FROM activity_log WHERE action = 'userFailTwoFactor' AND user_id = '" +
                       person.id.text() + "'")[0][0];
}

// Regression: the page showed the replaced secret still, and its codes counted as guesses.
TEST(TFA_12, ASecretThatAnotherBrowserHasReplacedIsNeitherShownNorTried) {
    Service& service = suite_service();
    Person person = service.make_person();
    const auto begin = [&](Browser& browser) {
        browser.log_in(person);
        browser.open("/account/two-factor/start");
        ASSERT_EQ(way_on(browser.send("/account/two-factor/start", {})), "/account/two-factor/confirm");
    };
    Browser browser(service);
    begin(browser);
    person.secret = secret_on(browser.open("/account/two-factor/confirm"));
    const auto first = browser.cookies;
    Browser other(service);
    const std::string secret = std::exchange(person.secret, {});
    begin(other);

    const Answer again = browser.open("/account/two-factor/confirm");
    EXPECT_EQ(way_on(again), "/account/two-factor");
    expect_no_secret(again);
    EXPECT_FALSE(browser.cookies.contains(step_cookie));
    browser.cookies = first;
    person.secret = secret;
    const Answer sent = browser.send("/account/two-factor/confirm", {{"code", service.code(person)}});
    EXPECT_EQ(way_on(sent), "/account/two-factor");
    expect_no_secret(sent);
    EXPECT_FALSE(browser.cookies.contains(step_cookie));
    EXPECT_EQ(counted_guesses(service, person), "0");
    EXPECT_NE(secret_on(other.open("/account/two-factor/confirm")), secret) << "the later set-up goes on";
}

TEST(TFA_12, ASecretThatALaterLoginHasReplacedIsNeitherShownNorTried) {
    ForcedSetUp t;
    Browser other(t.service);
    EXPECT_EQ(way_on(other.log_in(t.person)), "/login/set-up");

    const Answer again = t.browser.open("/login/set-up?return=%2Faccount%2Fprofile");
    EXPECT_EQ(way_on(again), "/login?step=over&return=%2Faccount%2Fprofile");
    expect_no_secret(again);
    EXPECT_FALSE(t.browser.cookies.contains(step_cookie));
    t.browser.cookies = t.first;
    const std::string before = counted_guesses(t.service, t.person);
    const Answer sent = t.enable();
    EXPECT_EQ(way_on(sent), "/login?step=over");
    expect_no_secret(sent);
    EXPECT_FALSE(t.browser.cookies.contains(step_cookie));
    EXPECT_EQ(counted_guesses(t.service, t.person), before);
    EXPECT_NE(secret_on(other.open("/login/set-up")), t.person.secret) << "the later login goes on";
}

}  // namespace
}  // namespace consentry::tests
