// The administration log: which acts are in it, what of them is public, and what a person with write access to the
// database cannot hide.
#include <fstream>
#include <stdexcept>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "features/consent_log/entry.hpp"
#include "features/sessions/epochs.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/calls/erasure_calls.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/test_witness.hpp"

namespace consentry::tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Acts : Keys {
    explicit Acts(Environment settings = {}) : Keys(std::move(settings)) {
        service.clock().advance(std::chrono::milliseconds{1});
    }

    // Whose data are due to be erased, and whose acts are in the log.
    Person deleted_person() {
        Person person = service.make_person();
        const std::string token = service.tokens_of(person).access;
        EXPECT_EQ(service.erase("/api/user/user/delete/self", {}, bearer(token)).status, 204U);
        settle_mails(service);
        all();
        service.pass(std::chrono::days{31});
        return person;
    }

    // Adds so many acts: some by the account, some on it, and some of both.
    void add_acts(const Person& person, int count, bool are_logged = false) const {
        const std::string id = "'" + person.id.text() + "'";
        std::string rows;
        for (int i = 0; i < count; ++i)
            rows += (rows.empty() ? "('" : ", ('") + Uuid::v7(service.clock().now()).text() + "', 2, " +
                    (i % 3 == 0 ? "NULL" : id) + ", " + (i % 3 == 1 ? "NULL" : id) + ", " +
                    std::to_string(epoch_ms(service.clock().now())) + ", " + (are_logged ? "TRUE)" : "FALSE)");
        service.sql("INSERT INTO administration_acts (id, code, actor_id, subject_id, acted_at, is_logged) VALUES " +
                    rows);
    }
    std::int64_t acts_of(const Person& person) const {
        return std::stoll(one(service, "SELECT count(*) FROM administration_acts WHERE actor_id = '" +
                                           person.id.text() + "' OR subject_id = '" + person.id.text() + "'"));
    }
    std::string salts_without_act() const {
        return one(service,
                   "SELECT count(*) FROM log_entries e WHERE e.log = 'administration' AND e.salt IS NOT NULL "
                   "AND NOT EXISTS (SELECT 1 FROM administration_acts a WHERE a.id = e.id)");
    }
    std::string acts_without_salt() const {
        return one(service,
                   "SELECT count(*) FROM log_entries e JOIN administration_acts a ON a.id = e.id "
                   "WHERE e.salt IS NULL");
    }

    AdministrationLog& log() { return *service.app().services().administration_log; }
    void work() { run(log().work()); }
    // The service's own round may have taken the acts and not have published them yet.
    std::vector<ShownAct> all() {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        do work();
        while (one(service,
                   "SELECT (SELECT count(*) FROM administration_acts WHERE is_logged = FALSE) + (SELECT count(*) FROM "
                   "log_entries WHERE log = 'administration') - published FROM logs WHERE name = 'administration'") !=
                   "0" &&
               std::chrono::steady_clock::now() < deadline);
        return run(log().show(0, run(log().size())));
    }
    // The newest act, after all others: "adminUserUpdateRole by boss@example.org on ada@example.org".
    std::string newest() {
        const auto acts = all();
        service.clock().advance(std::chrono::milliseconds{1});  // acts of one millisecond have no order
        if (acts.empty()) return "none";
        return act_name(acts.back().code) + " by " + text_of(acts.back().actor, "operator") +
               (acts.back().subject ? " on " + text_of(acts.back().subject, "") : "");
    }
    static std::string text_of(const std::optional<ShownAccount>& account, const std::string& otherwise) {
        if (!account) return otherwise;
        return !account->email.empty() ? account->email : account->id ? account->id->text() : "tag";
    }
    ActFindings verify(std::optional<tlog::VerifierKey> key = {}, std::optional<std::string> kept = {}) {
        return run(log().verify(std::move(key), std::move(kept)));
    }
    static std::vector<std::string> texts_of(const ActFindings& findings) {
        std::vector<std::string> out;
        for (const LogFinding& one : findings.log.found) out.push_back(one.text);
        return out;
    }
    std::vector<std::string> texts(const std::optional<std::string>& kept = {}) { return texts_of(verify({}, kept)); }
    std::vector<std::string> texts_with_retention(std::chrono::days retention) {
        return texts_of(run(log().verify({}, {}, {}, retention)));
    }
    std::string email_of_chief() const {
        return one(service, "SELECT email FROM users WHERE role_id = '" + built_in(Role::super_admin) + "'");
    }
    json::object facts() const { return json::parse(service.get("/.well-known/consent-log").body).as_object(); }
    tlog::VerifierKey key() const {
        return tlog::VerifierKey::parse(std::string(facts().at("administration").at("verifierKey").as_string()))
            .value();
    }
    tlog::Checkpoint checkpoint() const {
        const Answer answer = service.get("/consent-log/administration/checkpoint");
        EXPECT_EQ(answer.status, 200U);
        return tlog::open_checkpoint(answer.body, key()).value().checkpoint;
    }
};

