// How pages are sent: headers, languages, errors, files.
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/support/browser.hpp"

namespace consentry::tests {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string asset_in(const std::string& page) {
    const std::string mark = "href=\"/assets/";
    const auto begin = page.find(mark) + 6;
    return page.substr(begin, page.find('"', begin) - begin);
}

TEST(PageAnswers, AnAddressToReturnToDoesNotUndoAChoiceOfTheLanguage) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    EXPECT_EQ(browser.open("/account?lang=de").headers.at("location"), "/login?return=%2Faccount");
    EXPECT_EQ(browser.open("/account?x=1&lang=de&y").headers.at("location"), "/login?return=%2Faccount%3Fx%3D1%26y");
    EXPECT_EQ(hidden_field(browser.open("/login?lang=fr&return=%2Faccount%3Fl%2561ng%3Dde").body, "return"),
              "/account");
    const Browser::Fields fields{
        {"email", person.email}, {"password", person.password}, {"return", "/account?lang=de"}};
    EXPECT_EQ(browser.send("/login", fields).headers.at("location"), "/account");
    EXPECT_EQ(browser.cookies.at(language_cookie), "fr");
}

TEST(PageAnswers, ALanguageThatIsNotOfferedIsNotKept) {
    Service service({{"MESSAGE_AVAILABLE_LANGUAGE", "de,fr"}, {"APP_LANGUAGE", "de"}});
    Browser browser(service);
    browser.open("/login?lang=es", {{"Accept-Language", "fr"}});
    EXPECT_FALSE(browser.cookies.contains(language_cookie));
    browser.open("/no-such-page?lang=es");
    EXPECT_FALSE(browser.cookies.contains(language_cookie));
}

TEST(PageAnswers, WithoutAPrefixOfTheApiUnknownAddressesHavePagesToo) {
    Service service({{"HTTP_GLOBAL_PREFIX", ""}});
    const Answer page = Browser(service).open("/no-such-page");
    EXPECT_EQ(page.status, 404);
    EXPECT_THAT(page.headers.at("content-type"), HasSubstr("text/html"));
    EXPECT_THAT(service.get("/no-such-page", {{"Accept", "application/json"}}).headers.at("content-type"),
                HasSubstr("application/json"));
}

TEST(PageAnswers, APageInOneLanguageHasNoChoiceOfLanguages) {
    Browser browser(suite_service());
    browser.open("/login");
    const Answer refused = browser.send("/login", {}, {{"Sec-Fetch-Site", "cross-site"}});
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, Not(HasSubstr("<nav")));
}

