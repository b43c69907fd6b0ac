// The database against its log: every change there is found.
#include "features/consent_proof/database_check.hpp"

#include <functional>
#include <random>
#include <stdexcept>
#include <utility>

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "features/consent_log/former_keys.hpp"
#include "tests/features/consent_proof/log_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DatabaseFindings check(Service& service, CheckProgress progress = {}, KnownLog known = {}) {
    Services& services = service.app().services();
    DatabaseCheck check(services.database, services.object_store, services.term_policies.paths(), service.clock().now(),
                        std::move(known), std::move(progress));
    return run(check.run());
}

// Does something once, when the check begins this step.
CheckProgress meanwhile(std::string_view step, std::function<void()> act) {
    return [step, act = std::move(act), is_done = false](std::string_view doing, std::optional<double>) mutable {
        if (doing == step && !std::exchange(is_done, true)) act();
    };
}

// Publications, which are the first entries.
constexpr int versions = 2;

struct Log : Signed {
    explicit Log(int people = 6) : Signed(Environment{}) {
        publish_with_texts(service, "termsOfService", 1, {"de", "en"});
        publish_with_texts(service, "marketing", 1);
        std::vector<std::string> tokens{token};
        while (std::ssize(tokens) < people) tokens.push_back(service.tokens_of(service.make_person()).access);
        for (int round = 0; round < 2; ++round)
            for (const std::string& one : tokens) {
                service.pass(std::chrono::seconds{2});
                if (round == 0) receipt_of(accept(service, one, "termsOfService", {{"language", "de"}}));
                receipt_of(accept(service, one, "marketing"));
                service.pass(std::chrono::seconds{2});
                receipt_of(withdraw(service, one, "marketing"));
            }
        publish_log(service);
    }
    std::string id_at(int position) const {
        return value_of(service,
                        "id FROM log_entries WHERE log = 'consent' AND position = " + std::to_string(position));
    }
    std::vector<std::string> found(CheckProgress progress = {}) { return check(service, std::move(progress)).found; }
    // The rows of the person are gone, as after an erasure. Returns the entry of the erasure.
    Bytes erase_rows() const {
        const std::string user = person.id.text();
        const std::string tag = value_of(service, "hex(tag) FROM log_subjects WHERE user_id = '" + user + "'");
        ErasureEntry erasure{.time = std::chrono::floor<std::chrono::seconds>(service.clock().now()), .subject = {}};
        std::ranges::copy(from_hex(tag).value(), erasure.subject.begin());
        const std::string ids = "(SELECT id FROM term_policy_acceptances WHERE user_id = '" + user + "')";
        service.sql("UPDATE log_entries SET salt = NULL WHERE id IN " + ids);
        service.sql("DELETE FROM term_policy_acceptances WHERE user_id = '" + user + "'");
        service.sql("DELETE FROM log_subjects WHERE user_id = '" + user + "'");
        return format_entry(erasure);
    }
    void add_entry(const Bytes& entry) const {
        service.sql("INSERT INTO log_entries (id, log, entry) VALUES ('" + Uuid::v7(service.clock().now()).text() +
                    "', 'consent', " + service.literal(entry) + ")");
    }
};

TEST(DatabaseCheck, AnHonestDatabaseIsWhatItsLogSays) {
    Log log;
    const DatabaseFindings findings = check(log.service);
    EXPECT_THAT(findings.found, IsEmpty());
    EXPECT_EQ(findings.entries, versions + 30U);
    ASSERT_TRUE(findings.checkpoint);
    EXPECT_EQ(findings.checkpoint->size, versions + 30U);
    publish_with_texts(log.service, "marketing", 2);
    receipt_of(accept(log.service, log.token, "marketing"));
    EXPECT_THAT(log.found(), IsEmpty()) << "pending";
    log.service.pass(std::chrono::minutes{2});
    const auto late = log.found();
    publish_log(log.service);
    EXPECT_THAT(log.found(), IsEmpty());
    if (!late.empty()) EXPECT_THAT(late.front(), HasSubstr("longer than its receipt promised"));
}

