// Forward auth for browsers: where a navigation is sent, how a login becomes the cookie of a guarded host, and what
// that cookie is worth.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "app/config/settings.hpp"
#include "base/percent_encoding.hpp"
#include "tests/pages/guarded_visitor.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/raw_call.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(GuardedHosts, ANavigationWithoutASessionIsSentToTheLoginAndBack) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    const Answer sent = visitor.ask(app, "/orders?x=1&y=a%20b");
    EXPECT_EQ(sent.status, 302);
    EXPECT_EQ(header(sent, "location"),
              pages + "/login?return=https%3A%2F%2Fapp.example.com%2Forders%3Fx%3D1%26y%3Da%2520b");
    EXPECT_EQ(header(sent, "cache-control"), "no-store");
    EXPECT_THAT(sent.body, IsEmpty());
    const Answer denied = visitor.ask(app, "/orders", std::string(door) + "?deny=401");
    EXPECT_EQ(denied.status, 401);
    EXPECT_EQ(header(denied, "location"), pages + "/login?return=https%3A%2F%2Fapp.example.com%2Forders");
    EXPECT_EQ(header(denied, "www-authenticate"), "Bearer") << "RFC 9110 section 15.5.2";
}

TEST(GuardedHosts, ProgramsAndScriptsGetTheRefusalItself) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    std::vector<Headers> others;
    for (const auto& [name, value] : Headers{{"Sec-Fetch-Mode", "cors"},
                                             {"Sec-Fetch-Mode", "no-cors"},
                                             {"X-Forwarded-Method", "POST"},
                                             {"X-Forwarded-Method", "HEAD"},
                                             {"Authorization", "Bearer x"},
                                             {"Authorization", "Basic x"}}) {
        others.push_back(navigation(app));
        replace(others.back(), name, value);
    }
    others.push_back(navigation(app));
    replace(others.back(), "Sec-Fetch-Mode", "");
    replace(others.back(), "Accept", "application/json");
    for (const Headers& headers : others) {
        const Answer answer = visitor.at(app, door, headers);
        EXPECT_EQ(answer.status, 401);
        EXPECT_EQ(header(answer, "location"), "");
        EXPECT_THAT(header(answer, "content-type"), StartsWith("application/json"));
    }
    Headers old_browser = navigation(app);
    replace(old_browser, "Sec-Fetch-Mode", "");
    EXPECT_EQ(visitor.at(app, door, old_browser).status, 302) << "Accept names text/html";
}

TEST(GuardedHosts, OnlyATrustedProxyNamesTheAddressAndOnlyAGuardedOne) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    const std::string login = pages + "/login";
    const auto location = [&](const Headers& headers) { return header(visitor.at(app, door, headers), "location"); };
    for (const std::string host :
         {"evil.example", "app.example.com.evil.example", "evil.example/app.example.com",
          "app.example.com@evil.example", "evil.example#app.example.com", "app.example.com:444",
          "app.example.com,evil.example", "evil.example, app.example.com", "[::1]", "", "app.example.com/",
          "app.example.com\\evil.example", "xapp.example.com", "example.com", "app.example.com."}) {
        Headers headers = navigation(app);
        replace(headers, "X-Forwarded-Host", host.empty() ? " " : host);
        EXPECT_EQ(location(headers), login) << host;
    }
    Headers plain = navigation(app);
    replace(plain, "X-Forwarded-Proto", "http");
    EXPECT_EQ(location(plain), login) << "another origin";
    Headers twice = navigation(app);
    twice.emplace_back("X-Forwarded-Host", "evil.example");
    EXPECT_EQ(location(twice), login);
    for (const std::string uri : {"https://evil.example/", "evil", "", "\\evil", "/a b"}) {
        Headers headers = navigation(app, uri);
        EXPECT_EQ(location(headers), login + "?return=https%3A%2F%2Fapp.example.com%2F") << uri;
    }
    EXPECT_EQ(location(navigation("APP.example.com:443")), login + "?return=https%3A%2F%2Fapp.example.com%2F");

    const Service stranger({{"PUBLIC_URL", pages}, {"FORWARD_AUTH_HOSTS", app}});
    const Answer answer = HttpClient(stranger.port()).call("GET", door, {}, navigation(app, "/orders"));
    EXPECT_EQ(answer.status, 302);
    EXPECT_EQ(header(answer, "location"), login) << "an untrusted proxy names no address";
}

