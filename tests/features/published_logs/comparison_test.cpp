// The comparison of a log with what it has published, over the consent log: what a person with write access to the
// database or to the object store changes is named.
#include "features/published_logs/comparison.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/files.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct LogUnderTest {
    explicit LogUnderTest(int entries) {
        publish(t.service, "marketing", 1);
        record(entries);
        work();
    }
    void record(int entries) {
        for (; entries > 0; --entries, accepts = !accepts)
            EXPECT_EQ(
                (accepts ? accept(t.service, t.token, "marketing") : withdraw(t.service, t.token, "marketing")).status,
                200U);
    }
    void work() { run(t.service.app().services().consent_log->published().work()); }
    LogFindings compare(std::optional<tlog::VerifierKey> key = {}) {
        Services& services = t.service.app().services();
        return run(compare_log(services.database, services.object_store,
                               {"consent", storage::Area::public_area, "consent-log"}, std::move(key)));
    }
    std::vector<std::string> texts() {
        std::vector<std::string> out;
        for (const LogFinding& one : compare().found) out.push_back(one.text);
        return out;
    }
    void sql(const std::string& statement) { t.service.sql(statement); }
    std::string object(const std::string& path) {
        return (t.service.folder() / "data/storage/public/consent-log" / path).string();
    }

    Signed t{Environment{}};
    bool accepts = true;
};

TEST(LogComparison, FindsNothingInAnHonestLog) {
    LogUnderTest log(0);
    EXPECT_THAT(log.texts(), IsEmpty());
    log.record(7);
    EXPECT_THAT(log.texts(), IsEmpty()) << "entries that wait for their position";
    log.work();
    const LogFindings found = log.compare();
    EXPECT_TRUE(found.are_none());
    EXPECT_EQ(found.checkpoint->size, 7U);
}