std::string deleted_early(std::int64_t position, const std::string& days = "0") {
    return "The evidence of entry " + std::to_string(position) +
           " was deleted before its time: ACTIVITY_LOG_RETENTION_IN_DAYS is " + days +
           ". If it was shorter before, name the shortest time with --retention.";
}

TEST(AdministrationLog, HasTheActsOfAdministrators) {
    Acts t;
    const std::string by = " by " + t.email_of_chief();
    const Person person = t.service.make_person();
    const std::string on = " on " + person.email;
    t.service.clock().advance(std::chrono::milliseconds{1});  // acts of one millisecond have no order
    const std::string path = "user/update/" + person.id.text();
    const auto done = [&](const Answer& answer) {
        EXPECT_LT(answer.status, 300U) << answer.body;
        return t.newest();
    };
    EXPECT_EQ(done(t.call(t.chief, "PUT", path + "/role", {{"roleId", built_in(Role::admin)}})),
              "adminUserUpdateRole" + by + on);
    EXPECT_EQ(done(t.call(t.chief, "PATCH", path + "/status", {{"status", "inactive"}})),
              "adminUserUpdateStatus" + by + on);
    EXPECT_EQ(done(t.call(t.chief, "PATCH", path + "/status", {{"status", "active"}})),
              "adminUserUpdateStatus" + by + on);
    t.service.tokens_of(person);
    const std::string session =
        one(t.service, "SELECT id FROM sessions WHERE revoked_at IS NULL AND user_id = '" + person.id.text() + "'");
    EXPECT_EQ(done(t.call(t.chief, "DELETE", "user/" + person.id.text() + "/session/revoke/" + session)),
              "adminSessionRevoke" + by + on);
    EXPECT_EQ(done(t.call(t.chief, "PUT", path + "/password")), "adminUserUpdatePassword" + by + on);

    const Answer role = t.Staff::create(t.chief, "helpers", "admin", {{"user", {"read"}}});
    EXPECT_EQ(done(role), "adminRoleCreate" + by);
    EXPECT_EQ(done(t.Staff::update(t.chief, role.text("data.id"), "admin", {{"user", {"read", "update"}}})),
              "adminRoleUpdate" + by);
    EXPECT_EQ(done(t.Staff::erase(t.chief, role.text("data.id"))), "adminRoleDelete" + by);
    const Issued issued = t.make();
    EXPECT_EQ(t.newest(), "adminApiKeyCreate" + by);
    EXPECT_EQ(done(t.switch_to(issued.id, false)), "adminApiKeyUpdateStatus" + by);
    EXPECT_EQ(done(t.Keys::erase(issued.id)), "adminApiKeyDelete" + by);
    const std::string flag = one(t.service, "SELECT id FROM feature_flags WHERE key = 'signUp'");
    EXPECT_EQ(done(t.call(t.chief, "PATCH", "feature-flag/update/" + flag + "/status",
                          {{"isEnable", false}, {"rolloutPercent", 50}})),
              "adminFeatureFlagUpdate" + by);
    EXPECT_THAT(t.texts(), IsEmpty());
}

TEST(AdministrationLog, HasTheActsOfTheOperator) {
    Acts t;
    Services& services = t.service.app().services();
    const Person person = t.service.make_person();
    EXPECT_EQ(t.newest(), "adminUserCreate by operator on " + person.email);
    auto user = run(services.users.find(person.id));
    ASSERT_TRUE(run(services.passwords.set(*user, new_password)));
    EXPECT_EQ(t.newest(), "adminUserUpdatePassword by operator on " + person.email);
    ASSERT_TRUE(run(services.api_keys.create(Actor::operator_at_the_machine(),
                                             {.name = "shop", .type = ApiKeyType::default_, .window = {}}, Cause{})));
    EXPECT_EQ(t.newest(), "adminApiKeyCreate by operator");
    Epochs epochs(services.database);
    run(epochs.raise(false, t.service.clock().now()));
    EXPECT_EQ(t.newest(), "adminEpochRaise by operator");
    EXPECT_THAT(t.texts(), IsEmpty());
}

TEST(AdministrationLog, HasWhatOwnersChangeOfTheirRights) {
    Acts t;
    Person person = t.service.make_person();
    t.service.clock().advance(std::chrono::milliseconds{1});  // acts of one millisecond have no order
    const TokenTexts tokens = t.service.turn_two_factor_on(person);
    const std::string by = " by " + person.email + " on " + person.email;
    EXPECT_EQ(t.newest(), "userEnableTwoFactor" + by);
    const Answer deleted =
        t.service.erase("/api/user/user/delete/self", {{"backupCode", person.backup_codes[0]}}, bearer(tokens.access));
    EXPECT_EQ(deleted.status, 204U) << deleted.body;
    EXPECT_EQ(t.newest(), "userDeleteSelf by " + person.id.text() + " on " + person.id.text());
}