TEST(GuardedHosts, AddressesComeInTheFormsOfAllProxies) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    const std::string expected = pages + "/login?return=https%3A%2F%2Fapp.example.com%2Forders%3Fx%3D1";
    Headers by_url{{"Host", "consentry"}, {"Sec-Fetch-Mode", "navigate"}};
    by_url.emplace_back("X-Original-URL", "https://app.example.com/orders?x=1");
    EXPECT_EQ(header(visitor.at(app, door, by_url), "location"), expected);
    Headers with_commas = by_url;
    with_commas.back().second = "https://app.example.com/map?at=1,2";
    EXPECT_EQ(header(visitor.at(app, door, with_commas), "location"),
              pages + "/login?return=https%3A%2F%2Fapp.example.com%2Fmap%3Fat%3D1%2C2");
    with_commas.back().second = "https://evil.example,https://app.example.com/";
    EXPECT_EQ(header(visitor.at(app, door, with_commas), "location"), pages + "/login");
    RawClient client(service.port());
    client.send("GET " + std::string(door) +
                " HTTP/1.1\r\nHost: consentry\r\nX-Original-URL: https://app.example.com/orders\r\n"
                "X-Original-URL: https://app.example.com/orders\r\nSec-Fetch-Mode: navigate\r\n\r\n");
    EXPECT_EQ(client.read_answer().header("location"), pages + "/login") << "one may be the client's";
    by_url.emplace_back("X-Forwarded-Host", wiki);
    by_url.emplace_back("X-Forwarded-Proto", "https");
    EXPECT_THAT(header(visitor.at(app, door, by_url), "location"), HasSubstr("wiki"))
        << "which a client cannot outvote";
    // Envoy appends the path and keeps the host.
    const Headers envoy{{"Host", app}, {"X-Forwarded-Proto", "https"}, {"Sec-Fetch-Mode", "navigate"}};
    EXPECT_EQ(header(visitor.at(app, std::string(door) + "/orders?x=1", envoy), "location"), expected);
    EXPECT_EQ(visitor.at(app, std::string(door) + "/orders?deny=401", envoy).status, 302)
        << "the query is the client's there";
}

// Regression: the scheme was ignored with the hop, so the origin was another one.
TEST(GuardedHosts, AHopThatIsNoAddressHidesNoScheme) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    for (const std::string hops : {"10.0.0.7", "unknown", "unknown, 127.0.0.1", "unix:"}) {
        Headers headers = navigation(app, "/orders");
        replace(headers, "X-Forwarded-For", hops);
        EXPECT_EQ(header(visitor.at(app, door, headers), "location"),
                  pages + "/login?return=https%3A%2F%2Fapp.example.com%2Forders")
            << hops;
        EXPECT_EQ(visitor.at(app, "/.consentry/start?return=%2Forders", headers).status, 303) << hops;
    }
}

TEST(GuardedHosts, NothingInAHeaderBecomesAHeader) {
    const Service service(guarded);
    for (const std::string uri : {"/a%0d%0aSet-Cookie:x=1", "/a\tb", "/\x7f", "/\xc3\xa4"}) {
        RawClient client(service.port());
        client.send("GET " + std::string(door) + " HTTP/1.1\r\nHost: " + app + "\r\nX-Forwarded-Host: " + app +
                    "\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Uri: " + uri + "\r\nSec-Fetch-Mode: navigate\r\n\r\n");
        const auto answer = client.read_answer();
        EXPECT_EQ(answer.header("set-cookie"), "") << uri;
    }
}