TEST(PageAnswers, ThePolicyLeavesNothingToScriptsAndStrangers) {
    Browser browser(suite_service());
    for (const char* path : {"/", "/login", "/no-such-page"}) {
        const Answer answer = browser.open(path);
        EXPECT_EQ(answer.headers.at("content-security-policy"),
                  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
                  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
            << path;
        EXPECT_EQ(answer.headers.at("content-type"), "text/html; charset=utf-8");
        EXPECT_EQ(answer.headers.at("cache-control"), "no-store");
        EXPECT_EQ(answer.headers.at("referrer-policy"), "no-referrer");
        EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
        EXPECT_EQ(answer.headers.at("x-frame-options"), "DENY");
        EXPECT_EQ(answer.headers.at("cross-origin-opener-policy"), "same-origin");
        EXPECT_EQ(answer.headers.at("cross-origin-resource-policy"), "same-origin");
        EXPECT_THAT(answer.body, Not(HasSubstr("<script")));
        EXPECT_THAT(answer.body, Not(HasSubstr("style=")));
    }
}

// A path that an operation takes.
std::string path_for(const http::Operation& page) {
    std::string path = page.paths.front();
    for (const auto& [placeholder, value] : std::vector<std::pair<std::string, std::string>>{
             {":token", "x"}, {":type", "termsOfService"}, {":version", "1"}, {":provider", "google"}})
        if (const auto at = path.find(placeholder); at != std::string::npos)
            path.replace(at, placeholder.size(), value);
    return path;
}

void expect_safe(const Answer& answer, const std::string& which) {
    EXPECT_THAT(answer.headers.at("content-security-policy"), HasSubstr("default-src 'none'")) << which;
    EXPECT_THAT(answer.headers.at("content-security-policy"), HasSubstr("frame-ancestors 'none'")) << which;
    EXPECT_EQ(answer.headers.at("cache-control"), "no-store") << which;
    EXPECT_EQ(answer.headers.at("referrer-policy"), "no-referrer") << which;
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff") << which;
    EXPECT_EQ(answer.headers.at("x-frame-options"), "DENY") << which;
    EXPECT_THAT(answer.body, Not(HasSubstr("<script"))) << which;
    EXPECT_THAT(answer.body, Not(HasSubstr("style="))) << which;
    EXPECT_THAT(answer.body, Not(ContainsRegex(" on[a-z]+="))) << which;
    EXPECT_LT(answer.status, 500U) << which;
}

// Pages, refusals, redirects, and answers to forms, for everybody and for who is logged in.
TEST(PageAnswers, EveryAnswerOfEveryPageHasTheHeadersThatProtectIt) {
    Service service;
    Browser visitor(service);
    Browser member(service);
    const Person person = service.make_person();
    for (const auto& page : service.app().router().pages()) {
        if (page->id.starts_with("pagesFile")) continue;
        const std::string path = path_for(*page);
        for (Browser* browser : {&visitor, &member}) {
            if (browser == &member && !member.is_logged_in()) member.log_in(person);
            browser->open("/");
            const std::string which = page->id + (browser == &member ? " of a member" : " of a visitor");
            if (page->method == http::Method::get) {
                expect_safe(browser->open(path), which);
            } else {
                expect_safe(browser->send(path, {}), which);
                expect_safe(browser->send(path, {}, {{"Sec-Fetch-Site", "cross-site"}}), which + " from elsewhere");
            }
        }
    }
}

TEST(PageAnswers, TheFirstPageIsSmall) {
    Browser browser(suite_service());
    const Answer page = browser.open("/login");
    const Answer style = browser.open(asset_in(page.body));
    std::size_t bytes = page.body.size() + style.body.size() + browser.open("/favicon.ico").body.size();
    for (const Answer* answer : {&page, &style})
        for (const auto& [name, value] : answer->headers) bytes += name.size() + value.size() + 4;
    EXPECT_LE(bytes, 40'000U);
}

TEST(PageAnswers, FilesAreKeptForever) {
    Browser browser(suite_service());
    const std::string path = asset_in(browser.open("/login").body);
    EXPECT_THAT(path, ::testing::MatchesRegex("/assets/style-[0-9a-f]{32}\\.css"));
    const Answer style = browser.open(path);
    EXPECT_EQ(style.status, 200);
    EXPECT_EQ(style.headers.at("content-type"), "text/css; charset=utf-8");
    EXPECT_EQ(style.headers.at("cache-control"), "public, max-age=31536000, immutable");
    EXPECT_THAT(style.body, HasSubstr("--accent:#1f5fa8"));
    EXPECT_TRUE(style.cookies.empty());
    EXPECT_EQ(browser.open(path, {{"If-None-Match", style.headers.at("etag")}}).status, 304);
}

TEST(PageAnswers, TheLanguageIsTheChosenOneElseTheBrowsersElseEnglish) {
    Service& service = suite_service();
    Browser browser(service);
    const auto heading = [&](const std::string& path, const std::string& accepted) {
        const std::string body = browser.open(path, {{"Accept-Language", accepted}}).body;
        const auto begin = body.find("<h1>") + 4;
        return body.substr(begin, body.find("</h1>") - begin);
    };
    EXPECT_EQ(heading("/login", ""), "Log in");
    EXPECT_EQ(heading("/login", "nl"), "Log in");
    EXPECT_EQ(heading("/login", "de-DE,en;q=0.5"), "Anmelden");
    EXPECT_EQ(heading("/login", "ja"), "ログイン");
    EXPECT_EQ(heading("/login?lang=fr", "de"), "Se connecter");
    EXPECT_EQ(browser.cookies.at(language_cookie), "fr");
    EXPECT_EQ(heading("/login", "de"), "Se connecter") << "the choice is kept";
    EXPECT_EQ(heading("/login?lang=xx", "de"), "Se connecter");
    EXPECT_EQ(heading("/login?lang=id", "de"), "Masuk");
    browser.cookies[language_cookie] = "<b>";
    EXPECT_EQ(heading("/login", "es"), "Iniciar sesión");
    EXPECT_THAT(browser.open("/login?lang=de").body, HasSubstr("<html lang=\"de\">"));
    EXPECT_THAT(browser.open("/login?lang=de&return=/account").body,
                HasSubstr("href=\"?return=%2Faccount&amp;lang=ja\""))
        << "a change of the language keeps the way back";
}

TEST(PageAnswers, AnErrorPageKeepsTheChosenLanguage) {
    Browser browser(suite_service());
    EXPECT_THAT(browser.open("/no/such/page?a=b&lang=de").body, HasSubstr("href=\"?a=b&amp;lang=ja\""));
    EXPECT_EQ(browser.cookies.at(language_cookie), "de");
    const Answer refused = browser.send("/logout", {}, {{"Sec-Fetch-Site", "cross-site"}});
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, Not(HasSubstr("lang=ja"))) << "nothing can be opened at that path";
}

TEST(PageAnswers, RefusalsAreInTheLanguageOfThePage) {
    Browser browser(suite_service());
    browser.open("/login?lang=de");
    const Answer answer = browser.send("/login", {{"email", "nobody@example.org"}, {"password", "x"}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, HasSubstr("<html lang=\"de\">"));
    EXPECT_THAT(answer.body, Not(HasSubstr("Incorrect")));
}

TEST(PageAnswers, ErrorsArePagesForPeopleAndEnvelopesForPrograms) {
    Service& service = suite_service();
    Browser browser(service);
    const Answer unknown = browser.open("/no/such/page");
    EXPECT_EQ(unknown.status, 404);
    EXPECT_THAT(unknown.body, HasSubstr("<h1>This page does not exist</h1>"));
    EXPECT_THAT(unknown.body, HasSubstr(unknown.headers.at("x-request-id")));
    const Answer method = browser.send("/account", {});
    EXPECT_EQ(method.status, 405);
    EXPECT_EQ(method.headers.at("allow"), "GET, HEAD, OPTIONS");
    EXPECT_THAT(method.body, HasSubstr("<h1>"));
    const Answer api = browser.open("/api/no/such/path");
    EXPECT_EQ(api.status, 404);
    EXPECT_EQ(api.code_name(), "notFound");
    const Answer program = browser.open("/no/such/page", {{"Accept", "application/json"}});
    EXPECT_EQ(program.code_name(), "notFound");
    EXPECT_EQ(browser.open("/no/such/page", {{"Accept", "*/*"}}).code_name(), "notFound");
}

TEST(PageAnswers, TheRootLeadsOnAndIsJsonForWhoAsksForIt) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    const Answer page = browser.open("/");
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.body, HasSubstr("href=\"/login\""));
    EXPECT_THAT(page.body, HasSubstr("href=\"/docs\""));
    const Answer json = browser.open("/", {{"Accept", "application/json"}});
    EXPECT_EQ(json.status, 404);
    EXPECT_EQ(json.code_name(), "notFound");
    browser.log_in(person);
    EXPECT_THAT(browser.open("/").body, HasSubstr("href=\"/account\""));
}