TEST(AdministrationLog, HasOnlyWhatHappened) {
    Acts t;
    t.work();
    const auto before = t.all().size();
    const Person person = t.service.make_person(Role::super_admin);
    const std::string token = t.service.tokens_of(t.service.make_person(Role::admin)).access;
    EXPECT_EQ(t.call(token, "PATCH", "user/update/" + person.id.text() + "/status", {{"status", "blocked"}}).status,
              403U);
    EXPECT_EQ(t.all().size(), before + 2) << "two accounts were created";
    // The act and the change commit together or not at all.
    t.service.break_writes("INSERT ON administration_acts");
    EXPECT_GE(t.call(t.chief, "PATCH", "user/update/" + person.id.text() + "/status", {{"status", "blocked"}}).status,
              500U);
    t.service.mend_writes();
    EXPECT_EQ(one(t.service, "SELECT status FROM users WHERE id = '" + person.id.text() + "'"), "active");
}

// Outsiders see that the log exists, how long it is, and that it never shrinks, but nothing that it says.
TEST(AdministrationLog, ShowsEverybodyItsCheckpointAlone) {
    Acts t;
    t.work();
    const tlog::Checkpoint before = t.checkpoint();
    EXPECT_EQ(before.origin, t.facts().at("administration").at("origin").as_string());
    EXPECT_THAT(before.origin, HasSubstr("/administration"));
    const auto consent = tlog::VerifierKey::parse(std::string(t.facts().at("verifierKey").as_string())).value();
    EXPECT_NE(t.key().point(), consent.point()) << "one secret, two keys";
    t.service.make_person();
    t.work();
    EXPECT_EQ(t.checkpoint().size, before.size + 1);
    const std::string width = std::to_string(before.size + 1);
    for (const std::string& path : {"/consent-log/administration/tile/entries/000.p/" + width,
                                    "/consent-log/administration/tile/0/000.p/" + width,
                                    "/files/public/administration-log/tile/entries/000.p/" + width,
                                    "/files/private/administration-log/tile/entries/000.p/" + width})
        EXPECT_GE(t.service.get(path).status, 400U) << path;
    t.service.restart();
    EXPECT_EQ(t.checkpoint().size, before.size + 1) << "the derived key is the same";
}

TEST(AdministrationLog, EntriesHoldNoPersonalData) {
    Acts t;
    const Person person = t.service.make_person();
    t.work();
    const auto rows = t.service.sql("SELECT hex(entry) FROM log_entries WHERE log = 'administration'");
    ASSERT_FALSE(rows.empty());
    for (const auto& row : rows) {
        const Bytes entry = from_hex(row[0]).value();
        EXPECT_EQ(entry.size(), act_entry_bytes);
        const auto& id = person.id.uuid().bytes();
        EXPECT_TRUE(std::ranges::search(entry, id).empty());
    }
}

TEST(AdministrationLog, WorkersAtTheSameTimeMakeOneEntryOfEachAct) {
    Acts t;
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 5; ++i) t.service.make_person();
        std::vector<awaitable<void>> works;
        for (int worker = 0; worker < 4; ++worker) works.push_back(t.log().work());
        for (const auto& ended : run_all(std::move(works), 4)) EXPECT_TRUE(ended);
    }
    EXPECT_EQ(t.all().size(), 51U);
    EXPECT_EQ(one(t.service, "SELECT count(*) FROM administration_acts WHERE is_logged = FALSE"), "0");
    const ActFindings findings = t.verify();
    EXPECT_TRUE(findings.log.are_none());
    EXPECT_EQ(findings.entries, 51U);
    EXPECT_EQ(findings.evidence, 51U);
}

TEST(AdministrationLog, IsOffWithTheConsentLogAndSaysLaterWhatIsLate) {
    Acts t({{"CONSENT_LOG_ENABLE", "false"}});
    EXPECT_EQ(t.service.get("/consent-log/administration/checkpoint").status, 404U);
    t.service.make_person();
    t.service.pass(std::chrono::minutes{5});
    t.service.restart({{"CONSENT_LOG_ENABLE", "true"}});
    t.service.make_person();
    const auto acts = t.all();
    ASSERT_THAT(acts, SizeIs(3)) << "with the chief";
    EXPECT_TRUE(acts[0].is_late);
    EXPECT_TRUE(acts[1].is_late);
    EXPECT_FALSE(acts[2].is_late);
}