// Four portions with bundles, tiles of two levels, and a full tile in place of its partial ones.
TEST(LogComparison, ReadsALongLogInPortions) {
    LogUnderTest log(1);
    log.sql("DELETE FROM log_entries WHERE position IS NULL");
    for (std::uint8_t i = 0; i < 11; ++i) {
        Service& service = log.t.service;
        for (int j = 0; j < 100; ++j) {
            const Uuid id = Uuid::v7(service.clock().now());
            service.sql("INSERT INTO log_entries (id, log, entry) VALUES ('" + id.text() + "', 'consent', " +
                        service.literal(Bytes(40, i)) + ")");
        }
        log.work();
    }
    EXPECT_THAT(log.texts(), IsEmpty());
    EXPECT_EQ(log.compare().checkpoint->size, 1'101U);
    log.sql("DELETE FROM log_entries WHERE position = 1100");
    EXPECT_THAT(log.texts(), ElementsAre("Entry 1100 is missing from the database."));
}

TEST(LogComparison, NamesWhatWasEditedInTheDatabase) {
    LogUnderTest log(6);
    log.sql("CREATE TABLE kept AS SELECT * FROM log_entries");
    log.sql("CREATE TABLE kept_logs AS SELECT * FROM logs");
    const std::string entries = "DELETE FROM log_entries";
    const std::string bring_back = "INSERT INTO log_entries SELECT * FROM kept";
    const std::string other = log.t.service.literal(Bytes(98, 1));
    const auto restored = [&](const std::string& edit, const auto& matcher) {
        log.sql(edit);
        EXPECT_THAT(log.texts(), matcher) << edit;
        log.sql(entries);
        log.sql(bring_back);
        EXPECT_THAT(log.texts(), IsEmpty());
    };
    restored("UPDATE log_entries SET entry = " + other + " WHERE position = 3",
             ElementsAre("Entry 3 was altered in the database."));
    restored("DELETE FROM log_entries WHERE position = 0", ElementsAre("Entry 0 is missing from the database."));
    restored("DELETE FROM log_entries WHERE position >= 4",
             ElementsAre("Entry 4 is missing from the database.", "Entry 5 is missing from the database."));
    restored("UPDATE log_entries SET position = 6 WHERE position = 2",
             ElementsAre("Entry 2 is at position 6 in the database."));
    restored("UPDATE log_entries SET position = -1 WHERE position = 2",
             ElementsAre("Entry 2 is at position -1 in the database."));
    restored("UPDATE log_entries SET position = NULL WHERE position = 2",
             ElementsAre("Entry 2 is missing from the database."));
    restored("UPDATE log_entries SET log = 'other' WHERE position = 2",
             ElementsAre("Entry 2 is missing from the database."));
    restored("INSERT INTO log_entries (id, log, entry, position) SELECT '" +
                 Uuid::v7(log.t.service.clock().now()).text() +
                 "', 'consent', entry, 9 FROM log_entries WHERE position = 1",
             ElementsAre("The database has an entry at position 9, where the log has none."));

    const std::string state = "DELETE FROM logs";
    const auto expect_state = [&](const std::string& edit, const std::string& text) {
        log.sql(edit);
        EXPECT_THAT(log.texts(), Contains(HasSubstr(text))) << edit;
        log.sql(state);
        log.sql("INSERT INTO logs SELECT * FROM kept_logs");
        EXPECT_THAT(log.texts(), IsEmpty());
    };
    expect_state("UPDATE logs SET size = 9", "Entries 6 to 8 are missing from the database.");
    expect_state("UPDATE logs SET published = 5", "does not fit its checkpoint");
    expect_state("UPDATE logs SET edge = " + log.t.service.literal(Bytes(6 * 32, 1)), "differs from its checkpoint");
    expect_state("UPDATE logs SET checkpoint = 'none'", "The checkpoint in the database is not one of the log");
    expect_state("UPDATE logs SET verifier_key = 'none'", "The verifier key in the database is damaged");
    expect_state("DELETE FROM logs", "The database has lost the state of the log.");
}

TEST(LogComparison, FindsARolledBackDatabase) {
    LogUnderTest log(4);
    log.sql("CREATE TABLE kept_logs AS SELECT * FROM logs");
    log.record(2);
    log.work();
    log.sql("DELETE FROM logs");
    log.sql("INSERT INTO logs SELECT * FROM kept_logs");
    log.sql("DELETE FROM log_entries WHERE position >= 4");
    EXPECT_THAT(log.texts(),
                ElementsAre("Entry 4 is missing from the database.", "Entry 5 is missing from the database.",
                            "The published log has 6 entries, but the checkpoint in the database only 4."));
}

TEST(LogComparison, TrustsTheGivenKeyAlone) {
    LogUnderTest log(3);
    const auto own = log.t.service.app().services().consent_log->published().signer()->verifier();
    EXPECT_TRUE(log.compare(own).are_none());
    const auto other = tlog::NoteSigner::generate(own.name(), tlog::KeyType::ed25519).value().verifier();
    const LogFindings found = log.compare(other);
    EXPECT_FALSE(found.checkpoint);
    EXPECT_GE(found.found.size(), 3U) << "key, stored and published checkpoint";
}

TEST(LogComparison, NamesWhatWasEditedInTheObjectStore) {
    LogUnderTest log(5);
    const auto with = [&](const std::string& path, const std::optional<std::string>& bytes) {
        const std::string file = log.object(path);
        const std::string former = text_in(file);
        if (bytes)
            std::ofstream(file, std::ios::binary) << *bytes;
        else
            std::filesystem::remove(file);
        const auto out = log.texts();
        std::ofstream(file, std::ios::binary) << former;
        EXPECT_THAT(log.texts(), IsEmpty());
        return out;
    };
    std::string bundle = text_in(log.object("tile/entries/000.p/5"));
    bundle[bundle.size() - 1] ^= 1;
    EXPECT_THAT(with("tile/entries/000.p/5", bundle),
                ElementsAre("The entries in the object store differ from entry 4."));
    EXPECT_THAT(with("tile/entries/000.p/5", "short"), ElementsAre(HasSubstr("tile/entries/000.p/5 is damaged")));
    EXPECT_THAT(with("tile/entries/000.p/5", std::nullopt),
                ElementsAre("The object store lacks tile/entries/000.p/5."));
    std::string tile = text_in(log.object("tile/0/000.p/5"));
    tile[32] ^= 1;
    EXPECT_THAT(with("tile/0/000.p/5", tile), ElementsAre("The hashes in the object store differ from entry 1."));
    EXPECT_THAT(with("checkpoint", std::nullopt), ElementsAre("The object store lacks the checkpoint."));
    EXPECT_THAT(with("checkpoint", "none"), ElementsAre(HasSubstr("in the object store is not one of the log")));
}

// A full bundle is compressed, so damage shows before its entries do.
TEST(LogComparison, NamesACompressedBundleThatIsDamaged) {
    LogUnderTest log(257);
    const std::string file = log.object("tile/entries/000.gz");
    std::string damaged = text_in(file);
    ASSERT_FALSE(damaged.empty());
    damaged[damaged.size() / 2] ^= 1;
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_THAT(log.texts(), ElementsAre("The object store lacks tile/entries/000, or its copy is damaged."));
}

}  // namespace
}  // namespace consentry::tests