TEST(GuardedHosts, ALoginBecomesACookieOfTheHost) {
    Service service(guarded);
    const Person person = service.make_person();
    GuardedVisitor visitor(service);
    EXPECT_FALSE(visitor.is_admitted(app));
    visitor.pages_browser().open("/login");
    const Answer logged_in = visitor.pages_browser().send(
        "/login",
        {{"email", person.email}, {"password", person.password}, {"return", "https://app.example.com/orders?x=1"}});
    EXPECT_EQ(header(logged_in, "location"), "https://app.example.com/.consentry/start?return=%2Forders%3Fx%3D1");
    const Answer entered = visitor.enter(app);
    EXPECT_EQ(entered.status, 303);
    EXPECT_EQ(header(entered, "location"), "/orders?x=1");
    const std::string attributes = set_cookie_of(entered, host_cookie);
    for (const char* attribute : {"; Path=/", "; HttpOnly", "; SameSite=Lax", "; Secure"})
        EXPECT_THAT(attributes, HasSubstr(attribute));
    EXPECT_THAT(attributes, ::testing::Not(HasSubstr("Domain")));
    const Answer admitted = visitor.ask(app);
    EXPECT_EQ(admitted.status, 200);
    EXPECT_EQ(header(admitted, "x-user-id"), person.id.text());
    EXPECT_EQ(header(admitted, "x-user-email"), person.email);
    EXPECT_EQ(header(admitted, "x-user-role"), "user");
    EXPECT_TRUE(visitor.is_admitted(app)) << "scripts of the application too";
    EXPECT_FALSE(visitor.is_admitted(wiki)) << "another host has to begin for itself";
    visitor.enter(wiki);
    EXPECT_TRUE(visitor.is_admitted(wiki));
}

TEST(GuardedHosts, TheCookieOpensNothingElse) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    visitor.enter(app);
    const std::string cookie = host_cookie + "=" + visitor.hosts[app][host_cookie];
    const auto status = [&](const std::string& path, Headers headers) {
        headers.emplace_back("Cookie", cookie);
        return HttpClient(service.port()).call("GET", path, {}, headers).status;
    };
    EXPECT_EQ(status(door, forwarded(app)), 200);
    EXPECT_EQ(status(door, forwarded(wiki)), 401) << "it is sealed for its host";
    EXPECT_EQ(status(door, {{"Host", app}}), 401) << "http is another origin";
    EXPECT_EQ(status("/api/shared/user/profile", forwarded(app)), 401);
    EXPECT_EQ(status("/account", forwarded(app)), 303) << "to the login";
    Headers renamed = forwarded(app);
    renamed.emplace_back("Cookie", "__Host-consentry=" + visitor.hosts[app][host_cookie]);
    EXPECT_EQ(HttpClient(service.port()).call("GET", "/account", {}, renamed).status, 303);
    Headers session = forwarded(app);
    session.emplace_back("Cookie", host_cookie + "=" + visitor.pages_browser().cookies["__Host-consentry"]);
    EXPECT_EQ(HttpClient(service.port()).call("GET", door, {}, session).status, 401) << "nor does the other way work";
    Headers doubled = forwarded(app);
    doubled.emplace_back("Cookie", cookie + "; " + cookie);
    EXPECT_EQ(HttpClient(service.port()).call("GET", door, {}, doubled).status, 401);
    for (std::size_t i = 0; i < cookie.size() - host_cookie.size() - 1; i += 7) {
        std::string damaged = cookie;
        char& c = damaged[host_cookie.size() + 1 + i];
        c = c == 'A' ? 'B' : 'A';
        Headers headers = forwarded(app);
        headers.emplace_back("Cookie", damaged);
        EXPECT_EQ(HttpClient(service.port()).call("GET", door, {}, headers).status, 401) << i;
    }
    const Service untrusting({{"PUBLIC_URL", pages}, {"FORWARD_AUTH_HOSTS", app}});
    Headers direct = forwarded(app);
    direct.emplace_back("Cookie", cookie);
    EXPECT_EQ(HttpClient(untrusting.port()).call("GET", door, {}, direct).status, 401);
}

