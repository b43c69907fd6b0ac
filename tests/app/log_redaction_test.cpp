// LOG-1, LOG-2, INP-6: no secret reaches the log, whatever a client sends, and no client can inject lines into it.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "app/version.hpp"
#include "base/text.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using namespace std::string_literals;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Matcher;

void send_raw(const Service& service, const std::string& bytes, const Matcher<unsigned>& status) {
    RawClient client(service.port());
    client.send(bytes);
    EXPECT_THAT(client.read_answer().status, status) << bytes.substr(0, 100);
}

// Secrets that must not appear in any log.
class Canaries {
public:
    // Makes a new secret that starts with `prefix`.
    std::string make(const std::string& prefix = "Canary-") {
        const std::string canary = prefix + "7Zq" + std::to_string(++count_) + "x9Kf";
        all_.insert(canary);
        return canary;
    }
    const std::string& watch(const std::string& secret) {
        EXPECT_GE(secret.size(), 8U) << "too short to be looked for";
        all_.insert(secret);
        return secret;
    }
    void expect_none_in(const std::string& text, const std::string& where) const {
        for (const std::string& canary : all_) {
            const auto at = text.find(canary);
            EXPECT_EQ(at, std::string::npos)
                << canary << " in " << where << ": ..." << text.substr(at > 200 ? at - 200 : 0, 300);
        }
    }
    std::size_t size() const { return all_.size(); }

private:
    std::set<std::string> all_;
    int count_ = 0;
};

const std::vector<std::string> secret_fields{
    "password",    "newPassword", "oldPassword", "token",        "authorization",  "bearer",      "secret",
    "credential",  "jwt",         "x-api-key",   "apiKey",       "refreshToken",   "accessToken", "sessionId",
    "privateKey",  "secretKey",   "otp",         "recoveryCode", "location",       "gps",         "coordinates",
    "latitude",    "longitude",   "cookie",      "cookies",      "challengeToken", "code",        "backupCode",
    "backupCodes", "otpauthUrl",  "idToken",     "set-cookie"};

// Logs in with every kind of second factor, and collects every secret that the client sends or receives.
void walk_through_everything(Service& service, Canaries& canaries) {
    Person person = service.make_person(Role::user, canaries.make("Aa-Pass-"));
    const TokenTexts tokens = service.turn_two_factor_on(person);
    canaries.watch(tokens.access);
    canaries.watch(tokens.refresh);
    canaries.watch(person.secret);
    for (const std::string& code : person.backup_codes) canaries.watch(code);

    const std::string challenge = canaries.watch(service.challenge_of(person));
    service.verify(challenge, "000000");
    const Answer second = service.verify(challenge, service.next_code(person));
    ASSERT_EQ(second.status, 200U) << second.body;
    const std::string access = canaries.watch(second.text("data.tokens.accessToken"));
    const std::string refresh = canaries.watch(second.text("data.tokens.refreshToken"));

    const Answer third = service.verify_backup(service.challenge_of(person), person.backup_codes.front());
    ASSERT_EQ(third.status, 200U) << third.body;
    canaries.watch(third.text("data.tokens.accessToken"));

    service.clock().advance(std::chrono::minutes{1});
    const Answer refreshed = service.post("/api/shared/user/refresh", {}, bearer(refresh));
    ASSERT_EQ(refreshed.status, 200U) << refreshed.body;
    const auto& data = refreshed.json.at("data").as_object();
    const auto& pair = data.contains("tokens") ? data.at("tokens").as_object() : data;
    canaries.watch(std::string(pair.at("accessToken").as_string()));
    canaries.watch(std::string(pair.at("refreshToken").as_string()));

    EXPECT_EQ(service.log_in(person.email, canaries.make("Wrong-")).status, 400U);
    service.patch("/api/shared/user/change-password",
                  {{"oldPassword", canaries.make("Old-")}, {"newPassword", canaries.make("New-")}}, bearer(access));
    service.get("/api/shared/user/2fa/status", bearer(access + canaries.make("x")));
}