TEST(DatabaseCheck, NamesTheRowAndWhatIsWrong) {
    Log log;
    const std::string id = log.id_at(versions + 3);
    const auto after = [&](const std::string& column, const std::string& value) {
        const std::string former =
            value_of(log.service, column + " FROM term_policy_acceptances WHERE id = '" + id + "'");
        const std::string where = " WHERE id = '" + id + "'";
        log.service.sql("UPDATE term_policy_acceptances SET " + column + " = " + value + where);
        const auto found = log.found();
        log.service.sql("UPDATE term_policy_acceptances SET " + column + " = '" + former + "'" + where);
        return found;
    };
    const std::string row = "term_policy_acceptances " + id + ": ";
    EXPECT_THAT(after("type", "'cookies'"), Contains(row + "its type is not that of the log"));
    EXPECT_THAT(after("version", "7"), Contains(row + "its version is not that of the log"));
    EXPECT_THAT(after("accepted_at", "accepted_at + 1"), Contains(row + "its accepted_at is not the time in its id"));
    EXPECT_THAT(after("ip_address", "'192.0.2.7'"), Contains(HasSubstr(row + "its user_id, session_id, ip_address")));
    EXPECT_THAT(log.found(), IsEmpty());
    log.service.sql("DELETE FROM term_policy_acceptances WHERE id = '" + id + "'");
    EXPECT_THAT(log.found(), Contains(HasSubstr(row + "the row is missing; the log says: ")));
}

// The last portion has no upper end: SQLite takes any text for an ID. PostgreSQL has a type for IDs and refuses it.
TEST(DatabaseCheck, NamesARowWhoseIdSortsAfterAllUuids) {
    Log log;
    const std::string planted =
        "INSERT INTO term_policy_acceptances SELECT 'zzzz', user_id, type, sequence + 1000, action, term_policy_id, "
        "version, language, content_hashes, accepted_at, ip_address, user_agent, session_id, shown_diff_hash "
        "FROM term_policy_acceptances LIMIT 1";
    if (on_shared_engines()) {
        EXPECT_THROW(log.service.sql(planted), std::runtime_error);
        EXPECT_THAT(log.found(), IsEmpty());
        return;
    }
    log.service.sql(planted);
    EXPECT_THAT(log.found(), Contains(HasSubstr("zzzz: the row is not in the log")));
}

// The ids of publications are public, and those of other entries are in the database.
TEST(DatabaseCheck, NamesARowThatHasTheIdOfAnotherEntry) {
    Log log;
    const Bytes erasure = log.erase_rows();
    publish_log(log.service);
    log.add_entry(erasure);
    publish_log(log.service);
    log.service.pass(std::chrono::seconds{2});
    log.add_entry(erasure);  // gets no position
    EXPECT_THAT(log.found(), IsEmpty());
    const Person other = log.service.make_person();
    const std::string token = log.service.tokens_of(other).access;
    const auto ids = log.service.sql(
        "SELECT id FROM log_entries WHERE length(entry) <> 98 OR log <> 'consent' "
        "ORDER BY id");
    ASSERT_GT(ids.size(), versions + 2U) << "and some of the log of administrators";
    for (const auto& found : ids) {
        const std::string& id = found[0];
        log.service.sql(
            "INSERT INTO term_policy_acceptances (id, user_id, type, sequence, action, term_policy_id, version, "
            "language, "
            "content_hashes, accepted_at) SELECT '" +
            id + "', '" + other.id.text() +
            "', 'marketing', 1, 'accepted', id, 1, 'en', content_hashes, 1700000000000 FROM term_policies "
            "WHERE type = 'marketing'");
        EXPECT_THAT(log.found(), ElementsAre("term_policy_acceptances " + id +
                                             ": the row is not in the log: it was added by other means"));
        EXPECT_EQ(log.service.get("/api/shared/user/term-policy/receipt/" + id, bearer(token)).status, 404U);
        EXPECT_EQ(log.service.get("/api/shared/user/term-policy/receipt/" + id + "/proof", bearer(token)).status, 404U);
        const Answer exported = log.service.get("/api/shared/user/export", bearer(token));
        ASSERT_EQ(exported.status, 200U);
        EXPECT_EQ(exported.json.at("acceptances").as_array().size(), 1U);
        EXPECT_THAT(exported.json.at("consentLog").at("entries").as_array(), IsEmpty());
        log.service.sql("DELETE FROM term_policy_acceptances WHERE id = '" + id + "'");
    }
}

// As an instance whose clock is behind has it.
TEST(DatabaseCheck, TheLogKeepsTheOrderOfAnAccountEvenIfAClockGoesBack) {
    Signed t{Environment{}};
    publish(t.service, "marketing", 1);
    accept(t.service, t.token, "marketing");
    t.service.pass(-std::chrono::seconds{20});
    withdraw(t.service, t.token, "marketing");
    t.service.pass(-std::chrono::seconds{20});
    accept(t.service, t.token, "marketing");
    publish_log(t.service);
    EXPECT_EQ(value_of(t.service,
                       "COUNT(*) FROM term_policy_acceptances a JOIN log_entries e ON e.id = a.id "
                       "JOIN term_policy_acceptances b ON b.user_id = a.user_id AND b.sequence = a.sequence + 1 "
                       "JOIN log_entries f ON f.id = b.id "
                       "WHERE e.position < f.position AND a.accepted_at < b.accepted_at"),
              "2");
}