TEST(GuardedHosts, TheEndOfTheSessionEndsAllCookies) {
    Service service(guarded);
    const Person person = service.make_person();
    const auto visit = [&] {
        GuardedVisitor visitor(service);
        visitor.pages_browser().log_in(person);
        visitor.enter(app);
        visitor.enter(wiki);
        EXPECT_TRUE(visitor.is_admitted(app) && visitor.is_admitted(wiki));
        return visitor;
    };
    const auto is_out = [](GuardedVisitor& visitor) {
        EXPECT_FALSE(visitor.is_admitted(app) || visitor.is_admitted(wiki));
        EXPECT_EQ(visitor.ask(app).status, 302);
    };
    GuardedVisitor logged_out = visit();
    logged_out.pages_browser().open("/account");
    EXPECT_EQ(logged_out.pages_browser().send("/logout", {}).status, 303);
    is_out(logged_out);

    GuardedVisitor revoked = visit();
    const std::string token = service.tokens_of(person).access;
    const Answer admitted = revoked.ask(app);
    EXPECT_EQ(
        service.call("DELETE", "/api/shared/user/session/revoke/" + header(admitted, "x-session-id"), {}, bearer(token))
            .status,
        204);
    is_out(revoked);

    GuardedVisitor elsewhere = visit();
    service.sql("UPDATE users SET security_version = security_version + 1 WHERE id = '" + person.id.text() + "'");
    is_out(elsewhere);

    GuardedVisitor blocked = visit();
    const Headers admin = bearer(service.tokens_of(service.make_person(Role::admin)).access);
    const std::string status = "/api/admin/user/update/" + person.id.text() + "/status";
    EXPECT_EQ(service.patch(status, {{"status", "blocked"}}, admin).status, 200);
    is_out(blocked);
}

// Consentry never seals a cookie anew, so the former secret has to stay as long as the cookies.
TEST(CRY_4, CookiesOfGuardedHostsNeedTheSecretThatSealedThem) {
    const std::string former(32, 'a');
    const std::string next(32, 'b');
    Environment settings = guarded;
    settings["APP_ENCRYPTION_SECRET_KEY"] = former;
    Service service(settings);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    visitor.enter(app);
    const auto posted = [&] {
        Headers form = forwarded(app, "/orders");
        replace(form, "X-Forwarded-Method", "POST");
        return visitor.at(app, door, form).status;
    };
    EXPECT_EQ(posted(), 200);
    service.restart({{"APP_ENCRYPTION_SECRET_KEY", next + "," + former}});
    EXPECT_EQ(posted(), 200);
    service.pass(std::chrono::days{4});  // longer than emails are retried
    EXPECT_EQ(posted(), 200);
    service.restart({{"APP_ENCRYPTION_SECRET_KEY", next}});
    EXPECT_EQ(posted(), 401);
    EXPECT_EQ(visitor.ask(app, "/orders").status, 302) << "a navigation gets a new cookie";
    visitor.enter(app);
    EXPECT_EQ(posted(), 200) << "without another login";
    EXPECT_THAT(set_cookie_of(visitor.enter(app), host_cookie), HasSubstr("; Max-Age=2592000"));
    for (const char* said : {"FORWARD_AUTH_HOSTS", "AUTH_JWT_REFRESH_TOKEN_EXPIRED"})
        EXPECT_THAT(std::string(find_setting("APP_ENCRYPTION_SECRET_KEY")->description), HasSubstr(said));
}

