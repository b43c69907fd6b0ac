// Attempts to bypass a guard with other spellings of paths and methods, with other hosts and with ids of other users
// (AUT-2, AUT-3).
#include "base/uuid.hpp"
#include "tests/support/raw_call.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

// Returns whether a stranger may get this status from a guarded path, in any spelling.
bool is_refusal(unsigned status) {
    return status == 400 || status == 401 || status == 403 || status == 404 || status == 405;
}

// The first three spellings address the path itself: with a query, or with the version. All others address nothing.
constexpr std::size_t own_spellings = 3;

const std::vector<std::string>& spellings_of(const std::string& path) {
    static std::map<std::string, std::vector<std::string>> known;
    auto& out = known[path];
    if (!out.empty()) return out;
    const std::string tail = path.substr(path.find('/', 1));  // the path after the prefix
    out = {path + "?",
           path + "?x",
           "/api/v1" + tail,
           path + "?#",
           "/" + path,
           path + "/",
           path + "//",
           path + "/.",
           path + "/..",
           path + "/%2e",
           path + "%2F",
           path + "%20",
           path + "%00",
           path + "%0a",
           path + ";x=1",
           path + ";",
           path + ".json",
           path + "%3Fx=1",
           path + "%23",
           "/api/" + tail,
           "/api/." + tail,
           "/api/%2e" + tail,
           "/api/x/.." + tail,
           "/api/x/%2e%2e" + tail,
           "/api/hello/.." + tail,
           "/api/hello/..%2f" + tail.substr(1),
           "/api\\" + tail.substr(1),
           "/API" + tail,
           "/%61pi" + tail,
           "/api%2F" + tail.substr(1),
           "/api/v1/v1" + tail,
           "/api/v2" + tail,
           "/api/V1" + tail,
           "/api/v01" + tail,
           "/api/v1.0" + tail,
           "/api/v%31" + tail,
           "/api;a=b" + tail};
    std::string upper = path;
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    out.push_back(upper);
    for (std::size_t i = 1; i < path.size(); i += 5) {
        std::string encoded = path;
        encoded.replace(i, 1, "%" + to_hex(as_bytes(path.substr(i, 1))));
        out.push_back(encoded);
    }
    for (auto slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        out.push_back(path.substr(0, slash) + "/" + path.substr(slash));
    return out;
}

// A spelling either addresses the path, which its guard protects, or it addresses nothing, for every caller. A spelling
// that answers strangers and callers differently without addressing the path has met another guard, or none.
TEST(AUT_2, NoSpellingOfAPathLeadsAroundItsGuard) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    for (const std::string path : {"/api/shared/user/2fa/status", "/api/user/session/list"}) {
        const auto& spellings = spellings_of(path);
        for (std::size_t i = 0; i < spellings.size(); ++i) {
            const std::string line = "GET " + spellings[i] + " HTTP/1.1\r\nHost: a\r\n";
            const auto stranger = ask(service, line);
            const auto signed_in = ask(service, line + "Authorization: Bearer " + tokens.access + "\r\n");
            if (i < own_spellings) {
                EXPECT_EQ(stranger.status, 401U) << spellings[i];
                EXPECT_TRUE(signed_in.status == 200 || signed_in.status == 422) << spellings[i] << signed_in.status;
            } else {
                EXPECT_TRUE(stranger.status == 400 || stranger.status == 404) << spellings[i] << stranger.status;
                EXPECT_EQ(signed_in.status, stranger.status) << spellings[i];
                EXPECT_FALSE(signed_in.body.contains("\"data\"")) << spellings[i];
            }
        }
        EXPECT_EQ(ask(service,
                      "GET " + spellings[0] + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + tokens.access + "\r\n")
                      .status,
                  200U)
            << "the token is good";
    }
}

TEST(AUT_2, NoSpellingOpensAnAdminsRouteToAUser) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Person victim = service.make_person();
    service.turn_two_factor_on(victim);
    const auto tokens = service.tokens_of(person);
    const auto before = service.sql("SELECT * FROM two_factors");
    for (const std::string& spelling : spellings_of("/api/admin/user/update/" + victim.id.text() + "/2fa/reset"))
        for (const std::string method : {"PATCH", "POST", "PUT", "GET"}) {
            const auto answer = ask(service, method + " " + spelling + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n" +
                                                 "Authorization: Bearer " + tokens.access + "\r\n");
            EXPECT_TRUE(is_refusal(answer.status)) << method << " " << spelling << " " << answer.status;
        }
    EXPECT_EQ(service.sql("SELECT * FROM two_factors"), before);
}