TEST(AdministrationLog, NamesWhatWasChangedInTheDatabase) {
    Acts t;
    const Person person = t.service.make_person();
    t.service.make_person();
    ASSERT_THAT(t.all(), SizeIs(3)) << "with the chief";
    ASSERT_THAT(t.texts(), IsEmpty());
    for (const char* table : {"administration_acts", "log_entries", "log_subjects"})
        t.service.sql("CREATE TABLE kept_" + std::string(table) + " AS SELECT * FROM " + table);
    const std::string second = "(SELECT id FROM log_entries WHERE log = 'administration' AND position = 1)";
    const auto tampered = [&](const std::string& edit, const auto& matcher) {
        t.service.sql(edit);
        EXPECT_THAT(t.texts(), matcher) << edit;
        for (const char* table : {"administration_acts", "log_entries", "log_subjects"}) {
            t.service.sql("DELETE FROM " + std::string(table));
            t.service.sql("INSERT INTO " + std::string(table) + " SELECT * FROM kept_" + table);
        }
        ASSERT_THAT(t.texts(), IsEmpty()) << "after " << edit;
    };
    tampered("UPDATE administration_acts SET metadata = NULL WHERE id = " + second,
             ElementsAre("The evidence of entry 1 was altered in the database."));
    tampered("UPDATE administration_acts SET acted_at = acted_at - 1 WHERE id = " + second,
             ElementsAre("The evidence of entry 1 was altered in the database."));
    tampered("UPDATE administration_acts SET actor_id = '" + person.id.text() + "' WHERE id = " + second,
             ElementsAre("The evidence of entry 1 was altered in the database."));
    tampered("DELETE FROM administration_acts WHERE id = " + second,
             ElementsAre("The evidence of entry 1 is missing from the database."));
    tampered("UPDATE log_entries SET salt = NULL WHERE id = " + second, ElementsAre(deleted_early(1)));
    tampered("DELETE FROM log_entries WHERE id = " + second, ElementsAre("Entry 1 is missing from the database."));
    tampered("UPDATE log_entries SET entry = " + t.service.literal(Bytes(act_entry_bytes, 4)) + " WHERE id = " + second,
             Contains("Entry 1 was altered in the database."));
    tampered("UPDATE log_entries SET position = 9 WHERE id = " + second,
             ElementsAre("Entry 1 is at position 9 in the database."));
    tampered("UPDATE log_subjects SET tag = " + t.service.literal(Bytes(16, 7)) + " WHERE user_id = '" +
                 person.id.text() + "'",
             Contains(HasSubstr("belongs to an account whose tag was altered")));
    tampered("DELETE FROM log_subjects WHERE user_id = '" + person.id.text() + "'",
             Contains(HasSubstr("belongs to an account whose tag was altered")));
    // The statements of an erasure, without its entry in the consent log, or with one that this log never gets.
    const std::string acts = "administration_acts WHERE subject_id = '" + person.id.text() + "'";
    const std::int64_t place =
        std::stoll(one(t.service, "SELECT position FROM log_entries WHERE id IN (SELECT id FROM " + acts + ")"));
    const auto erase_by_hand = [&](const std::string& last) {
        t.service.sql("UPDATE log_entries SET salt = NULL WHERE id IN (SELECT id FROM " + acts + ")");
        t.service.sql("DELETE FROM " + acts);
        t.service.sql("UPDATE users SET erased_at = 1 WHERE id = '" + person.id.text() + "'");
        tampered(last, ElementsAre(deleted_early(place)));
        t.service.sql("UPDATE users SET erased_at = NULL WHERE id = '" + person.id.text() + "'");
    };
    const auto tag = run(SubjectRepository(t.service.app().services().database).find(person.id));
    const std::string erasure = t.service.literal(format_entry(ErasureEntry{.time = {}, .subject = tag.value()}));
    erase_by_hand("DELETE FROM log_subjects WHERE user_id = '" + person.id.text() + "'");
    erase_by_hand("UPDATE log_subjects SET tag = " + t.service.literal(Bytes(16, 7)) + " WHERE user_id = '" +
                  person.id.text() + "'");
    erase_by_hand("INSERT INTO log_entries (id, log, entry, position) VALUES ('" + Uuid::v7(TimePoint{}).text() +
                  "', 'consent', " + erasure + ", 1000)");
    // The zeros that stand for the operator are no account.
    t.service.sql("UPDATE log_entries SET salt = NULL WHERE id = " + second);
    tampered("INSERT INTO log_entries (id, log, entry) VALUES ('" + Uuid::v7(TimePoint{}).text() + "', 'consent', " +
                 t.service.literal(format_entry(ErasureEntry{})) + ")",
             ElementsAre(deleted_early(1)));
    // Marking an act as new causes no second entry, and stops nothing.
    t.service.sql("UPDATE administration_acts SET is_logged = FALSE");
    EXPECT_EQ(t.all().size(), 3U);
    EXPECT_THAT(t.texts(), IsEmpty());
}

// An entry would name no account, and bytes beyond the length would be written past the tag.
// An intruder with write access to the database writes what the service never does, so that nothing else is compared.
TEST(AdministrationLog, NamesAValueOfAnotherType) {
    if (on_shared_engines()) GTEST_SKIP() << "PostgreSQL refuses it";
    Acts t;
    t.make();
    t.make();
    ASSERT_EQ(t.all().size(), 3U);
    const auto kept = t.service.get("/consent-log/administration/checkpoint").body;
    const auto id_at = [&](int position) {
        return one(t.service, "SELECT id FROM log_entries WHERE log = 'administration' AND position = " +
                                  std::to_string(position));
    };
    const std::string id = id_at(2);
    t.service.sql("UPDATE log_entries SET salt = 'text' WHERE id = '" + id + "'");
    const auto found = t.texts(kept);
    EXPECT_THAT(found, Contains("The salt of the row " + id + " of log_entries is of a wrong type."));
    EXPECT_THAT(found, Contains(HasSubstr("not all entries could be compared")));
    EXPECT_THAT(found, Not(Contains(HasSubstr("set back")))) << "what was not compared proves nothing";

    const std::string act = id_at(1);
    t.service.sql("UPDATE administration_acts SET acted_at = 'then' WHERE id = '" + act + "'");
    EXPECT_THAT(t.texts(), Contains("The acted_at of the row " + act + " of administration_acts is of a wrong type."));
    t.service.sql("UPDATE logs SET published = 'all' WHERE name = 'administration'");
    EXPECT_THAT(t.texts(), Contains(HasSubstr("not all entries could be compared")));
}