// The cookie of a host holds the one of the pages, which a confirmation replaces.
TEST(GuardedHosts, AfterAConfirmationTheNextNavigationGetsNewCookies) {
    Service service(guarded);
    const Person person = service.make_person();
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(person);
    visitor.enter(app);
    visitor.pages_browser().open("/login/confirm");
    EXPECT_EQ(visitor.pages_browser().send("/login/confirm", {{"password", person.password}}).status, 303);
    EXPECT_EQ(visitor.at(app, door, forwarded(app)).status, 401) << "scripts and forms";
    EXPECT_EQ(header(visitor.ask(app, "/orders"), "location"),
              pages + "/login?return=https%3A%2F%2Fapp.example.com%2Forders");
    EXPECT_EQ(header(visitor.pages_browser().open("/login?return=https%3A%2F%2Fapp.example.com%2Forders"), "location"),
              "https://app.example.com/.consentry/start?return=%2Forders")
        << "without input";
    visitor.enter(app);
    EXPECT_TRUE(visitor.is_admitted(app));
}

TEST(GuardedHosts, AfterAChangeOfThePasswordTheUserLogsInAgain) {
    Service service(guarded);
    const Person person = service.make_person();
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(person);
    visitor.enter(app);
    visitor.pages_browser().open("/change-password");
    const Answer changed = visitor.pages_browser().send(
        "/change-password", {{"oldPassword", person.password}, {"newPassword", "Quiet-Meadow-77"}});
    EXPECT_EQ(changed.status, 303);
    EXPECT_EQ(visitor.ask(app).status, 302);
    EXPECT_EQ(visitor.pages_browser().open("/login").status, 200) << "the form, not the way back";
}

TEST(GuardedHosts, AMissingAcceptanceLeadsToItsPage) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    visitor.enter(app);
    publish(service, "privacy", 1);
    publish(service, "cookies", 1);
    const std::string check = std::string(door) + "?policies=privacy,cookies";
    const Answer sent = visitor.ask(app, "/orders", check);
    EXPECT_EQ(sent.status, 302);
    EXPECT_EQ(header(sent, "location"),
              pages + "/accept?policies=privacy,cookies&return=https%3A%2F%2Fapp.example.com%2Forders");
    EXPECT_EQ(visitor.ask(app, "/orders", check + "&deny=401").status, 401);
    const Answer script = visitor.at(app, check, forwarded(app, "/orders"));
    EXPECT_EQ(script.status, 403);
    EXPECT_EQ(script.number("statusCode"), 6104);
    EXPECT_EQ(visitor.ask(app).status, 200) << "without the demand";
}

// The application would ask for it again at once.
TEST(GuardedHosts, WhoDoesNotAcceptStaysAtThePages) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    visitor.enter(app);
    PolicyDesk(service).published("cookies", 1, {{"en", "Text."}});
    const Answer sent = visitor.ask(app, "/orders", std::string(door) + "?policies=cookies");
    const Answer page = visitor.pages_browser().open(header(sent, "location").substr(pages.size()));
    EXPECT_THAT(page.body, HasSubstr("href=\"/account\">Not now</a>"));
}

TEST(GuardedHosts, AMissingRoleIsAPageThatSaysSo) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    visitor.enter(app);
    const Answer page = visitor.ask(app, "/admin/", std::string(door) + "?roles=admin");
    const Answer for_nginx = visitor.at(app, "/.consentry/forbidden", navigation(app));
    for (const Answer* answer : {&page, &for_nginx}) {
        EXPECT_EQ(answer->status, 403);
        EXPECT_THAT(header(*answer, "content-type"), StartsWith("text/html"));
        EXPECT_THAT(answer->body, HasSubstr("This is not allowed"));
        EXPECT_THAT(answer->body, HasSubstr("href=\"/.consentry/assets/style-"));
        EXPECT_THAT(answer->body, HasSubstr("href=\"" + pages + "/\"")) << "not to the application";
        EXPECT_EQ(header(*answer, "location"), "");
    }
    const auto begin = page.body.find("/.consentry/assets/");
    const std::string style = page.body.substr(begin, page.body.find('"', begin) - begin);
    EXPECT_EQ(visitor.at(app, style, navigation(app)).status, 200);
    EXPECT_EQ(visitor.at(app, std::string(door) + "?roles=admin", forwarded(app)).number("statusCode"), 5063);
}