// Sends a canary in every place where a secret may occur, whether the service knows the field or not.
void send_canaries_everywhere(const Service& service, Canaries& canaries) {
    const std::string path = "/api/public/user/login/credential";
    for (const std::string& field : secret_fields) {
        json::value deep = {{field, canaries.make()}};
        for (int depth = 0; depth < 7; ++depth) deep = json::object{{"a", deep}, {field, canaries.make()}};
        service.post(
            path,
            {{field, canaries.make()},
             {"nested", {{field, canaries.make()}, {"list", {{{field, {canaries.make()}}}}}}},
             {"deep", deep},
             {"text", json::serialize(json::object{{field, canaries.make()}})},
             {"twice", json::serialize(json::object{{"a", json::serialize(json::object{{field, canaries.make()}})}})}});
        service.call("POST", path, R"({")" + field + R"(":")" + canaries.make(),
                     {{"Content-Type", "application/json"}});
        service.call("POST", path, field + "=" + canaries.make(),
                     {{"Content-Type", "application/x-www-form-urlencoded"}});
        service.call("POST", path, field + ": " + canaries.make(), {{"Content-Type", "text/plain"}});
        service.get("/api/shared/user/2fa/status?" + field + "=" + canaries.make() + "&b=%7B%22" + field + "%22%3A%22" +
                    canaries.make() + "%22%7D");
        service.get("/api/nowhere?to=https%3A%2F%2Fa.example%2F%3F" + field + "%3D" + canaries.make());
        service.get("/api/shared/user/2fa/status",
                    {{"x-" + field, canaries.make()}, {field + "-of-mine", canaries.make()}});
    }
    service.get("/api/shared/user/2fa/status", {{"Cookie", "a=" + canaries.make()}});
    service.get("/api/shared/user/2fa/status", {{"Proxy-Authorization", canaries.make()}});
    service.get("/api/shared/user/2fa/status", {{"Referer", "https://a.example/x?token=" + canaries.make()}});
    service.get("/api/shared/user/2fa/status", {{"Referer", "https://u:" + canaries.make() + "@a.example/"}});
    service.get("/api/shared/user/2fa/status", {{"User-Agent", "eyJhbGciOiJFUzI1NiJ9." + canaries.make("abcdefgh")}});
    service.get("/api/public/user/forgot-password/" + canaries.make("abcdefghijklmnopqrst"));
    service.get("/api/public/user/verify-email/" + std::string(90, 'a') + canaries.make());
    service.get("/storage/private/a.pdf?X-Amz-Signature=" + canaries.make() + "&X-Amz-Credential=" + canaries.make());
}

// A client that mixes up name and value sends a working token as a name.
void send_tokens_as_names(Service& service, Canaries& canaries) {
    const std::string access = canaries.watch(service.tokens_of(service.make_person()).access);
    service.get("/api/v1/shared/user/profile?" + access);
    service.get("/api/v1/shared/user/profile?a=b&" + access + "=c");
    service.get("/api/nowhere?https://a.example/reset-password/" + canaries.make("abcdefghijklmnopqrst"));
    service.get("/api/v1/shared/user/profile", {{access, "x"}, {access + "a", "x"}});
    service.post("/api/public/user/login/credential",
                 {{access, 1},
                  {"https://u:" + canaries.make() + "@a.example/x?t=" + canaries.make(), 2},
                  {"device", {{access, 3}, {"/reset-password/" + canaries.make("abcdefghijklmnopqrst"), 4}}}});
}