TEST(DatabaseCheck, NamesAReceiptKeyThatTheLogHasNotSigned) {
    Log log;
    EXPECT_THAT(log.found(), IsEmpty());
    log.service.sql("INSERT INTO receipt_keys (kid, jwk, first_used_at) VALUES ('planted', '{}', 1)");
    EXPECT_THAT(
        log.found(),
        ElementsAre(HasSubstr("receipt_keys planted: the log's key has not signed this key, so verifiers refuse")));
}

// A version before 0.2 stored them. After an upgrade, or with a database from before it, the next start signs them.
TEST(DatabaseCheck, AKeyThatTheNextStartSignsIsNoFinding) {
    Log log;
    auto& services = log.service.app().services();
    log.service.sql("UPDATE receipt_keys SET signature = NULL");
    EXPECT_THAT(check(log.service).found, ElementsAre(HasSubstr("the log's key has not signed this key")))
        << "the list was made without it";
    const FormerKeys listed(run(ConsentLogRepository(services.database).list_receipt_keys()));
    const std::string name(former_keys_object);
    run(services.object_store.erase(storage::Area::private_area, name));
    EXPECT_THAT(check(log.service).found, IsEmpty());
    EXPECT_EQ(check(log.service).former_keys, 1U);
    run(services.object_store.put(storage::Area::private_area, name, listed.text(), "application/json"));
    EXPECT_THAT(check(log.service).found, IsEmpty());
    log.service.sql("INSERT INTO receipt_keys (kid, jwk, first_used_at) VALUES ('planted', '{}', 1)");
    EXPECT_THAT(check(log.service).found, ElementsAre(HasSubstr("receipt_keys planted: ")));
    EXPECT_EQ(check(log.service).former_keys, 1U);
}

TEST(DatabaseCheck, AValueOfAnotherTypeIsAFindingAndNoFailure) {
    if (std::getenv("CONSENTRY_TEST_ENGINES") != nullptr) GTEST_SKIP() << "PostgreSQL refuses it";
    Log log;
    const std::string entry = log.id_at(6);
    log.service.sql("UPDATE log_entries SET salt = 'text' WHERE id = '" + entry + "'");
    EXPECT_THAT(log.found(), Contains("log_entries " + entry + ": its salt is of a wrong type"));
    const std::string id = log.id_at(versions + 7);
    log.service.sql("UPDATE term_policy_acceptances SET sequence = 'first' WHERE id = '" + id + "'");
    log.service.sql("UPDATE term_policies SET grace_in_days = 'many' WHERE type = 'marketing'");
    const auto found = log.found();
    EXPECT_THAT(found, Contains("log_entries " + entry + ": its salt is of a wrong type"));
    EXPECT_THAT(found, Contains("term_policy_acceptances " + id + ": its sequence is of a wrong type"));
    EXPECT_THAT(found, Contains(::testing::ContainsRegex("term_policies .*: its grace_in_days is of a wrong type")));
    EXPECT_THAT(found, Contains(HasSubstr("not all rows could be compared")));
}

TEST(DatabaseCheck, OnlyEntriesWithAnAddendumHaveASalt) {
    Log log;
    const std::string id = log.id_at(0);
    log.service.sql("UPDATE log_entries SET salt = " + log.service.literal(Bytes(32, 1)) + " WHERE id = '" + id + "'");
    EXPECT_THAT(log.found(),
                ElementsAre("log_entries " + id + ": it has a salt, although the entry names no addendum"));
}

// What the erasure of an account leaves behind.
TEST(DatabaseCheck, ARowIsRightlyMissingOnlyAfterAnErasure) {
    Log log;
    const Bytes erasure = log.erase_rows();
    EXPECT_EQ(log.found().size(), 5U);
    log.add_entry(erasure);
    EXPECT_THAT(log.found(), IsEmpty()) << "pending";
    publish_log(log.service);
    EXPECT_THAT(log.found(), IsEmpty());
}

