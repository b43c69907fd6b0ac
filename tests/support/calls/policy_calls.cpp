#include "tests/support/calls/policy_calls.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <boost/json/serialize.hpp>

#include "app/app.hpp"
#include "base/whole_file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

fs::path area_folder(const Service& service, const std::string& area) {
    return service.folder() / "data" / "storage" / area;
}

}  // namespace

Service& service_without_policies() {
    Service& service = suite_service();
    // The thread that writes announcements would meet a policy without texts if it lost them on the way.
    const bool announced =
        eventually([&] { return service.sql("SELECT COUNT(*) FROM term_policy_announcements").at(0).at(0) == "0"; });
    if (!announced) throw std::runtime_error("an announcement of an earlier test is still waiting");
    service.sql(
        "BEGIN; DELETE FROM term_policy_diffs; DELETE FROM term_policy_acceptances; DELETE FROM term_policy_contents; "
        "DELETE FROM term_policies; "
        "DELETE FROM loose_objects; COMMIT");
    // The next publication then differs from every earlier one by its time.
    service.clock().advance(milliseconds{1});
    for (const char* area : {"private", "public"}) fs::remove_all(area_folder(service, area) / "term-policies");
    return service;
}

Texts texts_in(const std::vector<std::string>& languages, const std::string& about) {
    Texts out;
    for (const std::string& language : languages) out[language] = "<p>" + about + " in " + language + ", {company}</p>";
    return out;
}

json::object some_processing() {
    return json::parse(R"({
        "storage": {"locations": ["DE"], "duration": "P2Y"},
        "purposes": [{"category": "dpv:Marketing", "description": "Mails about our offers"}],
        "personalData": [{"category": "pd:EmailAddress"}],
        "recipients": [{"name": "Mailer Ltd", "category": "dpv:DataProcessor", "region": "IE"}],
        "jurisdictions": ["EU", "US-CA"],
        "rights": ["eu-gdpr:A7-3"]})")
        .as_object();
}

std::optional<std::string> stored_object(const Service& service, const std::string& area, const std::string& key) {
    return read_whole_file(area_folder(service, area) / key);
}

std::size_t stored_objects(const Service& service, const std::string& area) {
    std::size_t out = 0;
    if (!fs::exists(area_folder(service, area))) return out;
    for (const auto& entry : fs::recursive_directory_iterator(area_folder(service, area)))
        out += entry.path().extension() == ".hbs" ? 1 : 0;
    return out;
}

std::string draft_key(const std::string& type, int version, const std::string& language) {
    return "term-policies/" + type + "/" + std::to_string(version) + "/" + language + ".hbs";
}

void overwrite_object(const Service& service, const std::string& area, const std::string& key,
                      const std::string& bytes) {
    const fs::path path = area_folder(service, area) / key;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}

std::string complaints_of(const Answer& answer) {
    EXPECT_EQ(answer.number("statusCode"), 6110) << answer.body;
    std::string out;
    if (!answer.has("data.contents")) return out;
    for (const auto& one : answer.json.at("data").at("contents").as_array())
        out.append(out.empty() ? "" : ", ")
            .append(one.at("language").as_string())
            .append(" ")
            .append(one.at("reason").as_string());
    return out;
}

const std::string& PolicyDesk::token() const {
    const TimePoint now = service.clock().now();
    if (now - token_made_ > std::chrono::minutes{30}) {
        token_ = service.tokens_of(admin).access;
        token_made_ = now;
    }
    return token_;
}

Answer PolicyDesk::call(const std::string& method, const std::string& path, const json::object& body) const {
    return service.call(method, "/api/term-policy/" + path, body.empty() ? std::string() : json::serialize(body),
                        bearer(token()));
}

Answer PolicyDesk::presign(const std::string& type, int version, const std::string& language, std::size_t size) const {
    return call("POST", "generate/content/presign",
                {{"type", type}, {"version", version}, {"language", language}, {"size", size}});
}

Answer PolicyDesk::put(const std::string& url, const std::string& bytes, const std::string& mime) const {
    return HttpClient(service.port()).call("PUT", url.substr(url.find("/files/")), bytes, {{"Content-Type", mime}});
}

Answer PolicyDesk::fetch(const std::string& url) const {
    return HttpClient(service.port()).get(url.substr(url.find('/', url.find("://") + 3)));
}

json::object PolicyDesk::upload(const std::string& type, int version, const std::string& language,
                                const std::string& text) const {
    const Answer address = presign(type, version, language, text.size());
    EXPECT_EQ(address.status, 200U) << address.body;
    const Answer stored = put(address.text("data.presignUrl"), text, address.text("data.mime"));
    EXPECT_EQ(stored.status, 200U) << stored.body;
    return {{"language", language}, {"key", address.text("data.key")}, {"size", text.size()}};
}

json::array PolicyDesk::upload(const std::string& type, int version, const Texts& texts) const {
    json::array out;
    for (const auto& [language, text] : texts) out.push_back(upload(type, version, language, text));
    return out;
}

Answer PolicyDesk::create(const std::string& type, int version, const json::array& contents) const {
    return call("POST", "create", {{"type", type}, {"version", version}, {"contents", contents}});
}

std::string PolicyDesk::draft(const std::string& type, int version, const Texts& texts) const {
    const Answer created = create(type, version, upload(type, version, texts));
    EXPECT_EQ(created.status, 201U) << created.body;
    return created.text("data.id");
}

std::string PolicyDesk::published(const std::string& type, int version, const Texts& texts) const {
    const std::string id = draft(type, version, texts);
    const Answer answer = publish(id);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return id;
}

Answer PolicyDesk::add(const std::string& id, const json::object& content) const {
    return call("PUT", "update/" + id + "/content/add", content);
}
Answer PolicyDesk::update(const std::string& id, const json::object& content) const {
    return call("PUT", "update/" + id + "/content/update", content);
}
Answer PolicyDesk::remove(const std::string& id, const std::string& language) const {
    return call("DELETE", "update/" + id + "/content/remove", {{"language", language}});
}
Answer PolicyDesk::content(const std::string& id, const std::string& language) const {
    return call("POST", "get/" + id + "/content/" + language);
}

std::string PolicyDesk::status(const std::string& id) const {
    const auto rows = service.sql("SELECT status FROM term_policies WHERE id = '" + id + "'");
    return rows.empty() ? "none" : rows[0][0];
}

void PolicyDesk::sweep() const { run(service.app().services().term_policies.sweep()); }

}  // namespace consentry::tests
