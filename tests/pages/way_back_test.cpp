// The way back to where a visitor wanted to go.
#include <map>
#include <string>

#include "tests/pages/guarded_visitor.hpp"
#include "tests/support/mailbox.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What browsers send for an address that was typed, or that a form with GET made.
TEST(WayBack, EveryAddressOfAnApplicationHasAWayBack) {
    Service service(guarded);
    const Person person = service.make_person();
    for (const auto& [asked, back] : std::map<std::string, std::string>{
             {"/orders?filter[status]=open&sort=a|b", "/orders?filter%5Bstatus%5D=open&sort=a%7Cb"},
             {"/q?text=a%0D%0Ab&p=%2Fx%5Cy", "/q?text=a%0D%0Ab&p=%2Fx%5Cy"},
             {"/q?part=100%&re=^{a}`\\", "/q?part=100%25&re=%5E%7Ba%7D%60%5C"},
             {"/files[1]", "/files%5B1%5D"},
             // Readers resolve these in different ways: the first page of the application.
             {"/group%2Fproject", "/"},
             {"//twice//", "/"},
             {"/" + std::string(2'100, 'a'), "/"}}) {
        GuardedVisitor visitor(service);
        const std::string location = header(visitor.ask(app, asked), "location");
        EXPECT_EQ(location, pages + "/login?return=" + percent_encoded("https://" + app + back)) << asked;
        Browser& browser = visitor.pages_browser();
        browser.open(location.substr(pages.size()));
        const std::string start = header(
            browser.send("/login",
                         {{"email", person.email}, {"password", person.password}, {"return", "https://" + app + back}}),
            "location");
        ASSERT_THAT(start, StartsWith("https://" + app + "/.consentry/start?return=")) << asked;
        const std::string path = start.substr(("https://" + app).size());
        const std::string to_pages = header(visitor.at(app, path, navigation(app, path)), "location");
        const std::string call_back = refreshed(browser.open(to_pages.substr(pages.size())));
        EXPECT_EQ(header(visitor.call_back(app, call_back), "location"), back) << asked;
    }
}

// A newcomer who came from an application ends there, although the mailed link does not name it.
TEST(WayBack, AMailedLinkLeadsToWhereItsOwnerWantedToGo) {
    Service service(guarded);
    Browser browser(service);
    const std::string back = "https://" + app + "/orders?x=1";
    const std::string carried = "return=" + percent_encoded(back);
    const std::string signing_up = browser.open("/login?" + carried).body;
    EXPECT_THAT(signing_up, HasSubstr("href=\"/sign-up?" + carried + "\""));
    EXPECT_THAT(signing_up, HasSubstr("href=\"/verify-email?" + carried + "\""));
    browser.open("/sign-up?" + carried);
    browser.send("/sign-up", {{"email", "ada@example.org"}, {"password", right_password}, {"return", back}});
    const std::string link = Mailbox(service).wait_for("ada@example.org", "verifyEmail").link();
    const std::string path = link.substr(pages.size());
    EXPECT_EQ(hidden_field(browser.open(path).body, "return"), back);
    Browser stranger(service);
    EXPECT_EQ(hidden_field(stranger.open(path).body, "return"), "") << "it is known in this browser alone";
    EXPECT_EQ(header(browser.send(path, {{"return", back}}), "location"), "/login?step=verified&" + carried);
    EXPECT_FALSE(browser.cookies.contains("__Host-consentry-way-back")) << "the next link is another matter";
    browser.cookies["__Host-consentry-way-back"] = "https%3A%2F%2Fevil.example%2F";
    EXPECT_EQ(hidden_field(browser.open(path).body, "return"), "") << "only places that a login may lead to";
    // A link that is asked for without a place to go forgets the old one.
    browser.open("/forgot-password");
    browser.send("/forgot-password", {{"email", "ada@example.org"}});
    EXPECT_FALSE(browser.cookies.contains("__Host-consentry-way-back"));
}

TEST(WayBack, AnExpiredPasswordIsReplacedByAMailedLink) {
    Environment settings = guarded;
    settings["AUTH_PASSWORD_EXPIRED_IN_SECONDS"] = "3600";
    Service service(settings);
    const Person person = service.make_person();
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(person);
    visitor.enter(app);
    ASSERT_TRUE(visitor.is_admitted(app));
    service.pass(std::chrono::hours{1});
    const std::string back = "?return=" + percent_encoded("https://" + app + "/orders");
    EXPECT_EQ(header(visitor.ask(app, "/orders"), "location"), pages + "/forgot-password" + back);
    Browser& browser = visitor.pages_browser();
    EXPECT_EQ(header(browser.open("/account"), "location"), "/forgot-password?return=%2Faccount");
    EXPECT_THAT(browser.open("/forgot-password?return=%2Faccount").body,
                HasSubstr("Your password has expired. Please choose a new one."));
    EXPECT_THAT(Browser(service).open("/forgot-password").body, Not(HasSubstr("expired")));
    // For proxies that keep the status of a refusal only.
    const Answer forbidden = visitor.at(app, "/.consentry/forbidden", navigation(app, "/.consentry/forbidden"));
    EXPECT_EQ(forbidden.status, 403);
    EXPECT_THAT(forbidden.body, HasSubstr("expired"));
}

TEST(WayBack, ARefusalAtAGuardedHostSaysWhy) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    visitor.enter(app);
    const std::string path = "/.consentry/forbidden";
    EXPECT_THAT(visitor.at(app, path, navigation(app, path)).body, HasSubstr("role"));
    EXPECT_EQ(GuardedVisitor(service).at(app, path, navigation(app, path)).status, 403) << "without a session as well";
}

// A rule for a host and all hosts below it is the operator's to make.
TEST(WayBack, NothingIsPinnedAtTheHostOfAnApplication) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    for (const std::string& path : {std::string("/.consentry/start?return=%2F"), std::string("/.consentry/callback"),
                                    std::string("/.consentry/forbidden"), std::string("/.consentry/no-such-page")})
        EXPECT_EQ(header(visitor.at(app, path, navigation(app, path)), "strict-transport-security"), "") << path;
    EXPECT_EQ(header(visitor.ask(app), "strict-transport-security"), "");
    EXPECT_EQ(header(visitor.ask(app, "/", std::string(door) + "?roles=admin"), "strict-transport-security"), "");
    EXPECT_NE(header(visitor.pages_browser().open("/login"), "strict-transport-security"), "");
}

}  // namespace
}  // namespace consentry::tests