TEST(PageAnswers, ManyRequestsAtOnceAreToldToWait) {
    Service service({{"THROTTLE_LIMIT", "2"}});
    Browser browser(service);
    browser.open("/login");
    browser.open("/login");
    const Answer answer = browser.open("/login");
    EXPECT_EQ(answer.status, 429);
    EXPECT_TRUE(answer.headers.contains("retry-after"));
    EXPECT_THAT(answer.body, HasSubstr("<h1>Please wait a moment</h1>"));
}

TEST(PageAnswers, AnOutageIsToldInASentence) {
    Service service;
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    service.break_writes("INSERT ON sessions");
    const Answer answer = browser.send("/login", {{"email", person.email}, {"password", person.password}});
    EXPECT_GE(answer.status, 500U);
    EXPECT_THAT(answer.body, HasSubstr("<h1>"));
    EXPECT_THAT(answer.body, Not(HasSubstr(person.password)));
    EXPECT_FALSE(browser.cookies.contains(session_cookie));
    service.mend_writes();
    browser.open("/login");
    EXPECT_EQ(browser.send("/login", {{"email", person.email}, {"password", person.password}}).status, 303);
}

TEST(PageAnswers, PagesAreNotPartOfTheApi) {
    Service& service = suite_service();
    const std::string document = service.get("/docs/json").body;
    for (const auto& page : service.app().router().pages()) {
        EXPECT_FALSE(document.contains("\"" + page->id + "\"")) << page->id;
        EXPECT_FALSE(page->paths.front().starts_with("/api")) << page->id;
    }
}

}  // namespace
}  // namespace consentry::tests
