// Tests error reports to a server that speaks the Sentry protocol: what they contain, and that no request waits for
// them.
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "app/observation/error_tracking.hpp"
#include "app/version.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Received {
    std::string target;
    std::string auth;
    std::string type;
    std::string traceparent;
    std::string body;
};

// A server for error reports that stores what it receives.
class Collector : public http::Application {
public:
    boost::asio::awaitable<void> respond(const http::Request& request, http::Response& response) override {
        if (!co_await receive_body(request, response)) co_return;
        response.status = remember(request);
        if (response.status == 429) response.add_header("Retry-After", "3600");
        if (response.status != silent) co_return;
        boost::asio::steady_timer forever(co_await boost::asio::this_coro::executor, std::chrono::hours{1});
        co_await forever.async_wait(boost::asio::use_awaitable);
    }
    void refuse(const http::Request&, const ErrorKind& kind, http::Response& response) noexcept override {
        response.status = kind.http_status;
    }
    void answer_with(unsigned status) {
        const std::lock_guard lock(mutex_);
        status_ = status;
    }
    std::vector<Received> received() const {
        const std::lock_guard lock(mutex_);
        return received_;
    }

    static constexpr unsigned silent = 0;  // sends no answer at all

private:
    unsigned remember(const http::Request& request) {
        const std::lock_guard lock(mutex_);
        received_.push_back({std::string(request.target), std::string(request.header("x-sentry-auth").value_or("")),
                             std::string(request.header("content-type").value_or("")),
                             std::string(request.header("traceparent").value_or("")), std::string(request.body)});
        return status_;
    }

    mutable std::mutex mutex_;
    std::vector<Received> received_;
    unsigned status_ = 200;
};

struct CollectorServer {
    CollectorServer() : server(options(), collector) { server.start(); }
    static http::ServerOptions options() {
        http::ServerOptions out = on_loopback();
        // Bounds how long stopping the server waits for requests that it never answers.
        out.request_timeout = std::chrono::seconds{5};
        return out;
    }
    std::string dsn() const { return "http://k3y@127.0.0.1:" + std::to_string(server.port()) + "/sentry/7"; }
    Collector collector;
    http::Server server;
};

// A service in which every login fails with an error.
struct FailingService {
    explicit FailingService(Environment settings) : service(std::move(settings)), person(service.make_person()) {
        service.break_writes("INSERT ON sessions");
    }
    Answer fail(Headers headers = {}) const {
        return service.post("/api/public/user/login/credential",
                            {{"email", person.email}, {"password", person.password}, {"from", "website"}},
                            std::move(headers));
    }
    Service service;
    Person person;
};

TEST(ErrorTracking, ReportsFailuresOfTheServiceAndNothingOfThePerson) {
    const CollectorServer collector;
    FailingService failing({{"SENTRY_DSN", collector.dsn()}});
    EXPECT_EQ(failing.service.get("/api/nowhere").status, 404U);  // not a failure of the service
    const std::string trace = "0af7651916cd43dd8448eb211c80319c";
    const Answer answer = failing.fail({{"traceparent", "00-" + trace + "-b7ad6b7169203331-01"},
                                        {"Cookie", "header-canary"},
                                        {"User-Agent", "agent-canary"}});
    ASSERT_GE(answer.status, 500U);
    ASSERT_TRUE(eventually([&] { return !collector.collector.received().empty(); }));
    const Received report = collector.collector.received().front();
    EXPECT_EQ(report.target, "/sentry/api/7/envelope/");
    EXPECT_EQ(report.type, "application/x-sentry-envelope");
    const auto passed_on = http::TraceContext::parse(report.traceparent);
    ASSERT_TRUE(passed_on) << report.traceparent;
    EXPECT_EQ(passed_on->trace_id, trace);
    EXPECT_NE(passed_on->parent_id, "b7ad6b7169203331") << "a span of its own";
    EXPECT_EQ(passed_on->flags, "01");
    EXPECT_THAT(report.auth, HasSubstr("Sentry sentry_version=7"));
    EXPECT_THAT(report.auth, HasSubstr("sentry_key=k3y"));
    for (const std::string& secret : {failing.person.password, failing.person.email, std::string("canary")})
        EXPECT_THAT(report.body, Not(HasSubstr(secret)));

    // An envelope has three lines: its header, the header of the item, and the item.
    std::istringstream in(report.body);
    std::string header;
    std::string item;
    std::string payload;
    std::getline(in, header);
    std::getline(in, item);
    std::getline(in, payload);
    EXPECT_EQ(json::parse(item).at("type"), "event");
    EXPECT_EQ(json::parse(item).at("length").to_number<std::size_t>(), payload.size());
    const json::value event = json::parse(payload);
    EXPECT_EQ(event.at("event_id"), json::parse(header).at("event_id"));
    EXPECT_EQ(event.at("event_id").as_string().size(), 32U);
    EXPECT_EQ(event.at("level"), "error");
    EXPECT_EQ(event.at("environment"), "local");
    EXPECT_EQ(event.at("release"), json::value(program_version()));
    EXPECT_EQ(event.at("request").at("method"), "POST");
    EXPECT_EQ(event.at("request").at("url"), "/api/public/user/login/credential");
    EXPECT_EQ(event.at("contexts").at("trace").at("trace_id"), json::value(trace));
    EXPECT_EQ(event.at("tags").at("request_id"), json::value(answer.headers.at("x-request-id")));
    EXPECT_THAT(std::string(event.at("exception").at("values").at(0).at("value").as_string()),
                HasSubstr("injected fault"));
    ASSERT_TRUE(eventually([&] { return failing.service.app().error_tracking()->sent() == 1; }));
    EXPECT_EQ(collector.collector.received().size(), 1U);
}

