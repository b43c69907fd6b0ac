// Tests what /metrics reports, to whom, and what it keeps to itself.
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "app/version.hpp"
#include "storage/sqlite/connection.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

// Parses a page of the text format. Anything that does not belong to the format fails the test.
class Page {
public:
    explicit Page(const std::string& text) {
        static const std::regex head(R"(# (HELP|TYPE) ([a-z_]+) (.+))");
        static const std::regex sample(R"(([a-z_]+)(\{.*\})? (-?[0-9.e+-]+|\+Inf|NaN))");
        std::istringstream lines(text);
        std::smatch parts;
        for (std::string line; std::getline(lines, line);) {
            if (std::regex_match(line, parts, head)) {
                if (parts[1] == "TYPE") EXPECT_TRUE(types.emplace(parts[2], parts[3]).second) << line;
            } else if (std::regex_match(line, parts, sample)) {
                EXPECT_TRUE(values.emplace(parts[1].str() + parts[2].str(), std::stod(parts[3])).second) << line;
            } else {
                ADD_FAILURE() << "neither a comment nor a sample: " << line;
            }
        }
    }
    // Returns -1 if there is no such series.
    double operator()(const std::string& series) const {
        const auto found = values.find(series);
        return found == values.end() ? -1 : found->second;
    }
    std::size_t count(const std::string& beginning) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(values, [&](const auto& one) { return one.first.starts_with(beginning); }));
    }

    std::map<std::string, std::string> types;
    std::map<std::string, double> values;
};

Page page_of(const Service& service) {
    const Answer answer = service.get("/metrics");
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    return Page(answer.body);
}

std::string requests(const std::string& operation, const std::string& method, const std::string& status) {
    return "consentry_http_requests_total{method=\"" + method + "\",operation=\"" + operation + "\",status=\"" +
           status + "\"}";
}
std::string logins(const std::string& step, const std::string& outcome) {
    return "consentry_logins_total{outcome=\"" + outcome + "\",step=\"" + step + "\"}";
}
std::string errors_of(const std::string& name, const std::string& module) {
    return "consentry_http_errors_total{code_key=\"" + name + "\",module=\"" + module + "\"}";
}

TEST(OPS_3, NamesFollowPrometheusAndSeriesStandOnce) {
    const Service& service = suite_service();
    service.get("/api/hello");
    service.get("/api/nowhere");
    const Page page = page_of(service);
    EXPECT_GT(page.types.size(), 15U);
    for (const auto& [name, type] : page.types) {
        EXPECT_TRUE(name.starts_with("consentry_") || name.starts_with("process_")) << name;
        EXPECT_EQ(name.ends_with("_total"), type == "counter") << name << " is a " << type;
    }
}

TEST(OPS_3, AnswersAreCountedAndTimed) {
    const Service service;
    for (int i = 0; i < 3; ++i) service.get("/api/hello");
    service.call("HEAD", "/api/public/hello");
    service.get("/api/shared/user/2fa/status");
    service.get("/api/nowhere");
    service.call("POST", "/api/hello");
    const Page page = page_of(service);
    EXPECT_EQ(page(requests("hello", "GET", "200")), 3);
    EXPECT_EQ(page(requests("hello", "HEAD", "200")), 1);
    EXPECT_EQ(page(requests("twoFactorStatus", "GET", "401")), 1);
    EXPECT_EQ(page(requests("unknown", "GET", "404")), 1);
    EXPECT_EQ(page(requests("unknown", "POST", "405")), 1);
    EXPECT_EQ(page("consentry_http_request_duration_seconds_count{operation=\"hello\"}"), 4);
    EXPECT_EQ(page("consentry_http_request_duration_seconds_bucket{operation=\"hello\",le=\"+Inf\"}"), 4);
    EXPECT_GT(page("consentry_http_request_duration_seconds_sum{operation=\"hello\"}"), 0);
    EXPECT_EQ(page(errors_of("jwtAccessTokenInvalid", "auth")), 1);
    EXPECT_EQ(page(errors_of("notFound", "http")), 1);
    EXPECT_EQ(page(errors_of("methodNotAllowed", "http")), 1);
    EXPECT_GE(page("consentry_http_connections"), 1);
}