TEST(GuardedHosts, OtherHostsHaveNoneOfThis) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    for (const std::string host : {"evil.example", "accounts.example.com"}) {
        EXPECT_EQ(visitor.at(host, "/.consentry/start?return=%2F", navigation(host)).status, 404);
        EXPECT_EQ(visitor.at(host, "/.consentry/callback?code=x", navigation(host)).status, 404);
    }
    for (const std::string origin : {"https://evil.example", "http://app.example.com", "https://app.example.com/x", ""})
        EXPECT_EQ(visitor.pages_browser()
                      .open("/login/hand-over?origin=" + percent_encoded(origin) + "&browser=x&return=%2F")
                      .status,
                  404)
            << origin;
    // The path is checked where the code is made.
    for (const std::string path :
         {"//evil.example", "https://evil.example/", "/\\evil.example", "/a\r\nX: y", "evil", ""})
        EXPECT_EQ(header(visitor.enter(app, path), "location"), "/") << path;
    EXPECT_EQ(header(visitor.enter(app, "/orders?x=1&y=2"), "location"), "/orders?x=1&y=2");
}

// The form of a login begins a chain of redirects. Browsers apply the form's policy to all of them, also to those of
// the application.
TEST(GuardedHosts, TheRedirectsOfALoginEndWithAPage) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    const Answer start = visitor.at(app, "/.consentry/start?return=%2Forders", navigation(app));
    const Answer page = visitor.pages_browser().open(header(start, "location").substr(pages.size()));
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(header(page, "location"), "");
    EXPECT_THAT(header(page, "cache-control"), HasSubstr("no-store"));
    const std::string address = refreshed(page);
    EXPECT_THAT(address, StartsWith("https://app.example.com/.consentry/callback?code="));
    const std::string escaped = address.substr(0, address.find('&')) + "&amp;return=%2Forders";
    EXPECT_THAT(page.body, HasSubstr("href=\"" + escaped + "\"")) << "for browsers that do not refresh";
    EXPECT_THAT(page.body, HasSubstr("Continue to app.example.com"));
    EXPECT_THAT(page.body, Not(HasSubstr("hreflang"))) << "the code is for this page only";
    EXPECT_EQ(header(visitor.call_back(app, address), "location"), "/orders");
}

// A page of one application may hold a frame of another one; a page of ours in it would be blocked.
TEST(GuardedHosts, AFramePassesTheHandOver) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    Browser& browser = visitor.pages_browser();
    browser.log_in(service.make_person());
    const auto hand_over = [&](const char* destination) {
        const Answer start = visitor.at(app, "/.consentry/start?return=%2Forders", navigation(app));
        return browser.open(header(start, "location").substr(pages.size()), {{"Sec-Fetch-Dest", destination}});
    };
    const Answer in_frame = hand_over("iframe");
    EXPECT_EQ(in_frame.status, 303);
    EXPECT_EQ(header(in_frame, "refresh"), "");
    EXPECT_EQ(header(visitor.call_back(app, header(in_frame, "location")), "location"), "/orders");
    EXPECT_EQ(hand_over("document").status, 200);
}

TEST(GuardedHosts, WithoutASessionTheHandOverAsksForALogin) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    const Answer start = visitor.at(app, "/.consentry/start?return=%2F", navigation(app));
    const std::string path = header(start, "location").substr(pages.size());
    const Answer asked = visitor.pages_browser().open(path);
    EXPECT_EQ(asked.status, 303);
    EXPECT_EQ(header(asked, "location"), "/login?return=" + percent_encoded(path));
}

TEST(GuardedHosts, TwoTabsThatBeginAtOnceBothArrive) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    const std::string first = visitor.begin(app, "/first");
    const std::string second = visitor.begin(app, "/second");
    EXPECT_EQ(header(visitor.call_back(app, first), "location"), "/first");
    EXPECT_EQ(header(visitor.call_back(app, second), "location"), "/second");
}