// Such answers are no failures of the service, and a stranger could fill the operator's quota with them.
TEST(ErrorTracking, DoesNotReportWhatIsTurnedOffOrAnotherVersionOfHttp) {
    const CollectorServer collector;
    FailingService failing({{"SENTRY_DSN", collector.dsn()}});
    Service& service = failing.service;
    RawClient client{service.port()};
    client.send("GET /api/hello HTTP/3.0\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.read_answer().status, 505U);
    service.sql("UPDATE feature_flags SET is_enabled = FALSE WHERE key = 'signUp'");
    EXPECT_EQ(service.post("/api/public/user/sign-up", {}).status, 503U);
    EXPECT_GE(failing.fail().status, 500U);
    ASSERT_TRUE(eventually([&] { return !collector.collector.received().empty(); }));
    EXPECT_THAT(collector.collector.received().front().body, HasSubstr("injected fault"));
}

TEST(ErrorTracking, ReportsAnExportThatBreaksOff) {
    const CollectorServer collector;
    Service service({{"SENTRY_DSN", collector.dsn()}});
    const Person chief = service.make_person(Role::super_admin);
    const std::string token = service.tokens_of(chief).access;
    std::string table = "email\n";
    for (int i = 0; i < 600; ++i) table += "person" + std::to_string(i) + "@example.com\n";  // more than one piece
    Headers headers = bearer(token);
    headers.emplace_back("Content-Type", "text/csv");
    ASSERT_EQ(service.call("POST", "/api/admin/user/import", table, headers).status / 100, 2U);
    service.pass(std::chrono::seconds{1});
    const Person last = service.make_person();
    service.sql("UPDATE users SET language = 'unreadable' WHERE id = '" + last.id.text() + "'");
    EXPECT_THROW(service.post("/api/admin/user/export", {}, bearer(token)), std::exception);
    ASSERT_TRUE(eventually([&] { return !collector.collector.received().empty(); }));
    EXPECT_THAT(collector.collector.received().front().body, HasSubstr("exportUsers"));
}

TEST(ErrorTracking, AServerThatIsGoneOrSilentSlowsNobody) {
    CollectorServer silent;
    silent.collector.answer_with(Collector::silent);
    for (const std::string& dsn : {std::string("http://k3y@127.0.0.1:1/7"), silent.dsn()}) {
        FailingService failing({{"SENTRY_DSN", dsn}, {"SENTRY_TIMEOUT_IN_MS", "60000"}});
        constexpr std::uint64_t failures = 300;
        for (std::uint64_t i = 0; i < failures; ++i) EXPECT_GE(failing.fail().status, 500U);
        const ErrorTracking& tracking = *failing.service.app().error_tracking();
        EXPECT_EQ(tracking.sent(), 0U);
        if (dsn == silent.dsn())
            EXPECT_GE(tracking.lost(), failures - 101) << "a hundred wait, one is on its way";
        else
            EXPECT_TRUE(eventually([&] { return tracking.lost() == failures; }));
    }
}

TEST(ErrorTracking, AServerThatAsksForAPauseGetsOne) {
    CollectorServer collector;
    collector.collector.answer_with(429);
    FailingService failing({{"SENTRY_DSN", collector.dsn()}});
    EXPECT_GE(failing.fail().status, 500U);
    ASSERT_TRUE(eventually([&] { return failing.service.app().error_tracking()->lost() == 1; }));
    collector.collector.answer_with(200);
    for (int i = 0; i < 150; ++i) EXPECT_GE(failing.fail().status, 500U);
    EXPECT_EQ(collector.collector.received().size(), 1U);
    EXPECT_EQ(failing.service.app().error_tracking()->lost(), 51U) << "100 wait, the others found no place";
}

}  // namespace
}  // namespace consentry::tests