// Regression: it counted as one of 0 ms, which hid an overload from every alert on latency.
TEST(OPS_3, ARequestWhoseTimeIsUpCountsWithItsTime) {
    const Service service({{"REQUEST_TIMEOUT_IN_MS", "1000"}});
    storage::sqlite::Connection other({.file = service.folder() / "data" / "consentry.db"});
    other.run("BEGIN IMMEDIATE");  // a login counts its attempt first
    const Answer answer =
        service.post("/api/user/login/credential",
                     {{"email", "unknown@example.org"}, {"password", "Copper-Meadow-77"}, {"from", "website"}});
    EXPECT_EQ(answer.status, 408U);
    EXPECT_EQ(answer.headers.at("connection"), "close");
    EXPECT_GE(std::stod(answer.headers.at("x-response-time")), 900) << answer.headers.at("x-response-time");
    other.run("ROLLBACK");
    const Page page = page_of(service);
    const std::string took = "consentry_http_request_duration_seconds_";
    EXPECT_EQ(page(took + "count{operation=\"loginWithCredential\"}"), 1);
    EXPECT_GE(page(took + "sum{operation=\"loginWithCredential\"}"), 0.9);
    EXPECT_EQ(page(took + "bucket{operation=\"loginWithCredential\",le=\"0.5\"}"), 0);
    EXPECT_GE(page(took + "bucket{operation=\"loginWithCredential\",le=\"0.1\"}"), 0) << "as documented";
    EXPECT_EQ(page(errors_of("timeout", "request")), 1);
}

// An alert compares a series with its former values, and could not see the first error otherwise.
TEST(OPS_3, UnexpectedErrorsAreCountedFromZero) { EXPECT_EQ(page_of(Service())(errors_of("unknown", "app")), 0); }

TEST(OPS_3, EveryStatusOfTheApiHasSeriesOfItsOwn) {
    const Service& service = suite_service();
    const json::value document = json::parse(service.get("/docs/json").body);
    for (const auto& [path, operations] : document.at("paths").as_object())
        for (const auto& [method, operation] : operations.as_object())
            for (const auto& [status, answer] : operation.at("responses").as_object())
                EXPECT_TRUE(Metrics::tells(static_cast<unsigned>(std::stoul(status))))
                    << std::string_view(method) << " " << std::string_view(path) << " answers "
                    << std::string_view(status);
    EXPECT_FALSE(Metrics::tells(299));
}

