// Tests docs/deploy/nginx.conf with a real nginx between a client and an application that echoes what it received.
#include <filesystem>
#include <optional>

#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

constexpr const char* nginx_script = CONSENTRY_REAL_SERVERS "/nginx_forward_auth.sh";

// Runs nginx in front of one service for the lifetime of this object.
class Nginx {
public:
    explicit Nginx(const Service& service) {
        // The user that runs nginx must be able to enter the folder.
        std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
        const auto values = named_values(output_of(
            {nginx_script, "start", "--owner", std::to_string(::getpid()), place(), std::to_string(service.port())}));
        client_.emplace(static_cast<std::uint16_t>(std::stoul(values.at("PORT"))));
    }
    ~Nginx() {
        try {
            run_command({nginx_script, "stop", place()});
        } catch (const std::exception&) {
            // nginx ends with this process at the latest.
        }
    }
    Nginx(const Nginx&) = delete;
    Nginx& operator=(const Nginx&) = delete;

    Answer ask(const std::string& method, const std::string& path, const std::string& token = {}, Headers more = {},
               const std::string& body = {}) const {
        more.emplace_back("Host", "app.example.com");
        if (!token.empty()) more.emplace_back("Authorization", "Bearer " + token);
        return client_->call(method, path, body, more);
    }
    const HttpClient& client() const { return *client_; }

private:
    std::string place() const { return (folder_.path() / "nginx").string(); }

    TempFolder folder_;
    std::optional<HttpClient> client_;
};

const Headers forged{{"X-User-Id", "forged"},
                     {"x-user-email", "forged"},
                     {"X-USER-ROLE", "forged"},
                     {"X-Session-Id", "forged"},
                     {"X-User_Id", "forged"}};

// Returns what the application echoes about its caller.
std::string told(const Person& person, const std::string& role, const std::string& session) {
    return "id[" + person.id.text() + "] email[" + person.email + "] role[" + role + "] session[" + session +
           "] token[]";
}
constexpr const char* told_nothing = "id[] email[] role[] session[] token[]";

struct BehindNginx {
    Service service{{{"HTTP_TRUSTED_PROXIES", "127.0.0.1"}}};
    Nginx nginx{service};
};

TEST(AUT_1, NginxLetsNobodyInWithoutALiveSession) {
    const BehindNginx t;
    for (const std::string method : {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}) {
        const Answer nobody = t.nginx.ask(method, "/orders/7?x=1", {}, forged);
        EXPECT_EQ(nobody.status, 401U) << method;
        EXPECT_EQ(nobody.headers.at("www-authenticate"), "Bearer");
        EXPECT_EQ(t.nginx.ask(method, "/orders/7", "garbage", forged).status, 401U) << method;
    }
    for (const char* path : {"/_consentry/user", "/_consentry/admin"})
        EXPECT_EQ(t.nginx.ask("GET", path).status, 404U) << path;
}

TEST(AUT_5, NginxTellsTheApplicationWhoIsCallingAndNothingForged) {
    BehindNginx t;
    const Person person = t.service.make_person();
    const std::string token = t.service.tokens_of(person).access;
    const std::string session = t.service.get("/api/shared/user/session/list", bearer(token)).text("data.0.id");
    const std::string expected = told(person, "user", session);
    const Answer get = t.nginx.ask("GET", "/orders/7", token, forged);
    EXPECT_EQ(get.status, 200U);
    EXPECT_EQ(get.body, "GET /orders/7 " + expected + " length[]");
    // The body reaches the application, and Consentry reads none of it.
    const Answer post = t.nginx.ask("POST", "/orders", token, forged, "not { json");
    EXPECT_EQ(post.body, "POST /orders " + expected + " length[10]");
    EXPECT_EQ(t.nginx.ask("HEAD", "/orders", token).status, 200U);
    EXPECT_EQ(t.nginx.ask("GET", "/orders", token, {{"X-Api-Key", "of the application"}}).status, 200U);
    EXPECT_EQ(t.nginx.ask("GET", "/public/terms", {}, forged).body,
              std::string("GET /public/terms ") + told_nothing + " length[]");
}

TEST(Nginx, PassesFilesOfTheLargestSizeToConsentry) {
    BehindNginx t;
    const std::string admin = t.service.tokens_of(t.service.make_person(Role::admin)).access;
    const Answer answer = t.nginx.client().call(
        "POST", "/api/admin/user/import?dryRun=true", std::string(10'485'760, 'x'),
        {{"Host", "accounts.example.com"}, {"Authorization", "Bearer " + admin}, {"Content-Type", "text/csv"}});
    EXPECT_EQ(answer.status, 422U) << "read, and found to be no table";
}