// Regression: both begin before an answer has brought a secret. The browser keeps the one that comes last, and the code
// of the other tab got 403.
TEST(GuardedHosts, TwoTabsThatBeginWithoutASecretBothArrive) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    const std::string first = visitor.begin(app, "/first?x=1&y=a%20b");
    visitor.hosts[app].clear();
    const std::string second = visitor.begin(app, "/second");
    const Answer again = visitor.call_back(app, first);
    ASSERT_EQ(again.status, 303);
    EXPECT_EQ(header(again, "location"), "/.consentry/start?return=%2Ffirst%3Fx%3D1%26y%3Da%2520b&again=1");
    EXPECT_EQ(set_cookie_of(again, host_cookie), "");
    EXPECT_EQ(header(visitor.call_back(app, second), "location"), "/second");
    const std::string third = visitor.begin_at(app, header(again, "location"));
    EXPECT_EQ(header(visitor.call_back(app, third), "location"), "/first?x=1&y=a%20b");
    EXPECT_TRUE(visitor.is_admitted(app));
}

// Otherwise, a browser that never keeps the secret would go round in circles.
TEST(GuardedHosts, ATabBeginsOnlyOnceMore) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    const auto begin_and_lose = [&](const std::string& first_step) {
        const std::string address = visitor.begin_at(app, first_step);
        visitor.hosts[app].clear();
        visitor.begin(app, "/another");
        return visitor.call_back(app, address);
    };
    const Answer again = begin_and_lose("/.consentry/start?return=%2Forders");
    ASSERT_EQ(again.status, 303);
    const Answer refused = begin_and_lose(header(again, "location"));
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(header(refused, "location"), "");
    EXPECT_THAT(refused.body, HasSubstr("This step of the login can no longer be used"));
    EXPECT_FALSE(visitor.is_admitted(app));
}

TEST(GuardedHosts, APlantedCodeLeadsToTheBrowsersOwnAccount) {
    Service service(guarded);
    GuardedVisitor attacker(service);
    attacker.pages_browser().log_in(service.make_person());
    const std::string planted = attacker.begin(app, "/orders");
    const Person person = service.make_person();
    GuardedVisitor victim(service);
    victim.pages_browser().log_in(person);
    EXPECT_EQ(victim.call_back(app, planted).status, 403) << "this browser has begun nothing";
    victim.begin(app);
    const Answer again = victim.call_back(app, planted);
    ASSERT_EQ(again.status, 303);
    EXPECT_FALSE(victim.is_admitted(app));
    EXPECT_EQ(header(victim.call_back(app, victim.begin_at(app, header(again, "location"))), "location"), "/orders");
    EXPECT_EQ(header(victim.ask(app), "x-user-email"), person.email);
    // The path beside the code is the attacker's to choose.
    const std::string code = planted.substr(0, planted.find('&'));
    EXPECT_EQ(victim.call_back(app, code).status, 403);
    for (const std::string path :
         {"//evil.example", "https://evil.example/", "/\\evil.example", "/a\r\nX: y", "evil", ""}) {
        const Answer answer = victim.call_back(app, code + "&return=" + percent_encoded(path));
        EXPECT_EQ(answer.status, 403) << path;
        EXPECT_EQ(header(answer, "location"), "") << path;
    }
}

// Proxies limit the length of an address, and the code has the path already.
TEST(GuardedHosts, ALongPathStandsOnceInTheAddressOfTheCallback) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    const std::string path = "/orders?" + std::string(2'000, '&');
    const std::string address = visitor.begin(app, path);
    EXPECT_THAT(address, Not(HasSubstr("&")));
    EXPECT_EQ(header(visitor.call_back(app, address), "location"), path);
}

