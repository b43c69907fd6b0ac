// A form that is sent twice, as by a double click, happens once, and both answers are the first.
#include "pages/repeated_forms.hpp"

#include <thread>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>
#include <gmock/gmock.h>

#include "tests/support/browser.hpp"
#include "tests/support/calls/mail_calls.hpp"
#include "tests/support/mailbox.hpp"

namespace consentry::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Browser::Fields newcomer{{"email", "ada@example.org"}, {"password", right_password}, {"name", ""}};

TEST(RepeatedForms, TwoClicksAtOnceMakeOneAccountAndOneMail) {
    Service service;
    Browser browser(service);
    browser.open("/sign-up");
    std::vector<Answer> answers(8);
    {
        std::vector<std::jthread> clicks;
        for (Answer& answer : answers)
            clicks.emplace_back([&, browser]() mutable { answer = browser.send("/sign-up", newcomer); });
    }
    for (const Answer& answer : answers) {
        EXPECT_EQ(answer.status, 303);
        EXPECT_EQ(answer.headers.at("location"), "/login?step=signed-up");
    }
    EXPECT_EQ(service.sql("SELECT count(*) FROM users WHERE email = 'ada@example.org'")[0][0], "1");
    Mailbox(service).wait_for("ada@example.org", "verifyEmail");
    EXPECT_EQ(Mailbox(service).all("ada@example.org").size(), 1U);
}

TEST(RepeatedForms, TwoClicksAtOnceBeginOneSession) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    Browser second = browser;
    {
        const std::jthread click(
            [&] { browser.send("/login", {{"email", person.email}, {"password", person.password}}); });
        second.send("/login", {{"email", person.email}, {"password", person.password}});
    }
    EXPECT_EQ(browser.cookies.at(session_cookie), second.cookies.at(session_cookie));
    EXPECT_EQ(service.sql("SELECT count(*) FROM sessions WHERE user_id = '" + person.id.text() + "'")[0][0], "1");
}

TEST(RepeatedForms, BackupCodesAreShownAgain) {
    Service& service = suite_service();
    Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    browser.open("/account/two-factor/start");
    browser.send("/account/two-factor/start", {});
    const std::string page = browser.open("/account/two-factor/confirm").body;
    const std::string mark = "<code class=\"secret\">";
    const auto at = page.find(mark) + mark.size();
    person.secret = page.substr(at, page.find('<', at) - at);
    std::erase(person.secret, ' ');
    const std::string token = browser.token;
    const Browser::Fields fields{{"code", service.code(person)}};
    const Answer first = browser.send("/account/two-factor/confirm", fields);
    ASSERT_THAT(first.body, HasSubstr("<li><code>"));
    EXPECT_FALSE(first.body.contains("lang=de\"")) << "nothing leads away from the codes";
    browser.token = token;
    const Answer second = browser.send("/account/two-factor/confirm", fields);
    const auto codes = [](const std::string& body) {
        return body.substr(body.find("<li><code>"), body.rfind("</code></li>") - body.find("<li><code>"));
    };
    EXPECT_EQ(codes(second.body), codes(first.body));
}

// The first answer brings another cookie, but the browser sends the second request with the old one.
TEST(RepeatedForms, ASecondClickAfterTheSessionHasChangedHasTheFirstAnswer) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    service.pass(std::chrono::minutes{6});
    browser.open("/login/confirm?return=%2Faccount%2Ftwo-factor%2Fstart");
    const Browser::Fields fields{{"password", person.password}, {"return", "/account/two-factor/start"}};
    Browser second = browser;
    EXPECT_EQ(browser.send("/login/confirm", fields).headers.at("location"), "/account/two-factor/start");
    EXPECT_EQ(second.send("/login/confirm", fields).headers.at("location"), "/account/two-factor/start");
    EXPECT_EQ(second.cookies.at(session_cookie), browser.cookies.at(session_cookie));
    EXPECT_TRUE(second.is_logged_in());

    second = browser;
    browser.open("/account");
    second.token = browser.token;
    EXPECT_EQ(browser.send("/logout", {}).headers.at("location"), "/");
    EXPECT_EQ(second.send("/logout", {}).headers.at("location"), "/");
    Browser stranger(service);
    stranger.open("/login");
    stranger.token = second.token;
    EXPECT_EQ(stranger.send("/logout", {}).headers.at("location"), "/login") << "the token is another browser's";
}

