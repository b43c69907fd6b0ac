// Answers that caches may keep: what they vary by, and what a cache learns from a 304.
#include <set>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// An address of each operation whose answers can be kept.
struct Kept {
    std::string operation;
    std::string path;
};

class KeptAnswers : public ::testing::Test {
public:
    static constexpr std::string_view log_timestamp = "consentLogTimestamp";  // needs an authority; kept like a tile

    void SetUp() override {
        const std::string text(2'000, 'x');
        for (int version = 1; version <= 2; ++version)
            desk.published("privacy", version, {{"en", text + "\n"}, {"de", text + "\n"}});
        const Answer described = desk.call("POST", "create",
                                           {{"type", "marketing"},
                                            {"version", 1},
                                            {"contents", desk.upload("marketing", 1, texts_in({"en"}))},
                                            {"processing", some_processing()}});
        ASSERT_EQ(desk.publish(described.text("data.id")).status, 200U) << described.body;
        service.work();
    }
    std::vector<Kept> all() const {
        const std::string checkpoint = service.get("/consent-log/checkpoint").body;
        const auto size_at = checkpoint.find('\n') + 1;
        const std::string size = checkpoint.substr(size_at, checkpoint.find('\n', size_at) - size_at);
        const std::string page = ask("/login").body;
        const auto style_at = page.find("/assets/style-");
        return {{"jwks", "/.well-known/jwks.json"},
                {"filePublic", "/files/public/term-policies/privacy/1/en.hbs"},
                {"getTermPolicyPublication", "/api/public/term-policy/publication/privacy/1"},
                {"getTermPolicyProcessing", "/api/public/term-policy/processing/marketing/1"},
                {"getTermPolicyDiff", "/api/public/term-policy/diff/privacy/1/2"},
                {"getTermPolicyDiff", "/api/public/term-policy/diff/privacy/1/2?language=de"},
                {"consentLogCheckpoint", "/consent-log/checkpoint"},
                {"consentLogTile", "/consent-log/tile/0/000.p/" + size},
                {"consentLogDescription", "/.well-known/consent-log"},
                {"consentLogDescriptionNote", "/.well-known/consent-log.note"},
                {"consentLogVerifier", "/consent-log/verify"},
                {"administrationLogCheckpoint", "/consent-log/administration/checkpoint"},
                {"documentationPage", "/docs"},
                {"favicon", "/favicon.ico"},
                {"documentationStyle", "/docs/assets/docs.css"},
                {"documentationProgram", "/docs/assets/docs.js"},
                {"documentationReader", "/docs/assets/document.js"},
                {"documentationRequests", "/docs/assets/requests.js"},
                {"documentationViews", "/docs/assets/views.js"},
                {"documentation", "/docs/json"},
                {"a file of the pages", page.substr(style_at, page.find('"', style_at) - style_at)}};
    }
    RawAnswer ask(const std::string& path, const Headers& headers = {}) const {
        RawClient client(service.port());
        std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n";
        for (const auto& [name, value] : headers) request.append(name).append(": ").append(value).append("\r\n");
        client.send(request + "\r\n");
        return client.read_answer();
    }

    Service service{{{"CORS_ALLOWED_ORIGIN", "app.example.com,other.example.com"}}};
    PolicyDesk desk{service};
};

// The lines of a header.
std::vector<std::string> lines_of(const RawAnswer& answer, const std::string& name) {
    std::vector<std::string> out;
    for (auto at = answer.head.find("\r\n" + name + ": "); at != std::string::npos;
         at = answer.head.find("\r\n" + name + ": ", at + 1)) {
        const auto begin = at + name.size() + 4;
        out.push_back(answer.head.substr(begin, answer.head.find("\r\n", begin) - begin));
    }
    return out;
}

TEST_F(KeptAnswers, TheListHasEveryOperationWithAnETag) {
    std::set<std::string> listed{std::string(log_timestamp)};
    for (const Kept& one : all()) {
        listed.insert(one.operation);
        EXPECT_EQ(ask(one.path).status, 200U) << one.path;
    }
    const json::value document = json::parse(service.get("/docs/json").body);
    for (const auto& [path, operations] : document.at("paths").as_object())
        for (const auto& [method, operation] : operations.as_object())
            if (operation.at("responses").as_object().contains("304"))
                EXPECT_TRUE(listed.contains(std::string(operation.at("operationId").as_string())))
                    << std::string_view(operation.at("operationId").as_string()) << " " << std::string_view(path);
}

TEST_F(KeptAnswers, VaryNamesWhatDecidesTheBody) {
    const std::vector<std::pair<std::string, std::array<std::string, 2>>> headers{
        {"x-custom-lang", {"en", "de"}},
        {"Accept-Encoding", {"identity", "gzip"}},
        {"Origin", {"https://app.example.com", "https://other.example.com"}}};
    for (const Kept& one : all())
        for (const auto& [name, values] : headers) {
            const RawAnswer first = ask(one.path, {{name, values[0]}});
            const RawAnswer second = ask(one.path, {{name, values[1]}});
            const bool differs = first.body != second.body || first.header("Access-Control-Allow-Origin") !=
                                                                  second.header("Access-Control-Allow-Origin");
            if (!differs) continue;
            for (const RawAnswer& answer : {first, second}) {
                EXPECT_THAT(answer.header("Vary"), HasSubstr(name)) << one.path;
                if (name == "x-custom-lang") EXPECT_THAT(answer.header("Cache-Control"), Not(HasSubstr("max-age")));
            }
        }
}

TEST_F(KeptAnswers, ANotModifiedSaysWhatTheWholeAnswerSays) {
    for (const Kept& one : all())
        for (const Headers& asked :
             std::vector<Headers>{{},
                                  {{"Origin", "https://app.example.com"}},
                                  {{"Accept-Encoding", "gzip"}},
                                  {{"Origin", "https://app.example.com"}, {"Accept-Encoding", "gzip"}}}) {
            const RawAnswer whole = ask(one.path, asked);
            Headers again = asked;
            again.emplace_back("If-None-Match", whole.header("ETag"));
            const RawAnswer same = ask(one.path, again);
            EXPECT_EQ(same.status, 304U) << one.path;
            EXPECT_EQ(same.body, "");
            for (const std::string name : {"Vary", "Cache-Control", "ETag"})
                EXPECT_EQ(lines_of(same, name), lines_of(whole, name)) << one.path << " " << asked.size();
            EXPECT_LE(lines_of(whole, "Vary").size(), 1U) << one.path;
        }
}

}  // namespace
}  // namespace consentry::tests
