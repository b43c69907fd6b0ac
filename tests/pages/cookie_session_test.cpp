// The session of a browser: one like any other, identified by a cookie that the API does not know.
#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "tests/support/browser.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view sessions_path = "/api/shared/user/session/list";

std::string column(const Service& service, const std::string& name, const Person& person) {
    return service.sql("SELECT " + name + " FROM sessions WHERE user_id = '" + person.id.text() + "'").at(0).at(0);
}

TEST(CookieSession, ALoginGivesACookieThatScriptsAndOtherSitesCannotReach) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    const Answer answer = browser.log_in(person);
    EXPECT_EQ(answer.status, 303);
    EXPECT_EQ(answer.headers.at("location"), "/account");
    EXPECT_THAT(set_cookie_of(answer, session_cookie),
                ::testing::MatchesRegex("[A-Za-z0-9_-]{86}; Path=/; HttpOnly; SameSite=Lax; Max-Age=[0-9]+"));
    EXPECT_THAT(browser.open("/account").body, HasSubstr(person.email));
}

TEST(CookieSession, OverHttpsTheNameLetsNoOtherHostSetIt) {
    Service service({{"PUBLIC_URL", "https://login.example.com"}});
    Browser browser(service);
    const Answer answer = browser.open("/login");
    EXPECT_THAT(set_cookie_of(answer, "__Host-consentry-visitor"),
                ::testing::MatchesRegex("[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Lax; Secure"));
    const Person person = service.make_person();
    const Answer login = browser.log_in(person);
    EXPECT_THAT(set_cookie_of(login, "__Host-consentry"), HasSubstr("; Secure"));
    EXPECT_TRUE(browser.is_logged_in());
    // The name without the prefix, which a subdomain can set, is nothing.
    browser.cookies = {{session_cookie, browser.cookies.at("__Host-consentry")}};
    EXPECT_FALSE(browser.is_logged_in());
}

TEST(CookieSession, IsOneLikeAnyOtherListedAndRevocable) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const TokenTexts tokens = service.tokens_of(person);
    const Answer list = service.get(std::string(sessions_path), bearer(tokens.access));
    ASSERT_EQ(list.json.at("data").as_array().size(), 2U) << list.body;
    const std::string id = list.boolean("data.0.isCurrent") ? list.text("data.1.id") : list.text("data.0.id");
    ASSERT_TRUE(browser.is_logged_in());
    EXPECT_EQ(service.erase("/api/shared/user/session/revoke/" + id, {}, bearer(tokens.access)).status, 204);
    EXPECT_FALSE(browser.is_logged_in());
}

TEST(CookieSession, AuthenticatesNothingInTheApi) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const std::string cookie = browser.cookies.at(session_cookie);
    const std::string profile = "/api/shared/user/profile";
    EXPECT_EQ(service.get(profile, {{"Cookie", session_cookie + "=" + cookie}}).status, 401);
    EXPECT_EQ(service.get(profile, bearer(cookie)).status, 401);
    EXPECT_EQ(service.get("/api/forward-auth", {{"Cookie", session_cookie + "=" + cookie}}).status, 401);
    EXPECT_EQ(service.post("/api/shared/user/refresh", {}, bearer(cookie)).status, 401);
    // Nor does a token authenticate a page.
    const TokenTexts tokens = service.tokens_of(person);
    Browser other(service);
    EXPECT_EQ(other.open("/account", bearer(tokens.access)).status, 303);
    other.cookies[session_cookie] = tokens.access;
    EXPECT_EQ(other.open("/account").status, 303);
    EXPECT_TRUE(browser.is_logged_in());
}

TEST(CookieSession, TheDatabaseHoldsNothingThatOpensIt) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const auto value = from_base64url(browser.cookies.at(session_cookie));
    ASSERT_TRUE(value);
    const std::string secret = to_hex(BytesView(*value).subspan(32));
    const auto all = service.sql("SELECT jti, hex(access_digest), hex(refresh_digest) FROM sessions");
    for (const auto& row : all)
        for (const std::string& column : row) {
            EXPECT_THAT(column, Not(HasSubstr(browser.cookies.at(session_cookie).substr(44))));
            EXPECT_NE(to_lower_ascii(column), secret);
        }
}

TEST(CookieSession, EveryOtherValueIsNobody) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const std::string right = browser.cookies.at(session_cookie);
    for (std::size_t i = 0; i < right.size(); i += 5) {
        std::string wrong = right;
        wrong[i] = wrong[i] == 'A' ? 'B' : 'A';
        browser.cookies[session_cookie] = wrong;
        EXPECT_FALSE(browser.is_logged_in()) << i;
    }
    for (const std::string& wrong :
         {right + "A", right.substr(1), right.substr(0, 85), "\"" + right + "\"", right + "="}) {
        browser.cookies[session_cookie] = wrong;
        EXPECT_FALSE(browser.is_logged_in()) << wrong;
    }
    browser.cookies[session_cookie] = right;
    EXPECT_TRUE(browser.is_logged_in());
}