TEST(RepeatedForms, AfterTenSecondsAFormIsTakenAnew) {
    Service service;
    Browser browser(service);
    browser.open("/sign-up");
    const std::string token = browser.token;
    EXPECT_EQ(browser.send("/sign-up", newcomer).status, 303);
    service.pass(std::chrono::seconds{9});
    browser.token = token;
    EXPECT_EQ(browser.send("/sign-up", newcomer).status, 303);
    service.pass(std::chrono::seconds{1});
    browser.token = token;
    EXPECT_EQ(browser.send("/sign-up", newcomer).status, 409) << "the address is taken";
}

TEST(RepeatedForms, AStepOfTheClockMovesTheTenSecondsNeitherWay) {
    for (const std::chrono::hours step : {std::chrono::hours{-1}, std::chrono::hours{1}}) {
        Service service;
        Browser browser(service);
        browser.open("/sign-up");
        const std::string token = browser.token;
        EXPECT_EQ(browser.send("/sign-up", newcomer).status, 303);
        service.clock().step(step);
        browser.token = token;
        EXPECT_EQ(browser.send("/sign-up", newcomer).status, 303) << step;
        service.pass(std::chrono::seconds{11});
        browser.token = token;
        EXPECT_EQ(browser.send("/sign-up", newcomer).status, 409) << step << ": the address is taken";
    }
}

TEST(RepeatedForms, AFormOfAnotherPageOrWithOtherFieldsIsAnother) {
    Service service;
    Browser browser(service);
    browser.open("/sign-up");
    EXPECT_EQ(browser.send("/sign-up", newcomer).status, 303);
    browser.open("/sign-up");
    EXPECT_EQ(browser.send("/sign-up", newcomer).status, 409);
    Browser::Fields other = newcomer;
    other[0].second = "bob@example.org";
    browser.open("/sign-up");
    const std::string token = browser.token;
    EXPECT_EQ(browser.send("/sign-up", other).status, 303);
    other[0].second = "eve@example.org";
    browser.token = token;
    EXPECT_EQ(browser.send("/sign-up", other).status, 303);
    EXPECT_EQ(service.sql("SELECT count(*) FROM users")[0][0], "3");
}

// A form that is answered with this status once the gate opens.
struct SlowForm {
    unsigned status = 0;
    boost::asio::io_context context{};
    boost::asio::steady_timer gate{context, std::chrono::steady_clock::time_point::max()};
    ManualClock clock{from_epoch_ms(1'700'000'000'000)};
    RepeatedForms forms{clock};
    int answered = 0;

    boost::asio::awaitable<Result<http::Reply>> answer() {
        ++answered;
        co_await gate.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        http::Reply reply;
        reply.status = status;
        co_return reply;
    }
    boost::asio::awaitable<unsigned> click() {
        const auto reply = co_await forms.once("form", [this] { return answer(); });
        co_return reply->status;
    }
    // The statuses of two clicks at once and of one more.
    std::vector<unsigned> click_thrice() {
        std::vector<std::future<unsigned>> clicks;
        for (int i = 0; i < 2; ++i) clicks.push_back(boost::asio::co_spawn(context, click(), boost::asio::use_future));
        context.poll();
        gate.expires_at(std::chrono::steady_clock::time_point::min());
        context.run();
        context.restart();
        clicks.push_back(boost::asio::co_spawn(context, click(), boost::asio::use_future));
        context.run();
        std::vector<unsigned> out;
        for (auto& one : clicks) out.push_back(one.get());
        return out;
    }
};

TEST(RepeatedForms, TwoClicksAtOnceAreOneFailedAttempt) {
    SlowForm wrong_code{.status = 401};
    EXPECT_THAT(wrong_code.click_thrice(), ElementsAre(401U, 401U, 401U));
    EXPECT_EQ(wrong_code.answered, 2) << "the third came later";
    SlowForm success{.status = 303};
    EXPECT_THAT(success.click_thrice(), ElementsAre(303U, 303U, 303U));
    EXPECT_EQ(success.answered, 1);
    SlowForm outage{.status = 503};
    EXPECT_THAT(outage.click_thrice(), ElementsAre(503U, 503U, 503U));
    EXPECT_EQ(outage.answered, 3) << "it may be over for the second";
}

TEST(RepeatedForms, AFormThatFailedIsTakenAnew) {
    Service service;
    Browser browser(service);
    browser.open("/login");
    const std::string token = browser.token;
    const Person person = service.make_person();
    const Browser::Fields fields{{"email", person.email}, {"password", person.password}};
    service.break_writes("INSERT ON sessions");
    EXPECT_GE(browser.send("/login", fields).status, 500U);
    service.mend_writes();
    browser.token = token;
    EXPECT_EQ(browser.send("/login", fields).status, 303);
}

}  // namespace
}  // namespace consentry::tests
