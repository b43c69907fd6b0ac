// Consent with several instances: what one instance publishes or records, the others know at their next request (DOC-5,
// DOC-6, DOC-8).
#include <filesystem>
#include <fstream>
#include <future>

#include <gmock/gmock.h>

#include "base/uuid.hpp"
#include "tests/instances/fleet.hpp"
#include "tests/support/eventually.hpp"

namespace consentry::tests {
namespace {

constexpr const char* accept_path = "/api/shared/user/term-policy/accept";
constexpr const char* profile_path = "/api/shared/user/profile";

void publish(const SharedFleet& fleet, const std::string& type, int version) {
    const std::string id = "'" + Uuid::v7(SystemClock().now()).text() + "'";
    fleet.sql(
        "INSERT INTO term_policies (id, type, version, status, content_hashes, published_at, created_at, "
        "updated_at) VALUES (" +
        id + ", '" + type + "', " + std::to_string(version) + ", 'published', '{\"en\":\"" + std::string(64, 'a') +
        "\"}', 1, 1, 1)");
}

Answer accept(const HttpClient& client, const TokenTexts& tokens, const std::string& type) {
    return client.post(accept_path, {{"type", type}}, bearer(tokens.access));
}

TEST(DOC_8, EveryInstanceSeesAPublicationAtItsNextRequest) {
    SharedFleet fleet(2);
    const TokenTexts tokens = tokens_of(fleet->client(0), fleet->make_person());
    const auto read = [&](std::size_t instance) {
        return fleet->client(instance).get(profile_path, bearer(tokens.access)).status;
    };
    for (int version = 1; version <= 20; ++version) {
        for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(read(i), 200U);
        publish(fleet, "termsOfService", version);
        for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(read(i), 403U) << version;
        EXPECT_EQ(accept(fleet->client(static_cast<std::size_t>(version)), tokens, "termsOfService").status, 200U);
        for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(read(i), 200U) << version;
    }
    EXPECT_EQ(fleet.number("SELECT count(*) FROM term_policy_acceptances"), 20);
}

TEST(DOC_6, AcceptancesAtAllInstancesAtOnceAreEachRecordedOnce) {
    SharedFleet fleet(2);
    const std::vector<std::string> types{"termsOfService", "privacy", "marketing", "cookies"};
    for (const std::string& type : types) publish(fleet, type, 1);
    for (int round = 0; round < 5; ++round) {
        const TokenTexts tokens = tokens_of(fleet->client(0), fleet->make_person());
        const auto answers =
            at_once(24, [&](std::size_t i) { return accept(fleet->client(i / 4), tokens, types[i % types.size()]); });
        EXPECT_EQ(count(answers, 200), 4U);
        EXPECT_EQ(count(answers, 409, "alreadyAccepted"), 20U);
        EXPECT_EQ(fleet.number("SELECT count(*) FROM term_policy_acceptances"), 4 * (round + 1));
        EXPECT_EQ(fleet->client(1).get(profile_path, bearer(tokens.access)).status, 200U);
    }
}

// Imports versions 1, 2 and 3 of the privacy policy as drafts.
void import_three(const Fleet& fleet) {
    const TempFolder texts;
    for (const char* version : {"1", "2", "3"}) {
        const std::filesystem::path folder = texts / "privacy" / version;
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "en.hbs") << "<p>Version " << version << "</p>\n";
    }
    const Finished imported = fleet.run({"policy", "import", texts.path().string()});
    ASSERT_EQ(imported.code, 0) << imported.err;
}

// On READ COMMITTED, each would otherwise decide by what was published before the other one.
TEST(DOC_8, PublicationsOfATypeDecideOneAfterAnother) {
    SharedFleet fleet(2);
    import_three(*fleet);
    ASSERT_EQ(fleet->run({"policy", "publish", "privacy", "1"}).code, 0);
    EXPECT_TRUE(eventually([&] { return fleet.number("SELECT count(*) FROM term_policy_announcements") == 0; }));
    fleet.sql("ALTER TABLE mails ADD CONSTRAINT unwritten CHECK (kind <> 'policyPublished') NOT VALID");
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < 2; ++i)
        tokens.push_back(tokens_of(fleet->client(i), fleet->make_person("admin")).access);

    const auto id_of = [&](int version) {
        return fleet.sql("SELECT id FROM term_policies WHERE version = " + std::to_string(version)).at(0).at(0);
    };
    const auto publishing = [&](int version) {
        return std::async(std::launch::async, [&fleet, &tokens, version, id = id_of(version)] {
            return fleet->client(static_cast<std::size_t>(version))
                .patch("/api/admin/term-policy/publish/" + id, {{"graceInDays", version == 3 ? 14 : 0}},
                       bearer(tokens.at(static_cast<std::size_t>(version) % 2)));
        });
    };
    // Holds up the decision about version 2: its announcement waits for this one.
    const PostgresConnection other(fleet.schema().url());
    const std::string pid = other.run("SELECT pg_backend_pid()").at(0).at(0);
    other.run("BEGIN");
    other.run("INSERT INTO term_policy_announcements (term_policy_id, created_at) VALUES ('" + id_of(2) + "', 1)");
    const auto waits_for = [&](const std::string& process) {
        std::string waiting;
        EXPECT_TRUE(eventually([&] {
            const SqlRows found = fleet.sql("SELECT pid FROM pg_stat_activity WHERE " + process +
                                            " = ANY (pg_blocking_pids(pid)) LIMIT 1");
            if (!found.empty()) waiting = found.at(0).at(0);
            return !found.empty();
        }));
        return waiting;
    };
    auto second = publishing(2);
    const std::string deciding = waits_for(pid);
    auto third = publishing(3);
    if (!deciding.empty()) waits_for(deciding);
    other.run("ROLLBACK");
    for (const Answer& answer : {second.get(), third.get()}) EXPECT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(fleet.number("SELECT grace_version FROM term_policies WHERE version = 3"), 2);
    EXPECT_EQ(fleet.sql("SELECT p.version FROM term_policy_announcements a JOIN term_policies p ON p.id = "
                        "a.term_policy_id"),
              SqlRows({{"3"}}));
    const Finished checked = fleet->run({"verify", "database"});
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

}  // namespace
}  // namespace consentry::tests
