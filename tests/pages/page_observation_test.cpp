// What metrics, log and security events tell of the pages: the same as of the endpoints that decide the same.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/pages/provider_visitor.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/log_support.hpp"

namespace consentry::tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;

using Counts = std::map<std::string, std::string>;

// The counters whose series begin with one of `names`, but for those at 0.
Counts counts_of(const Service& service, const std::vector<std::string>& names) {
    Counts out;
    std::istringstream lines(service.get("/metrics").body);
    for (std::string line; std::getline(lines, line);) {
        const auto end = std::min(line.rfind(' '), line.size());
        if (std::ranges::any_of(names, [&](const std::string& name) { return line.starts_with(name + "{"); }) &&
            line.substr(end) != " 0")
            out[line.substr(0, end)] = line.substr(end + 1);
    }
    return out;
}
Counts outcomes_of(const Service& service) {
    return counts_of(service, {"consentry_logins_total", "consentry_http_errors_total"});
}

// A service that writes its log into a folder of its own.
struct Logged {
    WorkingFolder folder;
    Service service;

    explicit Logged(Environment settings = {}) : service(everything_logged(std::move(settings))) {}
    // The names of the errors in the lines of requests, in order. Restarts the service, which writes the lines.
    std::vector<std::string> errors() {
        service.restart();
        std::vector<std::string> out;
        for (const json::object& line : entries_in(folder / "logs" / "api.log"))
            if (line.contains("err")) out.emplace_back(line.at("err").at("type").as_string());
        return out;
    }
    std::size_t events(std::string_view name) {
        service.restart();
        return static_cast<std::size_t>(std::ranges::count_if(
            entries_in(service.folder() / "data" / "security" / "events.log"),
            [&](const json::object& event) { return std::string_view(event.at("event").as_string()) == name; }));
    }
};

// The steps of a login, taken through the API or through the pages.
class Steps {
public:
    virtual ~Steps() = default;
    virtual void password(const std::string& email, const std::string& password) = 0;
    virtual void code(const std::string& code) = 0;
    // A forced set-up, and the secret that it offers.
    virtual void set_up(const std::string& code) = 0;
    std::string secret;
};

class ApiSteps final : public Steps {
public:
    explicit ApiSteps(const Service& service) : service_(service) {}
    void password(const std::string& email, const std::string& password) override {
        const Answer answer = service_.log_in(email, password);
        if (answer.status != 200 || !answer.has("data.challengeToken")) return;
        challenge_ = answer.text("data.challengeToken");
        if (answer.has("data.secret")) secret = answer.text("data.secret");
    }
    void code(const std::string& code) override { service_.verify(challenge_, code); }
    void set_up(const std::string& code) override {
        service_.post("/api/user/login/2fa/enable", {{"challengeToken", challenge_}, {"code", code}});
    }

private:
    const Service& service_;
    std::string challenge_;
};

class PageSteps final : public Steps {
public:
    explicit PageSteps(const Service& service) : service_(service) {}
    // As a visitor with a new browser.
    void password(const std::string& email, const std::string& password) override {
        browser_ = Browser(service_);
        browser_.open("/login");
        browser_.send("/login", {{"email", email}, {"password", password}});
    }
    void code(const std::string& code) override { send("/login/verify", code); }
    void set_up(const std::string& code) override { send("/login/set-up", code); }

private:
    void send(const std::string& path, const std::string& code) {
        const std::string page = browser_.open(path).body;
        constexpr std::string_view mark = R"(<code class="secret">)";
        if (const auto at = page.find(mark); at != std::string::npos) secret = page.substr(at + mark.size(), 32);
        browser_.send(path, {{"code", code}});
    }
    const Service& service_;
    Browser browser_{service_};
};

// Takes each step to each of its ends.
void take_all(Service& service, Steps& steps) {
    const Person plain = service.make_person();
    steps.password("no address", "");
    steps.password("nobody@example.org", wrong_password);
    steps.password(plain.email, plain.password);
    for (int i = 0; i < 6; ++i) steps.password(plain.email, wrong_password);

    Person careful = service.make_person();
    service.turn_two_factor_on(careful);
    steps.password(careful.email, careful.password);
    steps.code("");
    steps.code(wrong_code(service, careful));
    steps.code(service.next_code(careful));
    steps.password(careful.email, careful.password);
    service.pass(std::chrono::minutes{6});
    steps.code(service.next_code(careful));
    steps.password(careful.email, careful.password);
    for (int i = 0; i < 6; ++i) steps.code(wrong_code(service, careful));

    Person reset = service.make_person();
    service.turn_two_factor_on(reset);
    const TokenTexts chief = service.tokens_of(service.make_person(Role::super_admin));
    service.patch("/api/admin/user/update/" + reset.id.text() + "/2fa/reset", {}, bearer(chief.access));
    steps.password(reset.email, reset.password);
    steps.set_up("000000");
    reset.secret = steps.secret;
    steps.set_up(service.next_code(reset));
    steps.code(service.next_code(reset));
}