// Sends requests that are refused before they reach a handler, most of them by the HTTP reader.
void send_what_is_refused(const Service& service, Canaries& canaries) {
    const auto send = [&](unsigned status, const std::string& bytes) { send_raw(service, bytes, status); };
    const std::string secret = "Authorization: Bearer " + canaries.make() + "\r\n";
    send(400U, "GET /api/hello?token=" + canaries.make() + " HTTP/1.1\r\n" + secret + "\r\n");
    send(400U, "GET /x HTTP/1.1\r\nHost: a\r\n" + secret + "Broken header " + canaries.make() + "\r\n\r\n");
    send(431U, "GET /x?token=" + canaries.make() + " HTTP/1.1\r\nHost: a\r\n" + secret +
                   "X: " + std::string(20'000, 'x') + "\r\n\r\n");
    send(413U, "POST /x HTTP/1.1\r\nHost: a\r\n" + secret + "Content-Length: 99999999\r\n\r\n");
    send(404U, "POST /x HTTP/1.1\r\nHost: a\r\n" + secret + "Content-Encoding: br\r\nContent-Length: 3\r\n\r\nabc");
}

TEST(LOG_1, NoSecretOfAWholeJourneyIsInTheLog) {
    const WorkingFolder folder;
    Canaries canaries;
    ::testing::internal::CaptureStderr();
    {
        Service service(everything_logged());
        walk_through_everything(service, canaries);
        send_canaries_everywhere(service, canaries);
        send_tokens_as_names(service, canaries);
        send_what_is_refused(service, canaries);
    }
    const std::string on_stderr = ::testing::internal::GetCapturedStderr();
    const std::string log = text_in(folder / "logs/api.log") + text_in(folder / "logs/api.log.1");
    EXPECT_GT(canaries.size(), 400U);
    canaries.expect_none_in(log, "the log");
    canaries.expect_none_in(on_stderr, "standard error");

    // The log still reports what happened.
    EXPECT_THAT(log, HasSubstr(R"("email":"person1@example.org")"));
    EXPECT_THAT(log, HasSubstr(R"("password":"[REDACTED]")"));
    EXPECT_THAT(log, HasSubstr(R"("route":"/user/login/credential")"));
    std::set<std::int64_t> statuses;
    for (const json::object& entry : entries_in(folder / "logs/api.log"))
        if (entry.contains("res")) statuses.insert(entry.at("res").at("httpCode").to_number<std::int64_t>());
    for (const std::int64_t status : {200, 400, 401, 404, 413, 415, 422, 431}) EXPECT_THAT(statuses, Contains(status));
}

TEST(LOG_1, LinesForPeopleHideTheSame) {
    const WorkingFolder folder;
    Canaries canaries;
    {
        Service service(everything_logged({{"LOGGER_PRETTIER", "true"}}));
        walk_through_everything(service, canaries);
        service.get("/api/nowhere", {{"User-Agent", "a\x1b[31m \xC2\x9B \xE2\x80\xA8 b"}});
    }
    const std::string log = text_in(folder / "logs/api.log");
    canaries.expect_none_in(log, "the log");
    EXPECT_THAT(log, HasSubstr("INFO    [LoggerAutoContext] POST /api/public/user/login/credential 200"));
    EXPECT_EQ(log.find('\x1b'), std::string::npos);
    EXPECT_EQ(log.find("\xC2\x9B"), std::string::npos);
}

TEST(LOG_2, OneEventIsOneLineWhateverIsInIt) {
    const WorkingFolder folder;
    const std::vector<std::string> evil{
        "a\xC2\x85"
        "b\xE2\x80\xA8"
        "c\xE2\x80\xA9",
        "\xFF\xFE\xC0\xAF",
        "\"},{\"a\":\"b",
        "\xC2\x9B"
        "31m",
        "\\",
        "%0d%0a",
        std::string(7'000, 'x'),
        "\xE2\x80\xAE"
        "abc"};
    std::size_t sent = 0;
    {
        Service service(everything_logged());
        for (const std::string& text : evil) {
            const std::string in_json = json::serialize(json::string("\r\n\x1b[2J" + text + '\0'));
            service.get("/api/nowhere", {{"User-Agent", text}, {"x-correlation-id", text}, {"x-request-id", text}});
            service.call("POST", "/api/public/user/login/credential",
                         R"({"email":)" + in_json + R"(,"password":"x",)" + in_json + R"(:1})",
                         {{"Content-Type", "application/json"}});
            send_raw(service,
                     "GET /" + text.substr(0, 100) + "?" + text.substr(0, 100) +
                         "=%0a%0d%1b%00%e2%80%a8 HTTP/1.1\r\nHost: a\r\n\r\n",
                     AnyOf(400U, 404U));
            send_raw(service, "GET /x HTTP/1.1\r\nHost: a\r\nX: " + std::string(1'000'000, 'y') + "\r\n\r\n", 431U);
            sent += 4;
        }
    }
    const std::string log = text_in(folder / "logs/api.log");
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(log, '\n')), sent);
    EXPECT_EQ(entries_in(folder / "logs/api.log").size(), sent);
    EXPECT_TRUE(code_points(log)) << "invalid UTF-8";
    for (const char c : log) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
    for (const auto* mark : {"\xC2\x85", "\xC2\x9B", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAE"})
        EXPECT_EQ(log.find(mark), std::string::npos);
    EXPECT_LT(log.size() / sent, 8'000U) << "long fields are cut";
}

TEST(LOG_2, LinesHaveTheAgreedFields) {
    const WorkingFolder folder;
    Answer answer;
    std::string trace = "0af7651916cd43dd8448eb211c80319c";
    {
        Service service(everything_logged());
        const Person person = service.make_person();
        answer = service.get("/api/shared/user/2fa/status", {bearer(service.tokens_of(person).access).front(),
                                                             {"traceparent", "00-" + trace + "-b7ad6b7169203331-01"},
                                                             {"x-correlation-id", "order-66"}});
        EXPECT_EQ(answer.status, 200U) << answer.body;
        service.get("/api/hello");
        service.get("/api/public/HELLO?x");
        service.get("/api/health/live");
        for (const char* path : {"/api/v1/hello", "/api/v1/public/hello", "/api/v1/health", "/api/v1/health/live"})
            EXPECT_EQ(service.get(path).status, 200U) << path;
        service.get("/docs/json");
        const auto id = person.id.text();
        service.restart();
        const json::object entry = entries_in(folder / "logs/api.log").back();
        EXPECT_EQ(entry.at("severity"), "INFO");
        EXPECT_EQ(entry.at("context"), "LoggerAutoContext");
        EXPECT_EQ(entry.at("timestamp").to_number<std::int64_t>(), epoch_ms(service.clock().now()));
        EXPECT_EQ(entry.at("msg"), "GET /api/shared/user/2fa/status 200");
        EXPECT_EQ(entry.at("service"),
                  (json::value{{"name", "Consentry"}, {"environment", "local"}, {"version", program_version()}}));
        EXPECT_GT(entry.at("debug").at("memory").at("rss").to_number<std::int64_t>(), 0);
        EXPECT_EQ(entry.at("requestId"), json::value(answer.headers.at("x-request-id")));
        EXPECT_EQ(entry.at("correlationId"), "order-66");
        EXPECT_EQ(entry.at("traceId"), json::value(trace));
        const json::object& req = entry.at("req").as_object();
        EXPECT_EQ(req.at("id"), "order-66");
        EXPECT_EQ(req.at("method"), "GET");
        EXPECT_EQ(req.at("url"), "/api/shared/user/2fa/status");
        EXPECT_EQ(req.at("query"), "");
        EXPECT_EQ(req.at("ip"), "127.0.0.1");
        EXPECT_EQ(req.at("user"), json::value(id));
        EXPECT_EQ(req.at("headers").at("Authorization"), "[REDACTED]");
        EXPECT_EQ(entry.at("res").at("body").at("statusCode").to_number<int>(), 200);
    }
}

// The log caches how it formatted headers. No header of an earlier answer may appear in the line of a later one.
TEST(LOG_2, TheHeadersOfEveryAnswerAreItsOwn) {
    const WorkingFolder folder;
    Service service(everything_logged({{"CORS_ALLOWED_ORIGIN", "*.example.org"}}));
    std::vector<Answer> answers;
    for (int round = 0; round < 5; ++round)
        for (const Headers& headers :
             {Headers{}, Headers{{"x-custom-lang", "de"}}, Headers{{"Origin", "https://shop.example.org"}},
              Headers{{"Origin", "https://stranger.example.com"}}, Headers{{"Accept", "application/problem+json"}}})
            for (const char* path : {"/api/nowhere", "/api/shared/user/2fa/status", "/.well-known/jwks.json"})
                answers.push_back(service.get(path, headers));
    service.restart();
    const auto entries = entries_in(folder / "logs/api.log");
    ASSERT_EQ(entries.size(), answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        std::size_t told = 0;
        for (const auto& [name, value] : entries[i].at("res").at("headers").as_object()) {
            const auto sent = answers[i].headers.find(to_lower_ascii(name));
            ASSERT_NE(sent, answers[i].headers.end()) << i << name;
            EXPECT_EQ(value, json::value(sent->second)) << i << name;
            ++told;
        }
        for (const char* added_later : {"date", "content-length", "connection"})
            told += answers[i].headers.count(added_later);
        EXPECT_EQ(told, answers[i].headers.size()) << i;
    }
}

TEST(LOG_2, WithoutLoggerAutoOnlyWhatFailedIsLoggedAndWithoutTheSwitchNothing) {
    const WorkingFolder folder;
    {
        Service service(everything_logged({{"LOGGER_AUTO", "false"}, {"LOGGER_LEVEL", "verbose"}}));
        service.get("/api/hello");
        service.get("/api/nowhere");
        const Person person = service.make_person();
        service.break_writes("INSERT ON sessions");
        EXPECT_GE(service.log_in(person).status, 500U);
        service.restart({{"LOGGER_LEVEL", "info"}});
        service.get("/api/nowhere");
        service.restart({{"LOGGER_ENABLE", "false"}, {"LOGGER_AUTO", "true"}});
        service.get("/api/nowhere");
    }
    const auto entries = entries_in(folder / "logs/api.log");
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].at("context"), "RequestFailure");
    EXPECT_EQ(entries[0].at("err").at("statusCode").to_number<int>(), 404);
    EXPECT_EQ(entries[1].at("severity"), "ERROR");
    EXPECT_THAT(std::string(entries[1].at("err").at("message").as_string()), HasSubstr("injected fault"));
}

TEST(INP_6, ARefusedSecretIsNeitherInTheAnswerNorInTheLog) {
    const WorkingFolder folder;
    Canaries canaries;
    {
        Service service(everything_logged());
        const auto access = bearer(service.tokens_of(service.make_person()).access);
        struct Field {
            std::string_view method;
            std::string path;
            std::string name;
        };
        const std::vector<Field> fields{{"POST", "/api/public/user/login/credential", "password"},
                                        {"PATCH", "/api/shared/user/change-password", "oldPassword"},
                                        {"PATCH", "/api/shared/user/change-password", "newPassword"},
                                        {"PATCH", "/api/shared/user/change-password", "code"},
                                        {"POST", "/api/public/user/login/2fa/verify", "challengeToken"},
                                        {"POST", "/api/public/user/login/2fa/verify", "code"},
                                        {"POST", "/api/public/user/login/2fa/verify", "backupCode"},
                                        {"POST", "/api/shared/user/2fa/enable", "code"}};
        for (const auto& [method, path, name] : fields) {
            const auto refused = [&](const std::string& body) {
                const Answer answer =
                    service.call(method, path, body, {{"Content-Type", "application/json"}, access.front()});
                EXPECT_TRUE(answer.status >= 400 && answer.status < 500) << body << answer.body;
                canaries.expect_none_in(answer.body, "the answer of " + path);
                for (const auto& [header, value] : answer.headers) canaries.expect_none_in(value, header);
            };
            const auto member = [&](const std::string& value) { return "{\"" + name + "\":" + value + "}"; };
            const auto quoted = [&] { return "\"" + canaries.make() + "\""; };
            refused(member(quoted()));
            refused(member("\"" + canaries.make() + std::string(300, 'x') + "\""));
            refused(member("[" + quoted() + "]"));
            refused(member("{" + quoted() + ":" + quoted() + "}"));
            refused(member("\"" + canaries.make() + R"(\u0000")"));
            refused(member(quoted()) + "x");
            refused(member(quoted()).substr(1));
            refused("{\"" + name + "\":" + quoted() + ",\"" + name + "\":" + quoted() + "}");
            refused("{\"" + name + "\":" + quoted() + ",\"unknown\":" + member(quoted()) + "}");
        }
    }
    canaries.expect_none_in(text_in(folder / "logs/api.log"), "the log");
    EXPECT_GT(entries_in(folder / "logs/api.log").size(), 60U);
}

}  // namespace
}  // namespace consentry::tests