TEST(AdministrationLog, TakesInNoActForATagOfAnotherLength) {
    Acts t;
    const Person person = t.service.make_person();
    ASSERT_THAT(t.all(), SizeIs(2)) << "with the chief";
    t.service.sql("UPDATE log_subjects SET tag = " + t.service.literal(Bytes(17, 7)) + " WHERE user_id = '" +
                  person.id.text() + "'");
    t.service.sql("UPDATE administration_acts SET is_logged = FALSE");
    EXPECT_THROW(t.work(), std::logic_error);
    EXPECT_EQ(one(t.service, "SELECT count(*) FROM administration_acts WHERE is_logged = FALSE"), "2");
}

// After a new log began, or an act was marked before the sequencer saw it.
TEST(AdministrationLog, CountsActsThatAreMarkedAsLoggedAndHaveNoEntry) {
    Acts t;
    t.service.make_person();
    EXPECT_THAT(t.all(), SizeIs(2)) << "with the chief";
    EXPECT_EQ(t.verify().unlogged, 0U);
    t.service.sql("DELETE FROM log_entries WHERE log = 'administration'");
    EXPECT_EQ(t.verify().unlogged, 0U) << "the comparison of the log names both";
    t.service.sql("DELETE FROM logs WHERE name = 'administration'");
    std::filesystem::remove_all(t.service.folder() / "data" / "storage" / "private" / "administration-log");
    t.service.restart({});
    t.service.make_person();
    EXPECT_THAT(t.all(), SizeIs(1));
    EXPECT_THAT(t.texts(), IsEmpty()) << "of the log";
    EXPECT_EQ(t.verify().unlogged, 2U);
    EXPECT_FALSE(t.verify().are_none());
    t.service.sql("UPDATE administration_acts SET is_logged = FALSE");
    EXPECT_THAT(t.all(), SizeIs(3));
    EXPECT_TRUE(t.verify().are_none());
}

TEST(AdministrationLog, TrustsTheGivenKeyAlone) {
    Acts t;
    t.work();
    EXPECT_TRUE(t.verify(t.key()).log.are_none());
    const auto other = tlog::NoteSigner::generate(t.key().name(), tlog::KeyType::ed25519).value().verifier();
    EXPECT_FALSE(t.verify(other).log.are_none());
}

// A log, and a witness that knows it. The policy names the consent log alone, as the file for verifiers does.
struct WitnessedActs {
    static constexpr std::uint8_t seed = 5;
    static tlog::NoteSigner signer() {
        const Bytes secret = crypto::hkdf_sha256(Bytes(32, seed), "consentry administration log v1", 32);
        return tlog::NoteSigner::from_seed("log.example.org/administration", tlog::KeyType::ed25519, secret).value();
    }
    static tlog::NoteSigner consent_signer() {
        return tlog::NoteSigner::from_seed("log.example.org/consent", tlog::KeyType::ed25519, Bytes(32, seed)).value();
    }
    Environment settings() const {
        std::ofstream(folder / "witnesses.txt") << "log " << consent_signer().verifier().text() << "\n"
                                                << witness.line() << "quorum one.example.org\n";
        return {{"CONSENT_LOG_PRIVATE_KEY", crypto::PrivateKey::from_ed25519_seed(Bytes(32, seed)).value().pem()},
                {"CONSENT_LOG_ORIGIN", "log.example.org"},
                {"CONSENT_LOG_WITNESSES", (folder / "witnesses.txt").string()}};
    }
    // Until the witness has cosigned all acts; the service's own rounds may be under way meanwhile.
    bool is_cosigned() {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        do {
            t.all();
            t.service.clock().advance(std::chrono::seconds{1});
            run(t.service.app().services().administration_cosigning->work());
            const std::string note = t.service.get("/consent-log/administration/checkpoint").body;
            const auto opened = tlog::open_checkpoint(note, signer().verifier());
            if (opened && opened->note.signatures.size() == 2 && opened->checkpoint.size == t.all().size()) return true;
        } while (std::chrono::steady_clock::now() < deadline);
        return false;
    }

    const TempFolder folder;
    TestWitness witness{"one.example.org", 11, {signer().verifier(), consent_signer().verifier()}};
    Acts t{settings()};
};

TEST(AdministrationLog, HasTheCosignaturesOfWitnesses) {
    WitnessedActs given;
    given.t.make();
    ASSERT_TRUE(given.is_cosigned());
    const ActFindings findings = given.t.verify(given.t.key());
    EXPECT_THAT(given.t.texts(), IsEmpty());
    ASSERT_TRUE(findings.cosigned);
    EXPECT_EQ(findings.cosigned->checkpoint.size, given.t.all().size());
    ASSERT_THAT(findings.cosigned->cosignatures, SizeIs(1));
    EXPECT_EQ(findings.cosigned->cosignatures[0].witness, "one.example.org");
    // Acts that the witness has not seen yet are no finding.
    given.witness.fail_with(TestWitness::Fault{});
    given.t.make();
    given.t.all();
    EXPECT_THAT(given.t.texts(), IsEmpty());
}