TEST(AUT_1, NginxAsksForTheRoleOfALocation) {
    BehindNginx t;
    const std::string user = t.service.tokens_of(t.service.make_person()).access;
    const std::string admin = t.service.tokens_of(t.service.make_person(Role::admin)).access;
    for (const std::string path : {"/admin/", "/admin", "/Admin/", "/ADMIN/users", "/admin.json", "/admin/users",
                                   "//admin/users", "/public/../admin/users", "/%61dmin/users"}) {
        EXPECT_EQ(t.nginx.ask("GET", path, user).status, 403U) << path;
        EXPECT_EQ(t.nginx.ask("GET", path, admin).status, 200U) << path;
    }
    EXPECT_EQ(t.nginx.ask("GET", "/admin/?roles=user", user).status, 403U);
}

TEST(DOC_8, NginxLetsInWhoHasAcceptedTheLatestVersions) {
    BehindNginx t;
    const Person person = t.service.make_person();
    const std::string token = t.service.tokens_of(person).access;
    const auto visit = [&] { return t.nginx.ask("GET", "/members/7", token, forged); };
    EXPECT_EQ(visit().status, 200U) << "nothing is published";
    publish(t.service, "termsOfService", 1);
    publish(t.service, "privacy", 1);
    EXPECT_EQ(visit().status, 403U);
    EXPECT_EQ(t.nginx.ask("GET", "/members/?policies=marketing", token).status, 403U);
    EXPECT_EQ(t.nginx.ask("GET", "/orders", token).status, 200U);
    EXPECT_EQ(accept(t.service, token, "termsOfService").status, 200U);
    EXPECT_EQ(visit().status, 403U) << "all of them";
    EXPECT_EQ(accept(t.service, token, "privacy").status, 200U);
    const Answer let_in = visit();
    EXPECT_EQ(let_in.status, 200U);
    EXPECT_TRUE(let_in.body.contains("id[" + person.id.text() + "]")) << let_in.body;
    publish(t.service, "privacy", 2);
    EXPECT_EQ(visit().status, 403U) << "at the next request";
    EXPECT_EQ(t.nginx.ask("GET", "/members/7").status, 401U);
}

TEST(AUT_4, NginxRefusesARevokedSessionAtItsNextRequest) {
    BehindNginx t;
    const std::string token = t.service.tokens_of(t.service.make_person()).access;
    EXPECT_EQ(t.nginx.ask("GET", "/", token).status, 200U);
    EXPECT_EQ(t.service.post("/api/shared/user/logout", {}, bearer(token)).status, 200U);
    EXPECT_EQ(t.nginx.ask("GET", "/", token).status, 401U);
}

TEST(LIM_2, BehindNginxALimitIsOneClientsAndToldAsComeAgain) {
    const Service service(
        {{"HTTP_TRUSTED_PROXIES", "127.0.0.1"}, {"THROTTLE_LIMIT", "2"}, {"THROTTLE_TTL_IN_MS", "3600000"}});
    const Nginx nginx(service);
    // nginx does not forward what the client claims about hops, so all requests count as one client's.
    EXPECT_EQ(nginx.ask("GET", "/", {}, {{"X-Forwarded-For", "203.0.113.1"}}).status, 401U);
    EXPECT_EQ(nginx.ask("GET", "/", {}, {{"X-Forwarded-For", "203.0.113.2"}}).status, 401U);
    const Answer limited = nginx.ask("GET", "/", {}, {{"X-Forwarded-For", "203.0.113.3"}});
    EXPECT_EQ(limited.status, 503U);
    EXPECT_EQ(limited.headers.at("retry-after"), "1");
}

TEST(LOG_7, NginxHandsNobodyTheMetrics) {
    const BehindNginx t;
    // The service trusts nginx, and the address of this client may read the metrics: only nginx refuses.
    EXPECT_EQ(t.service.get("/metrics").status, 200U);
    for (const char* path : {"/metrics", "/metrics?x=1", "//metrics", "/%6detrics"}) {
        const Answer refused = t.nginx.client().get(path, {{"Host", "accounts.example.com"}});
        EXPECT_EQ(refused.status, 404U) << path;
        EXPECT_FALSE(refused.body.contains("statusCodeKey")) << path << " was forwarded";
    }
    EXPECT_EQ(t.nginx.client().get("/api/hello", {{"Host", "accounts.example.com"}}).status, 200U);
}

}  // namespace
}  // namespace consentry::tests