TEST(DatabaseCheck, WhatHappensMeanwhileIsNoFinding) {
    Log log;
    int version = 2;
    for (const char* step : {"comparing the published log", "comparing rows",
                             "looking for rows that are not in the log", "comparing the order of rows"}) {
        SCOPED_TRACE(step);
        EXPECT_THAT(log.found(meanwhile(step, [&] { publish_with_texts(log.service, "marketing", version++); })),
                    IsEmpty());
        EXPECT_THAT(log.found(meanwhile(step, [&] { receipt_of(accept(log.service, log.token, "marketing")); })),
                    IsEmpty());
        EXPECT_THAT(log.found(meanwhile(step, [&] { publish_log(log.service); })), IsEmpty());
    }
    log.add_entry(log.erase_rows());
    EXPECT_THAT(log.found(meanwhile("comparing rows", [&] { publish_log(log.service); })), IsEmpty())
        << "the entry of the erasure gets its position";
}

TEST(DatabaseCheck, ACutOffEndIsFound) {
    Log log;
    publish_with_texts(log.service, "marketing", 2);
    const auto kept = log.service.sql("SELECT size, checkpoint FROM logs WHERE name = 'consent'");
    const std::string& size = kept[0][0];
    receipt_of(accept(log.service, log.token, "marketing"));
    publish_log(log.service);
    EXPECT_THAT(log.found(), IsEmpty());
    log.service.sql("DELETE FROM term_policy_acceptances WHERE id = '" + log.id_at(std::stoi(size)) + "'");
    log.service.sql("DELETE FROM log_entries WHERE log = 'consent' AND position = " + size);
    EXPECT_THAT(log.found(), ::testing::Not(IsEmpty()));
    log.service.sql("UPDATE logs SET size = " + size + ", published = " + size + ", checkpoint = '" + kept[0][1] +
                    "' WHERE name = 'consent'");
    EXPECT_THAT(log.found(), ::testing::Not(IsEmpty())) << "the store has a newer checkpoint";
}

// The hashes of the texts that a publication names by its record are those of term_policy_contents.
TEST(DatabaseCheck, APublishedVersionIsTheOneInTheLog) {
    Log log;
    const std::string id = publish_with_texts(log.service, "privacy", 1);
    EXPECT_THAT(log.found(), IsEmpty());
    const std::string row = "term_policies " + id + ": ";
    const std::string altered = row + "the version is not the one whose publication is in the log";
    const auto after = [&](const std::string& change, const std::string& undo) {
        log.service.sql(change);
        const auto found = log.found();
        log.service.sql(undo);
        return found;
    };
    const std::string contents = "UPDATE term_policy_contents SET digest = ";
    const std::string of_version = " WHERE term_policy_id = '" + id + "'";
    EXPECT_THAT(after(contents + log.service.literal(crypto::sha256("another text")) + of_version,
                      contents + log.service.literal(crypto::sha256("privacy 1 en")) + of_version),
                Contains(altered));
    const std::string policy = " WHERE id = '" + id + "'";
    EXPECT_THAT(after("UPDATE term_policies SET is_material = FALSE" + policy,
                      "UPDATE term_policies SET is_material = TRUE" + policy),
                Contains(altered));
    const std::string hashes = log.service.sql("SELECT content_hashes FROM term_policies" + policy)[0][0];
    EXPECT_THAT(after("UPDATE term_policies SET content_hashes = '{}'" + policy,
                      "UPDATE term_policies SET content_hashes = '" + hashes + "'" + policy),
                Contains(row + "its content_hashes are not those of its texts"));
    EXPECT_THAT(log.found(), IsEmpty()) << "all changes are undone";
    log.service.sql("DELETE FROM term_policy_contents" + of_version);
    log.service.sql("DELETE FROM term_policies" + policy);
    EXPECT_THAT(log.found(), Contains(HasSubstr(row + "the published version is missing; the log says: ")));
}

TEST(DatabaseCheck, AVersionWhosePublicationIsRemovedFromTheLogIsNamed) {
    Log log;
    const std::string id = publish_with_texts(log.service, "privacy", 1);
    log.service.sql("DELETE FROM log_entries WHERE id = '" + id + "'");
    EXPECT_THAT(log.found(), Contains("term_policies " + id +
                                      ": the version is published, but the log does not have its publication"));
}

// A wrong DATABASE_URL, or all of it wiped out: nothing contradicts what is not there.
TEST(DatabaseCheck, NoLogIsNotTheLogOfAKey) {
    Service service({{"CONSENT_LOG_ENABLE", "false"}});
    EXPECT_THAT(check(service).found, IsEmpty());
    const auto key = tlog::NoteSigner::generate("log.example.org/consent", tlog::KeyType::ed25519).value().verifier();
    EXPECT_THAT(check(service, {}, {.key = key}).found,
                ElementsAre("log_entries: The database and the object store have no log."));
}