TEST(PageObservation, LoginsThroughPagesAreCountedAndLoggedLikeThoseOfTheApi) {
    Logged api;
    ApiSteps calls(api.service);
    take_all(api.service, calls);
    const Counts wanted = outcomes_of(api.service);
    for (const auto& [step, outcome] : {std::pair{"password", "success"},
                                        {"password", "challenge"},
                                        {"password", "refused"},
                                        {"password", "locked"},
                                        {"two_factor", "success"},
                                        {"two_factor", "refused"},
                                        {"two_factor", "locked"},
                                        {"two_factor_setup", "success"},
                                        {"two_factor_setup", "refused"}})
        EXPECT_THAT(wanted,
                    Contains(Key(fmt::format(R"(consentry_logins_total{{outcome="{}",step="{}"}})", outcome, step))));
    const auto wanted_errors = api.errors();

    Logged pages;
    PageSteps forms(pages.service);
    take_all(pages.service, forms);
    EXPECT_EQ(outcomes_of(pages.service), wanted);
    EXPECT_EQ(pages.errors(), wanted_errors);
}

// A browser at a guarded host, as its proxy tells.
const Headers navigation{{"X-Original-URL", "https://app.example.com/"}, {"Sec-Fetch-Mode", "navigate"}};

TEST(PageObservation, NoStatusIsCountedAsOther) {
    IdentityProviders providers;
    Service service(providers.settings());
    const Person person = service.make_person();
    ProviderVisitor visitor{.providers = providers, .service = service};
    for (const char* path : {"/", "/login", "/login/verify", "/account", "/sign-up", "/nothing"})
        visitor.browser.open(path);
    visitor.browser.log_in(person);
    visitor.browser.open("/account");
    HttpClient(service.port()).get("/api/forward-auth", navigation);
    const auto counts = counts_of(service, {"consentry_http_requests_total"});
    ASSERT_FALSE(counts.empty());
    for (const auto& [series, count] : counts) EXPECT_THAT(series, Not(HasSubstr(R"(status="other")"))) << count;
}

TEST(PageObservation, AProvidersRefusalIsTheErrorOfItsRedirect) {
    IdentityProviders providers;
    Logged t(providers.settings());
    ProviderVisitor visitor{.providers = providers, .service = t.service};
    visitor.leave();
    EXPECT_EQ(place(visitor.come_back({{"state", "x"}})), "/login?step=over&with=google");
    EXPECT_EQ(place(visitor.come_back({{"state", visitor.asked.at("state")}, {"error", "server_error"}})),
              "/login?step=refused&with=google");
    visitor.leave();
    EXPECT_EQ(place(visitor.come_back({{"state", visitor.asked.at("state")}, {"id_token", "x"}})),
              "/login?step=refused&with=google");
    visitor.leave();
    EXPECT_EQ(place(visitor.come_back({{"state", visitor.asked.at("state")}, {"error", "access_denied"}})),
              "/login?step=cancelled&with=google");
    EXPECT_EQ(place(visitor.log_in(ada)), "/account");
    t.service.sql("UPDATE users SET status = 'blocked'");
    EXPECT_EQ(place(visitor.log_in(ada)), "/login?step=inactive&with=google");
    EXPECT_THAT(t.errors(),
                ElementsAre("socialGoogleInvalid", "socialGoogleInvalid", "socialGoogleInvalid", "inactiveForbidden"));
}

// A visitor who has no session, or has to accept a document, is led to where they can: nothing was refused for good.
TEST(PageObservation, ADetourIsNoError) {
    Logged t;
    Browser browser(t.service);
    EXPECT_EQ(place(browser.open("/account")), "/login?return=%2Faccount");
    EXPECT_EQ(outcomes_of(t.service), Counts{});
    EXPECT_THAT(t.errors(), ElementsAre());
}

// A redirect with an error is an answer; only a body that was cut off is a failure.
TEST(PageObservation, ARedirectIsNotLoggedAsAFailure) {
    Logged t({{"FORWARD_AUTH_HOSTS", "app.example.com"}});
    const Answer answer = HttpClient(t.service.port()).get("/api/forward-auth", navigation);
    EXPECT_EQ(answer.status, 302U) << answer.body;
    EXPECT_THAT(t.errors(), ElementsAre("jwtAccessTokenInvalid"));
    for (const json::object& line : entries_in(t.folder / "logs" / "api.log"))
        if (line.contains("err")) EXPECT_EQ(line.at("severity"), "INFO");
}

TEST(PageObservation, MalformedFormsAreNonsense) {
    Logged t;
    Browser browser(t.service);
    browser.open("/login");
    for (int i = 0; i < 45; ++i)
        EXPECT_EQ(browser.send("/login", {{"email", std::to_string(i)}, {"password", ""}}).status, 422U);
    EXPECT_EQ(t.events("client.nonsense"), 1U);
}

TEST(PageObservation, ARefusedRightIsToldAndAnExpiredFormIsNot) {
    Logged t;
    const Person chief = t.service.make_person(Role::super_admin);
    Browser browser(t.service);
    browser.log_in(chief);
    browser.open("/account/data");
    EXPECT_EQ(browser.send("/account/data", {{"email", chief.email}}).status, 403U);
    EXPECT_EQ(t.events("authorization.refused"), 1U) << "only the operator deletes an administrator";
    EXPECT_EQ(browser.send_from("https://evil.example", "/account/data", {}).status, 403U);
    EXPECT_EQ(t.events("authorization.refused"), 2U);
    browser.token.clear();
    EXPECT_EQ(browser.send("/account/data", {{"email", chief.email}}).status, 403U);
    EXPECT_EQ(t.events("authorization.refused"), 2U);
}

}  // namespace
}  // namespace consentry::tests