TEST(AdministrationLog, ALogThatNoWitnessHasCosignedWasNotChanged) {
    WitnessedActs given;
    given.witness.fail_with(TestWitness::Fault{});
    given.t.make();
    given.t.all();
    const ActFindings findings = given.t.verify();
    ASSERT_THAT(findings.log.found, SizeIs(1));
    EXPECT_EQ(findings.log.found[0].fault, LogFault::witness);
    EXPECT_EQ(findings.log.found[0].text,
              "The quorum of the witnesses has not cosigned the log yet. If it ever had, the log was written anew.");
}

// The operator has the database and the key, and can write and sign another log.
TEST(AdministrationLog, WhatWitnessesHaveSeenCannotBeRewritten) {
    WitnessedActs given;
    given.t.make();
    ASSERT_TRUE(given.is_cosigned());
    const std::string cosigned =
        one(given.t.service, "SELECT cosigned_checkpoint FROM logs WHERE name = 'administration'");
    given.t.service.sql("DELETE FROM log_entries WHERE log = 'administration'");
    given.t.service.sql("DELETE FROM logs WHERE name = 'administration'");
    given.t.service.sql("DELETE FROM administration_acts WHERE code = 12");
    given.t.service.sql("UPDATE administration_acts SET is_logged = FALSE");
    std::filesystem::remove_all(given.t.service.folder() / "data" / "storage" / "private" / "administration-log");
    given.t.service.restart({});
    given.t.all();
    EXPECT_THAT(given.t.texts(), Contains(HasSubstr("quorum of the witnesses has not cosigned the log")));
    given.t.service.sql("UPDATE logs SET cosigned_checkpoint = '" + cosigned + "' WHERE name = 'administration'");
    EXPECT_THAT(given.t.texts(), Contains(HasSubstr("are not those that the witnesses have cosigned")));
}

// A reader without witnesses keeps the checkpoint. The log that the operator signs later is consistent in itself.
TEST(AdministrationLog, WhatAReaderHasKeptCannotBeRewritten) {
    Acts t;
    t.make();
    t.service.make_person();
    const std::size_t size = t.all().size();
    const std::string kept = t.service.get("/consent-log/administration/checkpoint").body;
    EXPECT_THAT(t.texts(kept), IsEmpty());
    t.service.make_person();
    t.all();
    EXPECT_THAT(t.texts(kept), IsEmpty());
    const auto rewritten_without = [&](const std::string& acts) {
        t.service.sql("DELETE FROM log_entries WHERE log = 'administration'");
        t.service.sql("DELETE FROM logs WHERE name = 'administration'");
        t.service.sql("DELETE FROM administration_acts WHERE " + acts);
        std::filesystem::remove_all(t.service.folder() / "data" / "storage" / "private" / "administration-log");
        t.service.restart({});
        t.service.sql("UPDATE administration_acts SET is_logged = FALSE");
        t.all();
        EXPECT_THAT(t.texts(), IsEmpty());
        return t.texts(kept);
    };
    const std::string first = "The first " + std::to_string(size) + " entries in the database are not those";
    EXPECT_THAT(rewritten_without("1 = 0"), ElementsAre(HasSubstr(first + " of the checkpoint that was kept.")));
    EXPECT_THAT(rewritten_without("1 = 1"), ElementsAre("The log has 0 entries, but the checkpoint that was kept has " +
                                                        std::to_string(size) + ": it was set back."));
    EXPECT_THAT(t.texts("nonsense"), ElementsAre(HasSubstr("The checkpoint that was kept is not one of the log: ")));
}

// The entries stay, and every proof with them. What they name by digest goes.
TEST(AdministrationLog, EvidenceGoesWithItsRetention) {
    Acts t({{"ACTIVITY_LOG_RETENTION_IN_DAYS", "30"}});
    t.service.make_person();
    t.work();
    t.service.pass(std::chrono::days{20});
    t.service.make_person();
    t.work();
    t.service.pass(std::chrono::days{20});
    run(t.service.app().services().activity.forget_old());
    EXPECT_EQ(one(t.service, "SELECT count(*) FROM administration_acts"), "1");
    const ActFindings findings = t.verify();
    EXPECT_TRUE(findings.log.are_none());
    EXPECT_EQ(findings.entries, 3U);
    EXPECT_EQ(findings.evidence, 1U);
    EXPECT_EQ(t.checkpoint().size, 3U);
}