// Database and object store of an older backup agree, and only those who have seen more can tell.
TEST(DatabaseCheck, ALogThatWasSetBackContradictsTheCheckpointThatSomebodyKept) {
    Log log;
    const auto checkpoint = [&] { return log.service.get("/consent-log/checkpoint").body; };
    const auto found = [&](std::string kept) { return check(log.service, {}, {.checkpoint = std::move(kept)}).found; };
    const std::string columns[] = {"size", "published", "checkpoint", "public_size", "public_checkpoint"};
    const auto state = log.service.sql(
        "SELECT size, published, checkpoint, public_size, public_checkpoint, hex(edge) FROM logs WHERE name = "
        "'consent'");
    const std::string former = checkpoint();
    log.service.pass(std::chrono::seconds{2});
    receipt_of(accept(log.service, log.token, "marketing"));
    publish_log(log.service);
    const std::string kept = checkpoint();
    EXPECT_THAT(found(kept), IsEmpty());
    EXPECT_THAT(found(former), IsEmpty()) << "an earlier state";

    const std::string last = log.id_at(versions + 30);
    log.service.sql("DELETE FROM term_policy_acceptances WHERE id = '" + last + "'");
    log.service.sql("DELETE FROM log_entries WHERE id = '" + last + "'");
    std::string changes = "edge = " + log.service.literal(from_hex(state[0][5]).value());
    for (std::size_t i = 0; i < std::size(columns); ++i) changes += ", " + columns[i] + " = '" + state[0][i] + "'";
    log.service.sql("UPDATE logs SET " + changes + " WHERE name = 'consent'");
    run(log.service.app().services().object_store.put(storage::Area::public_area, "consent-log/checkpoint", former,
                                                      "text/plain"));
    EXPECT_THAT(log.found(), IsEmpty()) << "they agree";
    EXPECT_THAT(found(former), IsEmpty());
    EXPECT_THAT(found(kept), ElementsAre("log_entries: The log has 32 entries, but the checkpoint that was kept has "
                                         "33: it was set back."));
    // Others take the place of what was cut off, and the operator signs them.
    receipt_of(accept(log.service, log.token, "marketing"));
    publish_log(log.service);
    EXPECT_THAT(log.found(), IsEmpty());
    EXPECT_THAT(found(kept), ElementsAre("log_entries: The first 33 entries in the database are not those of the "
                                         "checkpoint that was kept."));
    EXPECT_THAT(found("no checkpoint"), ElementsAre(HasSubstr("The checkpoint that was kept is not one of the log: ")));
}

// What users read is what the log names.
TEST(DOC_7, APublishedTextIsTheOneThatTheObjectStoreHas) {
    Log log;
    const std::string id = value_of(log.service, "id FROM term_policies WHERE type = 'termsOfService'");
    auto& store = log.service.app().services().object_store;
    const std::string key = "term-policies/termsOfService/1/de.hbs";
    run(store.put(storage::Area::public_area, key, "another text", "text/plain"));
    EXPECT_THAT(log.found(), ElementsAre("term_policies " + id +
                                         ": the object store has another text in de than the one that was published"));
    run(store.erase(storage::Area::public_area, key));
    EXPECT_THAT(log.found(), ElementsAre("term_policies " + id + ": the object store lacks its text in de"));
}

