// The API document describes what forward auth reads and answers, for browsers as well as for programs.
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/pages/guarded_visitor.hpp"
#include "tests/support/json_schema.hpp"

namespace consentry::tests {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ForwardAuthInTheDocument {
public:
    explicit ForwardAuthInTheDocument(const Service& service)
        : document_(service.get("/docs/json").json), checker_(document_) {}

    const json::object& operation(bool by_path) const {
        return document_.at("paths")
            .at(by_path ? "/api/v1/forward-auth/{path}" : "/api/v1/forward-auth")
            .at("get")
            .as_object();
    }
    const json::object& response(bool by_path, unsigned status) const {
        return resolve(operation(by_path).at("responses").at(std::to_string(status)));
    }
    std::set<std::string> request_headers(bool by_path) const {
        std::set<std::string> out;
        for (const auto& reference : operation(by_path).at("parameters").as_array()) {
            const auto& parameter = resolve(reference);
            if (parameter.at("in") != "header") continue;
            EXPECT_FALSE(parameter.at("required").as_bool());
            out.emplace(parameter.at("name").as_string());
        }
        return out;
    }

private:
    const json::object& resolve(const json::value& value) const {
        const auto* reference = value.as_object().if_contains("$ref");
        return reference == nullptr ? value.as_object() : checker_.find(reference->as_string())->as_object();
    }

    json::value document_;
    SchemaChecker checker_;
};

struct Check {
    std::string below;  // the path of the check: below the path, or the query
    Headers headers;
    unsigned status;
    bool leads_somewhere;
    std::string type;
};

Headers with(Headers headers, const std::string& name, const std::string& value) {
    replace(headers, name, value);
    return headers;
}

TEST(AUT_1, ForwardAuthAnswersBrowsersAndProgramsAsDocumented) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    visitor.enter(app);
    const std::string cookie = host_cookie + "=" + visitor.hosts[app][host_cookie];
    const Headers stranger = navigation(app);
    const Headers known = with(stranger, "Cookie", cookie);
    const Headers program = with(with(stranger, "Sec-Fetch-Mode", "cors"), "Accept", "*/*");
    const std::vector<Check> checks{
        {"", stranger, 302U, true, "text/html"},
        {"/orders", stranger, 302U, true, "text/html"},
        {"?deny=401", stranger, 401U, true, "text/html"},
        {"", program, 401U, false, "application/json"},
        {"/orders", program, 401U, false, "application/json"},
        {"", known, 200U, false, "application/json"},
        {"/orders", known, 200U, false, "application/json"},
        {"?roles=admin", known, 403U, false, "text/html"},
        {"", with(known, "X-Required-Roles", "admin"), 403U, false, "text/html"},
        {"/orders", with(known, "X-Required-Roles", "admin"), 403U, false, "text/html"},
        {"?roles=owner", known, 422U, false, "text/html"},
        {"", with(known, "X-Required-Policies", "imprint"), 422U, false, "text/html"},
        {"/orders", with(with(known, "X-Required-Policies", "imprint"), "Sec-Fetch-Mode", "cors"), 422U, false,
         "application/json"},
    };
    const ForwardAuthInTheDocument document(service);
    for (const Check& check : checks) {
        SCOPED_TRACE(check.below + " " + std::to_string(check.status) + " " + check.type);
        // Compares status, headers and body with the document.
        const Answer answer = service.call("GET", "/api/v1/forward-auth" + check.below, {}, check.headers);
        EXPECT_EQ(answer.status, check.status);
        EXPECT_THAT(header(answer, "content-type"), StartsWith(check.type));
        EXPECT_EQ(answer.headers.contains("location"), check.leads_somewhere);
        if (!check.leads_somewhere || answer.status != check.status) continue;
        const bool by_path = check.below.starts_with("/");
        const auto* responses = document.operation(by_path).at("responses").if_object();
        ASSERT_TRUE(responses->contains(std::to_string(answer.status)));
        EXPECT_TRUE(document.response(by_path, answer.status).at("headers").as_object().contains("Location"));
    }
    for (const bool by_path : {false, true})
        EXPECT_THAT(std::string(document.operation(by_path).at("description").as_string()), HasSubstr("cookie"));
}

TEST(AUT_1, TheDocumentNamesTheHeadersThatForwardAuthReads) {
    const Service service(guarded);
    const ForwardAuthInTheDocument document(service);
    for (const bool by_path : {false, true})
        for (const char* name : {"X-Required-Roles", "X-Required-Policies", "X-Forwarded-Method", "X-Forwarded-Proto",
                                 "X-Forwarded-Host", "X-Forwarded-Uri", "X-Original-URL", "Sec-Fetch-Mode"})
            EXPECT_THAT(document.request_headers(by_path), Contains(name)) << by_path;
}

}  // namespace
}  // namespace consentry::tests