// If the clean-up stops between two transactions, the next one has less to do.
TEST(AdministrationLog, EvidenceOfTheSameAgeGoesInPortions) {
    Acts t;
    t.add_acts(t.service.make_person(), 600);
    t.all();
    t.service.pass(std::chrono::days{40});
    const auto acts = [&] { return one(t.service, "SELECT count(*) FROM administration_acts"); };
    ASSERT_EQ(acts(), "602");
    const TimePoint before = t.service.clock().now() - std::chrono::days{30};
    storage::Database& real = t.service.app().services().database;
    int writes = 0;
    FaultyDatabase database(real, [&](std::string_view call) {
        if ((call == "commit" || call == "write") && ++writes > 1) throw Unavailable("injected fault");
    });
    EXPECT_THROW(run(ActRepository(database).erase_older(before, true)), Unavailable);
    EXPECT_EQ(acts(), "352");
    EXPECT_EQ(t.acts_without_salt(), "0");
    EXPECT_EQ(t.salts_without_act(), "0");
    run(ActRepository(real).erase_older(before, true));
    EXPECT_EQ(acts(), "0");
    EXPECT_EQ(t.salts_without_act(), "0");
}

// Regression: the setting may have been shorter when the evidence went.
TEST(AdministrationLog, EvidenceThatWentWithAShorterRetentionIsNotMissed) {
    Acts t({{"ACTIVITY_LOG_RETENTION_IN_DAYS", "30"}});
    t.service.make_person();
    t.work();
    t.service.pass(std::chrono::days{40});
    run(t.service.app().services().activity.forget_old());
    ASSERT_EQ(one(t.service, "SELECT count(*) FROM administration_acts"), "0");
    EXPECT_THAT(t.texts(), IsEmpty());
    for (const char* later : {"365", "0"}) {
        t.service.restart({{"ACTIVITY_LOG_RETENTION_IN_DAYS", later}});
        EXPECT_THAT(t.texts(), ElementsAre(deleted_early(0, later), deleted_early(1, later)));
        EXPECT_THAT(t.texts_with_retention(std::chrono::days{30}), IsEmpty()) << later;
        EXPECT_THAT(t.texts_with_retention(std::chrono::days{41}),
                    ElementsAre("The evidence of entry 0 was deleted before its time: --retention is 41.",
                                HasSubstr("entry 1")))
            << later << ": it is younger than that";
    }
    t.service.restart({{"ACTIVITY_LOG_RETENTION_IN_DAYS", "30"}});
    EXPECT_THAT(t.texts_with_retention(std::chrono::days{41}), IsEmpty()) << "the shorter one counts";
}

TEST(AdministrationLog, NoErasureIsFasterThanTheEntryOfAnAct) {
    Acts t({{"ACCOUNT_ERASE_AFTER_IN_DAYS", "0"}});
    const Person person = t.service.make_person();
    const auto rows = [&] {
        return one(t.service, "SELECT count(*) FROM users WHERE id = '" + person.id.text() + "'");
    };
    t.all();
    t.service.break_writes("UPDATE OF is_logged ON administration_acts");
    Services& services = t.service.app().services();
    ASSERT_TRUE(run(services.accounts.delete_by(Actor::operator_at_the_machine(), person.id, {})));
    settle_mails(t.service);
    run(services.accounts.erase_deleted());
    EXPECT_EQ(rows(), "1") << "its deletion is in no log yet";
    t.service.mend_writes();
    const auto acts = t.all();
    EXPECT_EQ(act_name(acts.back().code), "adminUserDelete");
    run(services.accounts.erase_deleted());
    EXPECT_EQ(rows(), "0");
    EXPECT_EQ(t.all().size(), acts.size());
}

TEST(AdministrationLog, NoRetentionEndsBeforeTheEntryOfAnAct) {
    Acts t({{"ACTIVITY_LOG_RETENTION_IN_DAYS", "30"}});
    const std::size_t before = t.all().size();
    t.service.break_writes("UPDATE OF is_logged ON administration_acts");
    t.service.make_person();
    t.service.clock().advance(std::chrono::days{31});
    run(t.service.app().services().activity.forget_old());
    t.service.mend_writes();
    EXPECT_EQ(t.all().size(), before + 1);
}

TEST(AdministrationLog, NothingWaitsForALogThatIsOff) {
    Acts t({{"ACCOUNT_ERASE_AFTER_IN_DAYS", "0"}, {"CONSENT_LOG_ENABLE", "false"}});
    const Person person = t.service.make_person();
    Services& services = t.service.app().services();
    ASSERT_TRUE(run(services.accounts.delete_by(Actor::operator_at_the_machine(), person.id, {})));
    settle_mails(t.service);
    settle_acts(t.service);
    run(services.accounts.erase_deleted());
    EXPECT_EQ(one(t.service, "SELECT count(*) FROM users WHERE id = '" + person.id.text() + "'"), "0");
}

TEST(AdministrationLog, EvidenceGoesWithTheAccount) {
    Acts t;
    const Person person = t.deleted_person();
    run(t.service.app().services().accounts.erase_deleted());
    EXPECT_EQ(one(t.service, "SELECT count(*) FROM administration_acts WHERE subject_id = '" + person.id.text() + "'"),
              "0");
    const ActFindings findings = t.verify();
    EXPECT_TRUE(findings.log.are_none()) << findings.log.found.front().text;
    EXPECT_EQ(findings.entries, 3U);
    EXPECT_EQ(findings.evidence, 1U) << "that of the chief";
}