// A subdomain or another port of localhost can set a cookie of our name, with a path that comes first.
TEST(CookieSession, TwoCookiesOfTheNameAreNobody) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Person attacker = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    Browser other(service);
    other.log_in(attacker);
    const std::string own = session_cookie + "=" + browser.cookies.at(session_cookie);
    const std::string planted = session_cookie + "=" + other.cookies.at(session_cookie);
    const auto status = [&](const std::string& cookies) {
        return Browser(service).open("/account", {{"Cookie", cookies}}).status;
    };
    EXPECT_EQ(status(own), 200);
    EXPECT_EQ(status("a=b; " + own + "; c=d"), 200);
    EXPECT_EQ(status(planted + "; " + own), 303);
    EXPECT_EQ(status(own + "; " + planted), 303);
    EXPECT_EQ(status(own + ";" + own), 303);
    EXPECT_EQ(status(session_cookie + "=; " + own), 303);
    EXPECT_EQ(status("=" + own), 303) << "a cookie without a name";
    EXPECT_EQ(status("Consentry=" + own.substr(10)), 303) << "names are case-sensitive";
}

TEST(CookieSession, ALoginTakesOverNoIdentityFromBefore) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const Person attacker = service.make_person();
    Browser planted(service);
    planted.log_in(attacker);
    Browser browser(service);
    browser.open("/login");
    const std::string visitor = browser.cookies.at(visitor_cookie);
    browser.cookies[session_cookie] = std::string(86, 'A');
    const Answer answer = browser.log_in(person);
    EXPECT_EQ(answer.status, 303);
    EXPECT_NE(browser.cookies.at(session_cookie), std::string(86, 'A'));
    EXPECT_FALSE(browser.cookies.contains(visitor_cookie)) << "the identity from before the login is forgotten";
    const std::string first = browser.cookies.at(session_cookie);
    Browser again(service);
    again.cookies[visitor_cookie] = visitor;
    again.log_in(person);
    EXPECT_NE(again.cookies.at(session_cookie), first) << "each login has an identity of its own";
}

TEST(CookieSession, ALogoutEndsItAtTheNextRequest) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    browser.open("/account");
    const std::string kept = browser.cookies.at(session_cookie);
    const Answer answer = browser.send("/logout", {});
    EXPECT_EQ(answer.status, 303);
    EXPECT_EQ(answer.headers.at("location"), "/");
    EXPECT_FALSE(browser.cookies.contains(session_cookie));
    EXPECT_EQ(column(service, "revoked_reason", person), "logout");
    browser.cookies[session_cookie] = kept;
    EXPECT_FALSE(browser.is_logged_in());
    // The page from before, sent once more: at first it is a second click.
    EXPECT_EQ(browser.send("/logout", {}).headers.at("location"), "/");
    EXPECT_FALSE(browser.is_logged_in());
    service.pass(std::chrono::seconds{10});
    browser.cookies[session_cookie] = kept;
    EXPECT_EQ(browser.send("/logout", {}).headers.at("location"), "/login");
}

TEST(CookieSession, AChangeOfThePasswordEndsIt) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const TokenTexts tokens = service.tokens_of(person);
    EXPECT_EQ(service
                  .patch("/api/shared/user/change-password",
                         {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}}, bearer(tokens.access))
                  .status,
              200);
    EXPECT_FALSE(browser.is_logged_in());
}

TEST(CookieSession, AConfirmationRenewsTheIdentityOfTheBrowser) {
    Service service;
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    service.pass(std::chrono::minutes{10});
    browser.open("/login/confirm?return=%2Faccount");
    const std::string before = browser.cookies.at(session_cookie);
    EXPECT_EQ(browser.send("/login/confirm", {{"password", "Wrong-Harbor-42"}}).status, 400);
    EXPECT_EQ(browser.cookies.at(session_cookie), before);
    const Answer done = browser.send("/login/confirm", {{"password", person.password}, {"return", "/account"}});
    EXPECT_EQ(done.headers.at("location"), "/account") << done.body;
    const std::string after = browser.cookies.at(session_cookie);
    EXPECT_NE(after, before);
    EXPECT_TRUE(browser.is_logged_in());
    browser.cookies[session_cookie] = before;
    EXPECT_FALSE(browser.is_logged_in()) << "the cookie from before is worth nothing";
}