// Regression: each of the two ended the other, and the browser went back and forth between them.
TEST(GuardedHosts, TwoPortsOfAHostDoNotTakeEachOthersCookie) {
    const std::string other = app + ":8443";
    Environment settings = guarded;
    settings["FORWARD_AUTH_HOSTS"] = app + "," + other;
    Service service(settings);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    visitor.enter(app);
    EXPECT_FALSE(visitor.is_admitted(other)) << "the browser sends the cookie there, but it is sealed for its origin";
    visitor.enter(other);
    EXPECT_TRUE(visitor.is_admitted(app));
    EXPECT_TRUE(visitor.is_admitted(other));
    EXPECT_TRUE(visitor.hosts[app].contains(host_cookie)) << "with the usual port, the name without one";
    EXPECT_TRUE(visitor.hosts[app].contains(host_cookie + "-8443"));
    // Both begin before either ends.
    const std::string first = visitor.begin(app);
    const std::string second = visitor.begin(other);
    EXPECT_EQ(visitor.call_back(app, first).status, 303);
    EXPECT_EQ(visitor.call_back(other, second).status, 303);
}

TEST(GuardedHosts, OneCookieForADomainIsASetting) {
    Environment shared = guarded;
    shared["FORWARD_AUTH_HOSTS"] = app + "," + wiki + ",app.example.net";
    shared["FORWARD_AUTH_COOKIE_DOMAIN"] = "example.com";
    Service service(shared);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    const Answer entered = visitor.enter(app);
    const std::string name = "__Secure-consentry-domain";
    EXPECT_THAT(set_cookie_of(entered, name), HasSubstr("; Domain=example.com"));
    visitor.hosts[wiki][name] = visitor.hosts[app][name];
    EXPECT_TRUE(visitor.is_admitted(wiki));
    visitor.hosts["app.example.net"][name] = visitor.hosts[app][name];
    visitor.hosts["app.example.net"][host_cookie] = visitor.hosts[app][name];
    EXPECT_FALSE(visitor.is_admitted("app.example.net"));
    EXPECT_NE(set_cookie_of(visitor.enter("app.example.net"), host_cookie), "");
}

// A former FORWARD_AUTH_COOKIE_DOMAIN leaves its cookie behind, and any host of the domain can set one.
TEST(GuardedHosts, AnotherCookieOfADomainSendsNobodyToTheLogin) {
    Environment shared = guarded;
    shared["FORWARD_AUTH_COOKIE_DOMAIN"] = "example.com";
    Service service(shared);
    const std::string name = "__Secure-consentry-domain";
    const auto cookie_of_new_visitor = [&] {
        GuardedVisitor visitor(service);
        visitor.pages_browser().log_in(service.make_person());
        visitor.enter(app);
        return name + "=" + visitor.hosts[app][name];
    };
    const auto is_admitted_with = [&](const std::string& cookies) {
        Headers headers = forwarded(app);
        headers.emplace_back("Cookie", cookies);
        return HttpClient(service.port()).call("GET", door, {}, headers).status == 200;
    };
    const std::string ours = cookie_of_new_visitor();
    for (const std::string& other : {name + "=junk", name + "="})
        for (const std::string& both : {other + "; " + ours, ours + "; " + other})
            EXPECT_TRUE(is_admitted_with(both)) << both;
    EXPECT_FALSE(is_admitted_with(ours + "; " + cookie_of_new_visitor())) << "one of them was planted";
}

TEST(GuardedHosts, WithoutPagesNavigationsAreRefusedLikeOthers) {
    Environment off = guarded;
    off["PAGES_ENABLE"] = "false";
    Service service(off);
    GuardedVisitor visitor(service);
    const Answer answer = visitor.ask(app);
    EXPECT_EQ(answer.status, 401);
    EXPECT_THAT(header(answer, "content-type"), StartsWith("application/json"));
    EXPECT_EQ(visitor.at(app, "/.consentry/start", navigation(app)).status, 404);
}

}  // namespace
}  // namespace consentry::tests