// These two decide whom the guard admits without an acceptance of the new version.
TEST(DOC_8, TheGraceOfAVersionIsTheOneInTheLog) {
    Service service{Environment{}};
    const PolicyDesk desk(service);
    const auto publish_now = [&](int version, const json::object& terms) {
        service.pass(std::chrono::hours{1});
        const std::string id = desk.draft("privacy", version, texts_in({"en"}, std::to_string(version)));
        EXPECT_EQ(desk.call("PATCH", "publish/" + id, terms).status, 200U);
        publish_log(service);
        return id;
    };
    const json::object grace{{"graceInDays", 10}};
    const std::string first = publish_now(1, {});
    publish_now(2, grace);
    publish_now(3, {{"isMaterial", false}, {"materialReason", "a typing error"}});
    const std::string fourth = publish_now(4, grace);  // while the second one is in its grace period
    service.pass(std::chrono::days{11});
    const std::string fifth = publish_now(5, grace);
    EXPECT_THAT(check(service).found, IsEmpty());
    EXPECT_EQ(value_of(service, "grace_version FROM term_policies WHERE id = '" + fourth + "'"), "1");
    EXPECT_EQ(value_of(service, "grace_version FROM term_policies WHERE id = '" + fifth + "'"), "4");
    const auto after = [&](const std::string& id, const std::string& change) {
        const auto former = service.sql("SELECT grace_until, grace_version FROM term_policies WHERE id = '" + id + "'");
        const auto or_null = [](const std::string& text) { return text.empty() ? std::string("NULL") : text; };
        service.sql("UPDATE term_policies SET " + change + " WHERE id = '" + id + "'");
        auto found = check(service).found;
        service.sql("UPDATE term_policies SET grace_until = " + or_null(former[0][0]) +
                    ", grace_version = " + or_null(former[0][1]) + " WHERE id = '" + id + "'");
        return found;
    };
    const auto wrong = [](const std::string& id, const char* column) {
        return ElementsAre("term_policies " + id + ": its " + column + " is not what follows from the publications");
    };
    EXPECT_THAT(after(first, "grace_until = 99999999999999, grace_version = 1"), wrong(first, "grace_until"));
    EXPECT_THAT(after(fifth, "grace_until = grace_until + 1"), wrong(fifth, "grace_until"));
    EXPECT_THAT(after(fifth, "grace_until = NULL"), wrong(fifth, "grace_until"));
    EXPECT_THAT(after(fifth, "grace_version = 1"), wrong(fifth, "grace_version"));
    EXPECT_THAT(after(fifth, "grace_version = NULL"), wrong(fifth, "grace_version"));
    EXPECT_THAT(check(service).found, IsEmpty()) << "all changes are undone";
}

// An acceptance names it by its hash.
TEST(DatabaseCheck, AComparisonThatWasShownIsKeptAsItWas) {
    Service service{Environment{}};
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en"}, "one"));
    desk.published("privacy", 2, texts_in({"en"}, "two"));
    const std::string page = service.get("/api/public/term-policy/diff/privacy/1/2").body;
    const std::string hash = to_hex(crypto::sha256(page));
    const std::string token = service.tokens_of(service.make_person()).access;
    receipt_of(accept(service, token, "privacy", {{"shownDiffHash", hash}}));
    publish_log(service);
    EXPECT_THAT(check(service).found, IsEmpty());
    service.sql("UPDATE term_policy_diffs SET page = 'another page'");
    EXPECT_THAT(check(service).found, ElementsAre("term_policy_diffs " + hash + ": its page does not have this hash"));
    service.sql("DELETE FROM term_policy_diffs");
    EXPECT_THAT(check(service).found,
                ElementsAre("term_policy_acceptances " + value_of(service, "id FROM term_policy_acceptances") +
                            ": the comparison that was shown, which its shown_diff_hash names, is missing from "
                            "term_policy_diffs"));
}