TEST(CookieSession, TheOldestEndsBeyondTheLimit) {
    Service service({{"SESSION_MAX_PER_USER", "2"}});
    const Person person = service.make_person();
    Browser first(service);
    Browser second(service);
    first.log_in(person);
    service.pass(seconds{1});
    second.log_in(person);
    service.pass(seconds{1});
    EXPECT_TRUE(first.is_logged_in());
    service.tokens_of(person);
    EXPECT_FALSE(first.is_logged_in());
    EXPECT_TRUE(second.is_logged_in());
}

TEST(CookieSession, EndsWhenIdleAndLivesOnWithUse) {
    Service service({{"SESSION_COOKIE_IDLE", "24h"}, {"AUTH_JWT_REFRESH_TOKEN_EXPIRED", "3d"}});
    const Person person = service.make_person();
    Browser idle(service);
    idle.log_in(person);
    service.pass(std::chrono::hours{24} - seconds{1});
    EXPECT_TRUE(Browser(idle).is_logged_in());
    service.pass(std::chrono::hours{24});
    EXPECT_FALSE(idle.is_logged_in());

    Browser busy(service);
    busy.log_in(person);
    for (int hour = 0; hour < 71; ++hour) {
        service.pass(std::chrono::hours{1});
        ASSERT_TRUE(busy.is_logged_in()) << hour;
    }
    service.pass(std::chrono::hours{1});
    EXPECT_FALSE(busy.is_logged_in()) << "no use prolongs it beyond the life of a refresh token";
}

TEST(CookieSession, UseCostsAWriteOnceInAWhile) {
    Service service({{"SESSION_COOKIE_IDLE", "16h"}});
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const std::string begin = column(service, "expires_at", person);
    service.pass(std::chrono::minutes{59});
    EXPECT_TRUE(browser.is_logged_in());
    EXPECT_EQ(column(service, "expires_at", person), begin);
    service.pass(std::chrono::minutes{1});
    EXPECT_TRUE(browser.is_logged_in());
    const std::string later = column(service, "expires_at", person);
    EXPECT_EQ(std::stoll(later) - std::stoll(begin), std::chrono::milliseconds{std::chrono::hours{1}}.count());
    EXPECT_TRUE(browser.is_logged_in());
    EXPECT_EQ(column(service, "expires_at", person), later);
}

TEST(CookieSession, ItsLastUseIsKnownToTheHourUntilItsEnd) {
    constexpr auto hour = std::chrono::milliseconds{std::chrono::hours{1}}.count();
    Service service({{"SESSION_COOKIE_IDLE", "30d"}, {"AUTH_JWT_REFRESH_TOKEN_EXPIRED", "30d"}});
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    const std::string end = column(service, "expires_at", person);
    const auto last_active = [&] { return std::stoll(column(service, "last_active_at", person)); };
    const auto login = last_active();
    service.pass(std::chrono::minutes{59});
    EXPECT_TRUE(browser.is_logged_in());
    EXPECT_EQ(last_active(), login) << "a write for each page would be too many";
    service.pass(std::chrono::minutes{1});
    EXPECT_TRUE(browser.is_logged_in());
    EXPECT_EQ(last_active() - login, hour);
    service.pass(std::chrono::hours{24 * 29});
    EXPECT_TRUE(browser.is_logged_in());
    EXPECT_EQ(last_active() - login, (24 * 29 + 1) * hour);
    EXPECT_EQ(column(service, "expires_at", person), end);
}

TEST(CookieSession, AnAdministratorsEndsSooner) {
    Service service;
    const Person admin = service.make_person(Role::admin);
    Browser browser(service);
    browser.log_in(admin);
    service.pass(std::chrono::minutes{59});
    EXPECT_TRUE(browser.is_logged_in());
    service.pass(std::chrono::hours{1});
    EXPECT_FALSE(browser.is_logged_in());
}

TEST(CookieSession, SurvivesARestartAndALostCache) {
    Service service({{"CACHE_MEMORY_MAX_IN_MB", "1"}});
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    service.restart();
    EXPECT_TRUE(browser.is_logged_in());
    service.lose_cache();
    EXPECT_TRUE(browser.is_logged_in());
}

TEST(CookieSession, ATrustedCopyIsAsStrict) {
    Service service({{"SESSION_CHECK", "cache"}});
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    EXPECT_TRUE(browser.is_logged_in());
    EXPECT_TRUE(browser.is_logged_in()) << "from the copy";
    std::string wrong = browser.cookies.at(session_cookie);
    wrong[60] = wrong[60] == 'A' ? 'B' : 'A';
    Browser other(service);
    other.cookies[session_cookie] = wrong;
    EXPECT_FALSE(other.is_logged_in());
    browser.open("/account");
    const std::string kept = browser.cookies.at(session_cookie);
    browser.send("/logout", {});
    browser.cookies[session_cookie] = kept;
    EXPECT_FALSE(browser.is_logged_in());
}

}  // namespace
}  // namespace consentry::tests
