// generated/swagger.json: each start writes it, it is valid according to the published schema, and production omits it.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <gmock/gmock.h>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(ApiDocument, IsWrittenAtEachStartAndServedAsWritten) {
    const TempFolder folder;
    const fs::path file = folder / "generated" / "swagger.json";
    for (int start = 0; start < 2; ++start) {
        ServiceProcess service(folder.path(), quick_settings());
        EXPECT_EQ(text_in(file), service.client().get("/docs/json?aliases=true").body);
        EXPECT_EQ(service.stop().code, 0);
        std::ofstream(file) << "stale";
    }
}

CommandResult check_document(const fs::path& file) {
    // Debian installs python3-jsonschema for the system's interpreter only (script/bootstrap --engines).
    return run_command({"/usr/bin/python3", CONSENTRY_OPENAPI_CHECK, file.string()});
}

CommandResult check_document(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
    return check_document(file);
}

TEST(ApiDocument, IsRight) {
    const TempFolder folder;
    const ServiceProcess service(folder.path(), quick_settings());
    const CommandResult checked = check_document(folder / "generated" / "swagger.json");
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

// Adds what the value refers to, "#/components/KIND/NAME", and what that refers to.
void add_references(const json::value& value, const json::object& components,
                    std::map<std::string, std::set<std::string>>& found) {
    if (const auto* array = value.if_array())
        for (const json::value& one : *array) add_references(one, components, found);
    const auto* object = value.if_object();
    if (object == nullptr) return;
    for (const auto& [key, one] : *object) {
        add_references(one, components, found);
        if (key != "$ref") continue;
        const fs::path place(std::string(one.as_string()));
        const std::string kind = place.parent_path().filename();
        if (found[kind].insert(place.filename()).second)
            add_references(components.at(kind).at(place.filename().string()), components, found);
    }
}

// Keeps the paths that begin with one of these, and their components. The check of the whole document takes seconds.
std::string shortened(const std::string& text, std::initializer_list<std::string_view> beginnings) {
    json::value document = json::parse(text);
    json::object& paths = document.at("paths").as_object();
    for (auto it = paths.begin(); it != paths.end();) {
        const std::string_view path = it->key();
        const bool remains =
            std::ranges::any_of(beginnings, [&](auto beginning) { return path.starts_with(beginning); });
        it = remains ? std::next(it) : paths.erase(it);
    }
    json::object& components = document.at("components").as_object();
    std::map<std::string, std::set<std::string>> used;
    add_references(document.at("paths"), components, used);
    for (auto& [kind, all] : components) {
        if (kind == "securitySchemes") continue;
        json::object kept;
        for (const std::string& name : used[kind]) kept[name] = all.at(name);
        all = std::move(kept);
    }
    return json::serialize(document);
}

// Proves that the check works: it must find each of these faults.
TEST(ApiDocument, AFaultIsFound) {
    const TempFolder folder;
    const ServiceProcess service(folder.path(), quick_settings());
    const std::string document = shortened(
        text_in(folder / "generated" / "swagger.json"),
        {"/api/hello", "/api/v1/hello", "/api/v1/admin/user/{userId}/activity-log", "/api/v1/user/login/credential"});
    ASSERT_EQ(check_document(folder / "short.json", document).code, 0);
    using Faults = std::vector<std::array<std::string, 3>>;  // text, replacement, complaint
    // Each document combines as many faults as possible without one hiding another.
    const std::vector<Faults> documents{
        {{R"("in":"header")", R"("in":"head")", "'head' is not one of"},
         {"#/components/parameters/Language", "#/components/parameters/Tongue",
          "nothing at #/components/parameters/Tongue"}},
        {{R"("operationId":"hello2")", R"("operationId":"hello")", "is not unique"},
         {"{userId}", "{user}", "placeholders"},
         {R"("default":"en")", R"("default":"xx")", "'xx' is not one of"},
         {R"("isTwoFactorRequired":false)", R"("isTwoFactorRequired":"no")", "is not valid under any"}},
        {{R"({"type":"boolean")", R"({"type":"bool")", "no schema"}}};
    for (const Faults& faults : documents) {
        std::string faulty = document;
        for (const auto& [from, to, complaint] : faults) {
            const auto at = faulty.find(from);
            ASSERT_NE(at, std::string::npos) << "no '" << from << "' in the document";
            faulty.replace(at, from.size(), to);
        }
        const CommandResult checked = check_document(folder / "faulty.json", faulty);
        EXPECT_EQ(checked.code, 1) << checked.err;
        for (const auto& fault : faults) EXPECT_THAT(checked.out, HasSubstr(fault[2]));
    }
}

TEST(ApiDocument, ProductionKeepsItUnlessToldOtherwise) {
    for (const bool opened : {false, true}) {
        const TempFolder folder;
        Settings settings = named_values(run_program({"keys", "generate"}, folder.path(), {}).out);
        settings.insert({{"APP_ENV", "production"}, {"HTTP_HOST", "127.0.0.1"}, {"HTTP_PORT", "0"}});
        if (opened) settings["DOC_ENABLE"] = "true";
        const ServiceProcess service(folder.path(), settings);
        EXPECT_EQ(fs::exists(folder / "generated" / "swagger.json"), opened);
        for (const char* path : {"/docs", "/docs/json", "/docs/assets/docs.js"})
            EXPECT_EQ(service.client().get(path).status, opened ? 200U : 404U) << path;
    }
}

}  // namespace
}  // namespace consentry::tests