// Users are shown the page that is kept. A forger computes its hash as well.
TEST(DatabaseCheck, AComparisonShowsHowThePublishedTextsDiffer) {
    Service service{Environment{}};
    const PolicyDesk desk(service);
    const std::string kept = "1. We delete your data.\n";
    desk.published("privacy", 1,
                   {{"en", kept + "2. We sell \"nothing\" & keep it.\n"}, {"fr", "Un\n"}, {"de", "Eins\n"}});
    desk.published("privacy", 2,
                   {{"en", kept + "2. We sell <b>everything</b>.\n"}, {"fr", "Deux\n"}, {"de", "Eins\n"}});
    desk.published("privacy", 3, {{"en", "Three\n"}, {"fr", "Un\n"}});
    const auto page_of = [&](const std::string& versions, const std::string& language) {
        return service.get("/api/public/term-policy/diff/privacy/" + versions + "?language=" + language).body;
    };
    const std::string page = page_of("1/2", "en");
    for (const auto& [versions, language] : {std::pair("1/2", "fr"), std::pair("1/2", "de"), std::pair("1/3", "fr")})
        page_of(versions, language);
    publish_log(service);
    ASSERT_THAT(check(service).found, IsEmpty());
    service.sql("CREATE TABLE kept_diffs AS SELECT * FROM term_policy_diffs");
    const auto after = [&](const std::string& change) {
        service.sql("UPDATE term_policy_diffs SET " + change);
        const auto found = check(service).found;
        service.sql("DELETE FROM term_policy_diffs");
        service.sql("INSERT INTO term_policy_diffs SELECT * FROM kept_diffs");
        return found;
    };
    const auto with = [&](std::string_view what, std::string_view instead) {
        std::string forged = page;
        const auto at = forged.find(what);
        EXPECT_NE(at, std::string::npos) << what;
        forged.replace(at, what.size(), instead);
        return "page = '" + forged + "', hash = '" + to_hex(crypto::sha256(forged)) + "' WHERE hash = '" +
               to_hex(crypto::sha256(page)) + "'";
    };
    const auto named = [](std::string_view why) { return ElementsAre(HasSubstr(why)); };
    constexpr std::string_view other = ": its page does not show how the two texts differ";
    constexpr std::string_view no_texts = ": it compares versions or texts that were not published";
    EXPECT_THAT(after(with("everything", "nothing")), named(other));
    EXPECT_THAT(after(with("<del>", "<p>")), named(other));
    EXPECT_THAT(after(with("1. We delete", "1. We keep")), named(other));
    EXPECT_THAT(after(with("ins{", "ins{display:none;")), named(other));
    EXPECT_THAT(after(with("</main>", "<ins>3. More\n</ins>\n</main>")), named(other));
    const std::string in_english = " WHERE language = 'en'";
    EXPECT_THAT(after("language = 'ja'" + in_english), named(no_texts));
    EXPECT_THAT(after("language = 'xx'" + in_english), named(no_texts));
    EXPECT_THAT(after("type = 'cookies'" + in_english), named(no_texts));
    EXPECT_THAT(after("to_version = 9" + in_english), named(no_texts));
    EXPECT_THAT(after("from_version = 2" + in_english), named(no_texts));
    EXPECT_THAT(after("to_version = 3" + in_english), named(other));
    EXPECT_THAT(after("from_version = 2 WHERE to_version = 3"), named(other));
    EXPECT_THAT(after("language = 'id' WHERE language = 'de'"), named(no_texts));
    service.sql("DELETE FROM term_policy_diffs WHERE from_version = 1 AND to_version = 2 AND language = 'fr'");
    EXPECT_THAT(after("language = 'fr' WHERE language = 'de'"), named(other));
    // Another program version has other labels.
    const auto labeled = page.substr(0, page.find(": </span>"));
    const std::string label = labeled.substr(labeled.rfind('>') + 1);
    EXPECT_THAT(after(with(">" + label + ": ", ">Taken &quot;out&quot; &amp; gone: ")), IsEmpty());
    EXPECT_THAT(check(service).found, IsEmpty()) << "all changes are undone";
}

// One connection, because ten thousand edits open too many otherwise.
class Editor {
public:
    explicit Editor(const std::filesystem::path& file) {
        sqlite3_open(file.c_str(), &database_);
        sqlite3_busy_timeout(database_, 10'000);
        run("PRAGMA foreign_keys = OFF");
        run("PRAGMA synchronous = OFF");
        for (const char* table : {"term_policy_acceptances", "log_entries", "log_subjects"})
            run(std::string("CREATE TEMP TABLE kept_") + table + " AS SELECT * FROM " + table);
    }
    Editor(const Editor&) = delete;
    Editor& operator=(const Editor&) = delete;
    ~Editor() { sqlite3_close(database_); }

    int run(const std::string& sql) {
        char* error = nullptr;
        const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &error);
        EXPECT_TRUE(code == SQLITE_OK || code == SQLITE_CONSTRAINT) << sql << ": " << (error ? error : "");
        sqlite3_free(error);
        return code == SQLITE_OK ? sqlite3_changes(database_) : 0;
    }
    bool differs(const std::string& table) {
        const std::string kept = "kept_" + table;
        run("DROP TABLE IF EXISTS temp.difference");
        run("CREATE TEMP TABLE difference AS SELECT * FROM " + kept + " WHERE FALSE");
        return run("INSERT INTO difference SELECT * FROM (SELECT * FROM " + table + " EXCEPT SELECT * FROM " + kept +
                   ") UNION ALL SELECT * FROM (SELECT * FROM " + kept + " EXCEPT SELECT * FROM " + table + ")") > 0;
    }
    void undo(const std::string& table) {
        run("BEGIN; DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM kept_" + table + "; COMMIT");
    }

private:
    sqlite3* database_ = nullptr;
};

struct Edit {
    std::string table;
    std::string sql;
};
const std::string rows = "term_policy_acceptances";