TEST(AUT_2, AbsoluteFormHeadAndOverridesMeetTheSameGuard) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    const std::string path = "/api/shared/user/2fa/status";
    const std::string bearer_line = "Authorization: Bearer " + tokens.access + "\r\n";
    for (const std::string& target : {"http://localhost" + path, "https://localhost" + path, "http://a:80" + path}) {
        const std::string line = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n";
        EXPECT_TRUE(is_refusal(ask(service, line).status)) << target;
    }
    EXPECT_EQ(service.call("HEAD", path).status, 401U);
    EXPECT_EQ(service.call("HEAD", path, {}, bearer(tokens.access)).status, 200U);
    EXPECT_EQ(service.call("HEAD", path, {}, bearer(tokens.access)).body, "");
    for (const std::string header : {"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"}) {
        EXPECT_EQ(service
                      .call("GET", "/api/shared/user/logout", {},
                            {{header, "POST"}, {"Authorization", "Bearer " + tokens.access}})
                      .status,
                  405U);
        EXPECT_EQ(service.call("GET", path, {}, {{header, "OPTIONS"}}).status, 401U);
    }
    for (const std::string header : {"X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix", "X-Forwarded-Uri"}) {
        EXPECT_EQ(service.get(path, {{header, "/api/hello"}}).status, 401U) << header;
        EXPECT_EQ(service.get("/api/hello", {{header, path}}).json.at("metadata").at("path"), "/api/hello") << header;
    }
    EXPECT_EQ(status_with(service, tokens.access).status, 200U) << "nothing of this was a logout";
}

TEST(AUT_2, IdentityComesFromTheTokenNotFromHeaders) {
    Service& service = suite_service();
    const Person admin = service.make_person(Role::admin);
    for (const auto& [name, value] : Headers{{"X-User-Id", admin.id.text()},
                                             {"X-Role", "admin"},
                                             {"X-User-Role", "superAdmin"},
                                             {"X-Forwarded-User", admin.email},
                                             {"X-Session-Id", "1"},
                                             {"X-Middleware-Subrequest", "1"}})
        EXPECT_EQ(service.get("/api/shared/user/2fa/status", {{name, value}}).status, 401U) << name;
}

TEST(AUT_3, ForeignSessionsAreAbsentOnes) {
    Service& service = suite_service();
    const Person owner = service.make_person();
    const auto own = service.tokens_of(owner);
    const auto foreign = service.tokens_of(service.make_person());
    const auto chief = service.tokens_of(service.make_person(Role::super_admin));
    const std::string foreign_id(claims_of(foreign.access).at("sid").as_string());
    const std::string prefix = "/api/shared/user/session/revoke/";
    for (const auto& caller : {own, chief}) {
        const Answer there = service.erase(prefix + foreign_id, {}, bearer(caller.access));
        const Answer absent = service.erase(prefix + Uuid::v7(service.clock().now()).text(), {}, bearer(caller.access));
        EXPECT_EQ(there.status, 404U);
        EXPECT_EQ(absent.status, 404U);
        EXPECT_EQ(without_metadata(there), without_metadata(absent));
    }
    EXPECT_EQ(status_with(service, foreign.access).status, 200U) << "and nothing happened to it";

    // A session that has ended counts as absent too. A malformed id gets a different answer, which reveals nothing.
    const std::string ended_id(claims_of(own.access).at("sid").as_string());
    const auto another = service.tokens_of(owner);
    ASSERT_EQ(service.erase(prefix + ended_id, {}, bearer(another.access)).status, 204U);
    EXPECT_EQ(service.erase(prefix + ended_id, {}, bearer(another.access)).status, 404U);
    for (const std::string id : {"x", "0", "%2e%2e", "01890000-0000-7000-8000-00000000000", "..."}) {
        const Answer answer = service.erase(prefix + id, {}, bearer(another.access));
        EXPECT_EQ(answer.status, 400U) << id;
        EXPECT_EQ(answer.number("statusCode"), 5030) << id;
    }
}

TEST(AUT_3, AListShowsOnlyTheOwn) {
    Service& service = suite_service();
    const Person owner = service.make_person();
    const auto own = service.tokens_of(owner);
    service.tokens_of(service.make_person());
    const Answer list = service.get("/api/shared/user/session/list", bearer(own.access));
    ASSERT_EQ(list.json.at("data").as_array().size(), 1U);
    EXPECT_EQ(list.text("data.0.id"), std::string(claims_of(own.access).at("sid").as_string()));
    for (const std::string& query : {"userId=" + owner.id.text(), std::string("user=1"), std::string("filter=x")})
        EXPECT_EQ(service.get("/api/shared/user/session/list?" + query, bearer(own.access)).status, 422U) << query;
}

}  // namespace
}  // namespace consentry::tests
