// `consentry serve` is killed while it publishes a document. After the next start the document is a draft or completely
// published, and a draft can be published again (DOC-4).
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> all_languages{"en", "id", "es", "fr", "de", "ja"};

class DOC_4 : public ::testing::Test {
protected:
    // The text spans many disk pages, so that a kill can interrupt its copying.
    static std::string text_of(int version, const std::string& language) {
        return "version " + std::to_string(version) + " in " + language + std::string(200'000, '.');
    }
    fs::path object(const std::string& area, int version, const std::string& language) const {
        return folder_ / "data" / "storage" / area / "term-policies" / "privacy" / std::to_string(version) /
               (language + ".hbs");
    }
    std::vector<std::vector<std::string>> sql(const std::string& statement) const {
        return run_sql(folder_ / "data" / "consentry.db", statement);
    }
    std::string one(const std::string& statement) const {
        const auto rows = sql(statement);
        return rows.empty() ? "none" : rows[0][0];
    }
    static std::string make_draft(const HttpClient& client, const Headers& admin, int version) {
        json::array contents;
        for (const std::string& language : all_languages) {
            const std::string text = text_of(version, language);
            const Answer address = client.post(
                "/api/term-policy/generate/content/presign",
                {{"type", "privacy"}, {"version", version}, {"language", language}, {"size", text.size()}}, admin);
            const std::string url = address.text("data.presignUrl");
            EXPECT_EQ(client
                          .call("PUT", url.substr(url.find("/files/")), text,
                                {{"Content-Type", "text/x-handlebars-template"}})
                          .status,
                      200U);
            contents.push_back({{"language", language}, {"key", address.text("data.key")}, {"size", text.size()}});
        }
        const Answer created = client.post("/api/term-policy/create",
                                           {{"type", "privacy"}, {"version", version}, {"contents", contents}}, admin);
        EXPECT_EQ(created.status, 201U) << created.body;
        return created.text("data.id");
    }
    // Returns whether a publication has reached this point, as far as visible from outside.
    bool has_come_to(int moment, int version, const std::string& id) const {
        if (moment == 0)
            return one("SELECT COUNT(*) FROM term_policies WHERE publishing_until IS NOT NULL AND id = '" + id + "'") !=
                   "0";
        if (moment <= 6) return fs::exists(object("public", version, all_languages[std::size_t(moment) - 1]));
        return one("SELECT status FROM term_policies WHERE id = '" + id + "'") == "published";
    }
    void expect_published(int version) const {
        for (const std::string& language : all_languages)
            EXPECT_EQ(text_in(object("public", version, language)), text_of(version, language)) << language;
    }

    const TempFolder folder_;
    const Person admin_ = make_person(folder_.path(), "chief@example.org", "admin");
};

TEST_F(DOC_4, AServiceThatIsKilledHasPublishedAllOrNothing) {
    int version = 0;
    std::set<std::string> seen;
    for (int round = 0; round < 3; ++round)
        for (int moment = 0; moment <= 7; ++moment) {
            SCOPED_TRACE("round " + std::to_string(round) + ", moment " + std::to_string(moment));
            ++version;
            std::string id;
            {
                ServiceProcess service(folder_.path());
                const HttpClient client = service.client();
                const Headers admin = bearer(tokens_of(client, admin_).access);
                id = make_draft(client, admin, version);
                std::atomic<bool> answered = false;
                std::jthread publisher([&] {
                    try {
                        client.patch("/api/term-policy/publish/" + id, {}, admin);
                    } catch (const boost::system::system_error&) {
                    }
                    answered = true;
                });
                while (!answered && !has_come_to(moment, version, id)) std::this_thread::yield();
                service.kill();
            }
            const std::string status = one("SELECT status FROM term_policies WHERE id = '" + id + "'");
            seen.insert(status);
            EXPECT_EQ(
                status == "published",
                one("SELECT COUNT(*) FROM activity_log WHERE action = 'adminTermPolicyPublish' AND metadata LIKE '%" +
                    id + "%'") == "1");
            if (status == "published") {
                expect_published(version);
                continue;
            }
            ASSERT_EQ(status, "draft");
            ServiceProcess service(folder_.path());
            const HttpClient client = service.client();
            const Headers admin = bearer(tokens_of(client, admin_).access);
            EXPECT_EQ(client.patch("/api/term-policy/publish/" + id, {}, admin).status, 200U);
            expect_published(version);
            EXPECT_EQ(service.stop().code, 0);
        }
    EXPECT_EQ(seen, (std::set<std::string>{"draft", "published"}));
}

}  // namespace
}  // namespace consentry::tests