Edit changed_row(int kind, const std::string& one, const std::string& other, const std::string& number) {
    const auto with = [&](const std::string& set) {
        return Edit{rows, "UPDATE " + rows + " SET " + set + " WHERE id = " + one};
    };
    // `taken`: from another row.
    const std::string taken[] = {"user_id", "session_id", "type", "language", "action"};
    switch (kind) {
        case 0:
            return with("accepted_at = accepted_at + " + number);
        case 1:
            return with("accepted_at = accepted_at - " + number);
        case 2:
            return with("ip_address = '192.0.2." + number + "'");
        case 3:
            return with("user_agent = user_agent || '" + number + "'");
        case 4:
            return with("version = version + " + number);
        case 5:
            return with("sequence = sequence + " + number);
        case 6:
            return with("content_hashes = replace(content_hashes, substr(content_hashes, 8, 4), 'abcd')");
        case 7:
            return with("ip_address = NULL");
        default: {
            const std::string& column = taken[static_cast<std::size_t>(kind - 8)];
            return with(column + " = (SELECT b." + column + " FROM " + rows + " b WHERE b.id = " + other + ")");
        }
    }
}

Edit inserted_row(const std::string& one) {
    return {rows, "INSERT INTO " + rows +
                      " SELECT lower(hex(randomblob(4))) || substr(id, 9), user_id, type, sequence + 100, action, "
                      "term_policy_id, version, language, content_hashes, accepted_at, ip_address, user_agent, "
                      "session_id, shown_diff_hash FROM " +
                      rows + " WHERE id = " + one};
}

// Under the id of an entry that is about no row.
Edit row_of(const std::string& entry, const std::string& one) {
    return {rows, "INSERT INTO " + rows + " SELECT " + entry +
                      ", user_id, type, sequence + 100, action, term_policy_id, version, language, content_hashes, "
                      "accepted_at, ip_address, user_agent, session_id, shown_diff_hash FROM " +
                      rows + " WHERE id = " + one};
}

// Two rows of one history change places.
Edit reordered_rows(const std::string& one, int first, int distance) {
    return {rows, "BEGIN; UPDATE " + rows +
                      " SET sequence = -sequence WHERE (user_id, type) = (SELECT b.user_id, b.type "
                      "FROM " +
                      rows + " b WHERE b.id = " + one + ") AND sequence IN (" + std::to_string(first) + ", " +
                      std::to_string(first + distance) + "); UPDATE " + rows + " SET sequence = sequence + " +
                      std::to_string(2 * first + distance) + " WHERE sequence < 0; COMMIT"};
}

// `entries`: how many follow the publications.
Edit random_edit(std::mt19937& random, int entries) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto id = [&](int position) {
        return "(SELECT id FROM log_entries WHERE log = 'consent' AND position = " + std::to_string(position) + ")";
    };
    const std::string one = id(versions + below(entries));
    const std::string other = id(versions + below(entries));
    const auto entry_with = [&](const std::string& set) {
        return Edit{"log_entries", "UPDATE log_entries SET " + set + " WHERE id = " + one};
    };
    const int kind = below(21);
    if (kind < 13) return changed_row(kind, one, other, std::to_string(1 + below(1'000'000)));
    switch (kind) {
        case 13:
            return {rows, "DELETE FROM " + rows + " WHERE id = " + one};
        case 14:
            return inserted_row(one);
        case 15:
            return reordered_rows(one, 1 + below(3), 1 + below(2));
        case 16:
            return entry_with("salt = randomblob(32)");
        case 17:
            return entry_with("entry = CAST(substr(entry, 1, 40) || randomblob(1) || substr(entry, 42) AS BLOB)");
        case 18:
            return entry_with("position = position + " + std::to_string(entries));
        case 19:
            return row_of(id(below(versions)), one);
        default:
            return {"log_entries", "DELETE FROM log_entries WHERE log = 'consent' AND position = " +
                                       std::to_string(versions + entries - 1)};
    }
}

TEST(DatabaseCheck, TenThousandRandomEditsAreFoundAllOfThem) {
    if (std::getenv("CONSENTRY_TEST_ENGINES") != nullptr) GTEST_SKIP() << "edits a file of SQLite";
    constexpr int people = 2;  // enough for rows to take values from
    Log log(people);
    Editor editor(log.service.folder() / "data/consentry.db");
    std::mt19937 random(20'260'301);
    int edits = 0;
    for (int tries = 0; edits < 10'000 && tries < 40'000; ++tries) {
        const auto [table, sql] = random_edit(random, 5 * people);
        // Some change nothing: a type that is taken from a row of the same type, or the same byte.
        editor.run(sql);
        const bool is_changed = editor.differs(table);
        if (is_changed) {
            ++edits;
            ASSERT_FALSE(check(log.service).are_none()) << sql;
        }
        editor.undo(table);
    }
    EXPECT_EQ(edits, 10'000);
    EXPECT_THAT(log.found(), IsEmpty()) << "all edits are undone";
}

}  // namespace
}  // namespace consentry::tests