TEST(OPS_3, WhatIsRefusedUnreadIsCountedWithItsOperation) {
    const Service service;
    const auto ask = [&](const std::string& path, const std::string& rest) {
        RawClient client(service.port());
        client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\n" + rest);
        return client.read_answer().status;
    };
    const std::string login = "/api/public/user/login/credential";
    EXPECT_EQ(ask(login, "Content-Length: 1000000000\r\n\r\n"), 413U);
    EXPECT_EQ(ask("/api/nowhere", "Content-Length: 1000000000\r\n\r\n"), 413U);
    EXPECT_EQ(ask(login, "X: " + std::string(100'000, 'x')), 431U);
    const Page page = page_of(service);
    EXPECT_EQ(page(requests("loginWithCredential", "POST", "413")), 1);
    EXPECT_EQ(page(requests("unknown", "POST", "413")), 1);
    EXPECT_EQ(page(requests("loginWithCredential", "POST", "431")), 1);
}

TEST(OPS_3, LoginsAreCountedByStepAndOutcome) {
    Service service;
    const Person plain = service.make_person();
    Person careful = service.make_person();
    EXPECT_EQ(page_of(service)(logins("password", "locked")), 0) << "there before anything happens";
    service.turn_two_factor_on(careful);  // logs in with the password alone
    service.tokens_of(plain);
    service.log_in(plain.email, "Wrong-Harbor-42");
    service.log_in("stranger@example.org", "Wrong-Harbor-42");
    service.log_in("no address", "");
    EXPECT_EQ(service.verify(service.challenge_of(careful), service.next_code(careful)).status, 200U);
    EXPECT_EQ(service.verify(service.challenge_of(careful), wrong_code(service, careful)).status, 401U);
    for (int i = 0; i < 6; ++i) service.log_in("other@example.org", "Wrong-Harbor-42");
    const Page page = page_of(service);
    EXPECT_EQ(page(logins("password", "success")), 2);
    EXPECT_EQ(page(logins("password", "challenge")), 2);
    EXPECT_EQ(page(logins("password", "refused")), 2 + 5);
    EXPECT_EQ(page(logins("password", "locked")), 1);
    EXPECT_EQ(page(logins("two_factor", "success")), 1);
    EXPECT_EQ(page(logins("two_factor", "refused")), 1);
}

// The guide's queries leave the set-up out.
TEST(OPS_3, AForcedSetUpCountsAsAStepButNotAsALogin) {
    Service service;
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    reset_two_factor(service, person);
    const auto sessions = [&] {
        const Page page = page_of(service);
        return page(logins("password", "success")) + page(logins("two_factor", "success"));
    };
    const double before = sessions();
    const Answer login = service.log_in(person);
    person.secret = login.text("data.secret");
    const std::string challenge = login.text("data.challengeToken");
    const Answer enabled = service.post("/api/public/user/login/2fa/enable",
                                        {{"challengeToken", challenge}, {"code", service.next_code(person)}});
    ASSERT_EQ(enabled.status, 200U) << enabled.body;
    EXPECT_EQ(page_of(service)(logins("password", "challenge")), 1);
    EXPECT_EQ(page_of(service)(logins("two_factor_setup", "success")), 1);
    EXPECT_EQ(sessions(), before) << "the login goes on with the second factor";
    EXPECT_EQ(service.verify(challenge, service.next_code(person)).status, 200U);
    EXPECT_EQ(sessions(), before + 1);
    const std::string help =
        "# HELP consentry_logins_total Login steps; a success starts a session or, in the set-up, ";
    EXPECT_NE(service.get("/metrics").body.find(help), std::string::npos);
}

TEST(OPS_3, NobodyMakesSeriesByWhatTheySend) {
    const Service service;
    const HttpClient client(service.port());
    client.get("/api/nowhere");
    client.call("BREW", "/api/hello");
    client.get("/api/shared/user/2fa/status", bearer("x"));
    const std::size_t before = page_of(service).values.size();
    for (int i = 0; i < 200; ++i) {
        const std::string n = std::to_string(i);
        client.get("/api/nowhere/" + n);
        client.call("BREW" + std::string(static_cast<std::size_t>(i % 20), 'X'), "/api/hello");
        client.get("/api/shared/user/2fa/status",
                   {{"Authorization", "Bearer " + n}, {"User-Agent", n}, {"x-custom-lang", n}, {"x-request-id", n}});
    }
    // The first reading adds the series of /metrics itself: one counter, 15 buckets and +Inf, sum and count.
    EXPECT_EQ(page_of(service).values.size(), before + 19);
    EXPECT_EQ(page_of(service)(requests("unknown", "other", "405")), 201);
}

TEST(OPS_3, TheMetricsTellNothingSecret) {
    Service& service = suite_service();
    Person person = service.make_person();
    const TokenTexts tokens = service.turn_two_factor_on(person);
    service.get("/api/canary-path?canary=query", {{"User-Agent", "canary-agent"}, {"Authorization", "Bearer canary"}});
    const std::string page = service.get("/metrics").body;
    for (const std::string& secret :
         {person.email, person.id.text(), tokens.access, tokens.refresh, person.secret, person.backup_codes.front(),
          std::string("canary"), std::string("127.0.0.1"), service.folder().string()})
        EXPECT_EQ(page.find(secret), std::string::npos) << secret;
}

TEST(OPS_3, TheHashQueueShows) {
    Service service({{"AUTH_PASSWORD_HASH_THREADS", "1"}, {"AUTH_PASSWORD_HASH_QUEUE_MAX", "1"}});
    const Person person = service.make_person();
    {
        const FullPool full(service.app().services().hash_pool, 2);
        EXPECT_EQ(service.log_in(person).status, 503U);
        const Page page = page_of(service);
        EXPECT_EQ(page("consentry_pool_tasks{pool=\"hash\"}"), 2);
        EXPECT_EQ(page("consentry_pool_tasks_max{pool=\"hash\"}"), 2);
        EXPECT_EQ(page("consentry_pool_refused_total{pool=\"hash\"}"), 1);
        EXPECT_EQ(page("consentry_pool_refused_total{pool=\"sign\"}"), 0);
    }
    EXPECT_EQ(page_of(service)(errors_of("serviceUnavailable", "http")), 1);
}

TEST(OPS_3, TheAgeOfKeysShows) {
    Service service;
    const auto now = static_cast<double>(epoch_ms(service.clock().now())) / 1'000;
    for (const char* kind : {"access", "refresh"}) {
        const std::string series = fmt::format("consentry_signing_key_made_timestamp_seconds{{kind=\"{}\"}}", kind);
        EXPECT_EQ(page_of(service)(series), now);
    }
    service.clock().advance(std::chrono::seconds{86'400});
    KeyRing::generate(service.folder() / "data" / "keys", TokenKind::access, crypto::SignatureAlgorithm::es256,
                      service.clock().now());
    service.restart();
    EXPECT_EQ(page_of(service)("consentry_signing_key_made_timestamp_seconds{kind=\"access\"}"), now + 86'400);
    EXPECT_EQ(page_of(service)("consentry_signing_key_made_timestamp_seconds{kind=\"refresh\"}"), now);
}

TEST(OPS_3, SecurityEventsAreCounted) {
    Service& service = suite_service();
    SecurityEvents& events = service.app().services().security_events;
    const std::string series = "consentry_security_events_total{event=\"session.reuse\",outcome=\"refused\"}";
    const double before = std::max(0.0, page_of(service)(series));
    events.record({.name = "session.reuse", .outcome = Outcome::refused});
    events.record({.name = "session.reuse", .outcome = Outcome::refused});
    events.record({.name = "session.reuse", .outcome = Outcome::success});
    EXPECT_EQ(page_of(service)(series), before + 2);
}

TEST(OPS_3, TheProcessAndWhatItDependsOnAreReadAtEachScrape) {
    Service service;
    const Page page = page_of(service);
    EXPECT_EQ(page("consentry_dependency_up{dependency=\"database\"}"), 1);
    EXPECT_EQ(page("consentry_dependency_up{dependency=\"cache\"}"), 1);
    EXPECT_GE(page("consentry_dependency_ping_seconds{dependency=\"database\"}"), 0);
    EXPECT_EQ(page("consentry_rate_limit_shared"), 1);
    for (const std::string stream : {"security_events", "log", "standard_error", "error_tracking"})
        EXPECT_EQ(page("consentry_lines_lost_total{stream=\"" + stream + "\"}"), 0) << stream;
    EXPECT_EQ(page("consentry_build_info{version=\"" + std::string(program_version()) + "\"}"), 1);
    EXPECT_GT(page("process_resident_memory_bytes"), 1e6);
    EXPECT_GT(page("process_cpu_seconds_total"), 0);
    EXPECT_GT(page("process_open_fds"), 3);
    EXPECT_GT(page("process_max_fds"), page("process_open_fds"));
    const double now = static_cast<double>(epoch_ms(service.clock().now())) / 1'000;
    EXPECT_LE(page("process_start_time_seconds"), now);
    EXPECT_GT(page("process_start_time_seconds"), now - 3'600) << "this very test program";
}

TEST(OPS_3, ACacheThatIsAwayShows) {
    const Service service({{"CACHE_URL", "redis://127.0.0.1:1"}, {"THROTTLE_LIMIT", "100"}});
    const Page page = page_of(service);
    EXPECT_EQ(page("consentry_dependency_up{dependency=\"cache\"}"), 0);
    EXPECT_EQ(page("consentry_dependency_up{dependency=\"database\"}"), 1);
    EXPECT_EQ(page("consentry_rate_limit_shared"), 0);
}

// Expects exactly the answer of a path that does not exist.
void expect_nothing_there(const Service& service, const Headers& headers = {}) {
    const HttpClient client(service.port());
    Answer metrics = client.get("/metrics", headers);
    const Answer nothing = client.get("/nothing", headers);
    EXPECT_EQ(metrics.status, 404U);
    metrics.body.replace(metrics.body.find("/metrics"), 8, "/nothing");
    EXPECT_EQ(comparable(metrics), comparable(nothing));
}

TEST(LOG_7, MetricsAreClosedWhereTheyAreOff) {
    const Service service({{"METRICS_ENABLE", "false"}});
    expect_nothing_there(service);
}

TEST(LOG_7, MetricsAreForTheListedNetworksAlone) {
    expect_nothing_there(Service({{"METRICS_ALLOWED_FROM", "10.0.0.0/8,::1"}}));
    expect_nothing_there(Service({{"METRICS_ALLOWED_FROM", ""}}));
    const Service service({{"METRICS_ALLOWED_FROM", "10.0.0.0/8"}, {"HTTP_TRUSTED_PROXIES", "127.0.0.1"}});
    EXPECT_EQ(service.get("/metrics", {{"X-Forwarded-For", "10.1.2.3"}}).status, 200U);
    EXPECT_EQ(service.get("/metrics", {{"X-Forwarded-For", "::ffff:10.1.2.3"}}).status, 200U);
    for (const char* hops : {"203.0.113.7", "10.1.2.3, 203.0.113.7", "10.1.2.3, unknown", ""})
        expect_nothing_there(service, {{"X-Forwarded-For", hops}});
}

TEST(LOG_7, MetricsAreNotGivenToAProxyThatNobodyTrusts) {
    const Service service;
    EXPECT_EQ(service.get("/metrics").status, 200U);
    expect_nothing_there(service, {{"X-Forwarded-For", "127.0.0.1"}});
    expect_nothing_there(service, {{"Forwarded", "for=127.0.0.1"}});
}

}  // namespace
}  // namespace consentry::tests