// No statement takes long, however many acts an account has. Between two portions, the log explains what is gone.
TEST(AdministrationLog, EvidenceOfManyActsGoesInPortions) {
    Acts t;
    const Person person = t.deleted_person();
    t.add_acts(person, 600);
    t.all();
    ASSERT_THAT(t.texts(), IsEmpty());
    std::vector<std::int64_t> left{t.acts_of(person)};
    FaultyDatabase database(
        t.service.app().services().database, [](std::string_view) {},
        [&] {
            left.push_back(t.acts_of(person));
            EXPECT_LE(left.rbegin()[1] - left.back(), 250);
            EXPECT_EQ(t.salts_without_act(), "0");
            EXPECT_EQ(t.acts_without_salt(), "0");
            const ActFindings findings = t.verify();
            EXPECT_THAT(Acts::texts_of(findings), IsEmpty()) << "while " << left.back() << " acts remain";
            EXPECT_EQ(findings.evidence, static_cast<std::uint64_t>(left.back() + 1)) << "with that of the chief";
        });
    Accounts accounts = accounts_on(database, t.service);
    run(accounts.erase_deleted());
    EXPECT_THAT(left, ElementsAre(602, 352, 102, 0));
    EXPECT_EQ(one(t.service, "SELECT count(*) FROM users WHERE id = '" + person.id.text() + "'"), "0");
}

TEST(AdministrationLog, AnErasureThatStoppedGoesOn) {
    Acts t;
    const Person person = t.deleted_person();
    t.add_acts(person, 600);
    t.all();
    Services& services = t.service.app().services();
    int commits = 0;
    FaultyDatabase database(services.database, [&](std::string_view call) {
        if (call == "commit" && ++commits > 1) throw Unavailable("injected fault");
    });
    Accounts accounts = accounts_on(database, t.service);
    EXPECT_THROW(run(accounts.erase_deleted()), Unavailable);
    EXPECT_EQ(t.acts_of(person), 352);
    run(services.accounts.erase_deleted());
    EXPECT_EQ(t.acts_of(person), 0);
    EXPECT_EQ(one(t.service, "SELECT count(*) FROM users WHERE id = '" + person.id.text() + "'"), "0");
    EXPECT_THAT(t.texts(), IsEmpty());
}

// Wherever it comes between two statements of the comparison.
TEST(AdministrationLog, AnErasureMeanwhileIsNoFinding) {
    const auto key = crypto::PrivateKey::from_ed25519_seed(Bytes(32, 5)).value();
    Acts t({{"CONSENT_LOG_PRIVATE_KEY", key.pem()}, {"CONSENT_LOG_ORIGIN", "log.example.org"}});
    Services& services = t.service.app().services();
    int statement = 0;
    int statements = 0;
    do {
        t.deleted_person();
        statements = 0;
        FaultyDatabase database(services.database, [&](std::string_view call) {
            if (call == "read" && statements++ == statement) run(services.accounts.erase_deleted());
        });
        AdministrationLog log(database, services.object_store, t.service.clock(),
                              {.consent_key = key, .origin = "log.example.org", .witness_lines = {}});
        EXPECT_THAT(Acts::texts_of(run(log.verify({}))), IsEmpty()) << "before statement " << statement;
    } while (++statement < statements);
    EXPECT_GT(statements, 5);
}

// No statement looks at all rows.
TEST(AdministrationLog, AVerificationReadsInPortions) {
    const auto key = crypto::PrivateKey::from_ed25519_seed(Bytes(32, 5)).value();
    Acts t({{"CONSENT_LOG_PRIVATE_KEY", key.pem()}, {"CONSENT_LOG_ORIGIN", "log.example.org"}});
    Services& services = t.service.app().services();
    t.deleted_person();
    run(services.accounts.erase_deleted());
    const Person person = t.service.make_person();
    t.all();
    int reads = 0;
    const auto unlogged = [&] {
        reads = 0;
        FaultyDatabase database(services.database, [&](std::string_view call) { reads += call == "read" ? 1 : 0; });
        AdministrationLog log(database, services.object_store, t.service.clock(),
                              {.consent_key = key, .origin = "log.example.org", .witness_lines = {}});
        const ActFindings findings = run(log.verify({}));
        EXPECT_THAT(Acts::texts_of(findings), IsEmpty());
        return findings.unlogged;
    };
    EXPECT_EQ(unlogged(), 0U);
    const int of_few = reads;
    t.add_acts(person, 2'500, true);
    EXPECT_EQ(unlogged(), 2'500U);
    EXPECT_EQ(reads, of_few + 2 * 2) << "two portions more";
    std::string rows;
    for (int i = 0; i < 2'500; ++i)
        rows += (rows.empty() ? "('" : ", ('") + Uuid::v7(TimePoint{}).text() + "', 'another', " +
                t.service.literal(Bytes(erasure_entry_bytes, 0)) + ")";
    t.service.sql("INSERT INTO log_entries (id, log, entry) VALUES " + rows);
    EXPECT_EQ(unlogged(), 2'500U);
    EXPECT_EQ(reads, of_few + 2 * 4) << "before the entry of the erasure";
}

}  // namespace
}  // namespace consentry::tests
