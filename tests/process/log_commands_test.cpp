// The commands that show and verify the administration log, with and without a running service.
#include <fstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "tests/process/terminal.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"
#include "tlog/note_keys.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;

class LogCommands : public ::testing::Test {
protected:
    LogCommands() { make_data(folder_.path()); }
    Finished run(std::vector<std::string> arguments, const Settings& settings = quick_settings()) const {
        return run_program(arguments, folder_.path(), settings);
    }
    json::value json_of(std::vector<std::string> arguments) const {
        arguments.emplace_back("--json");
        return json::parse(run(std::move(arguments)).out);
    }
    void create_key() const { EXPECT_EQ(run({"apikey", "create", "--name", "shop", "--type", "default"}).code, 0); }
    void sql(const std::string& statement) const { run_sql(folder_.path() / "data/consentry.db", statement); }
    const TempFolder folder_;
};

TEST_F(LogCommands, ShowWhoDidWhat) {
    make_person(folder_.path(), "ada@example.org", "admin");
    create_key();
    EXPECT_EQ(run({"clean-up"}).code, 0) << "nothing serves, so nothing has logged the acts yet";
    const Finished shown = run({"log", "show", "admin"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_THAT(shown.out, ::testing::MatchesRegex("0\t[^\t]*Z\tadminUserCreate\toperator\tada@example.org\n"
                                                   "1\t[^\t]*Z\tadminApiKeyCreate\toperator\t-\n"));
    Terminal terminal({"log", "show", "admin"}, folder_.path(), quick_settings({{"NO_COLOR", "1"}}));
    EXPECT_THAT(
        terminal.end().first,
        ::testing::MatchesRegex("INDEX  TIME +ACTION +ACTOR +SUBJECT\r\n0      [^ ]*Z  adminUserCreate +operator  "
                                "ada@example.org\r\n1 .*\r\n"));
    const auto newest = json_of({"log", "show", "admin", "--limit", "1"}).as_array();
    ASSERT_EQ(newest.size(), 1U);
    EXPECT_EQ(newest[0].at("index"), 1);
    EXPECT_EQ(newest[0].at("action"), "adminApiKeyCreate");
    EXPECT_TRUE(newest[0].at("actor").is_null()) << "the operator";
}

TEST_F(LogCommands, ShowWhatTheOperatorDoesToKeys) {
    EXPECT_EQ(run({"keys", "rotate"}).code, 0);
    EXPECT_EQ(run({"keys", "epoch", "raise"}).code, 0);
    EXPECT_EQ(run({"clean-up"}).code, 0);
    EXPECT_THAT(run({"log", "show", "admin"}).out,
                ::testing::MatchesRegex("0\t[^\t]*Z\tadminKeysRotate\toperator\t-\n"
                                        "1\t[^\t]*Z\tadminEpochRaise\toperator\t-\n"));
}

TEST_F(LogCommands, VerifyBesideARunningServiceAndWithoutOne) {
    make_person(folder_.path(), "ada@example.org", "superAdmin");
    std::string key;
    {
        const ServiceProcess service(folder_.path());
        const Answer facts = service.client().get("/.well-known/consent-log");
        key = json::parse(facts.body).at("administration").at("verifierKey").as_string();
        create_key();
        const Finished verified = run({"log", "verify", "admin", "--key", key});
        EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    }
    EXPECT_EQ(run({"clean-up"}).code, 0);
    const Finished verified = run({"log", "verify", "admin", "--key", key});
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    EXPECT_THAT(verified.out, HasSubstr("the database matches the signed checkpoint of 2 entries; 2 of 2"));
    EXPECT_EQ(run({"log", "verify", "admin", "--retention", "30"}).code, 0);

    sql("UPDATE administration_acts SET metadata = NULL WHERE code = 12");
    sql("DELETE FROM log_entries WHERE log = 'administration' AND position = 0");
    const Finished changed = run({"log", "verify", "admin"});
    EXPECT_EQ(changed.code, 1);
    EXPECT_EQ(changed.out,
              "Entry 0 is missing from the database.\nThe evidence of entry 1 was altered in the database.\n");
    EXPECT_THAT(changed.err, HasSubstr("was changed after it was signed"));
    const json::value found = json_of({"log", "verify", "admin"});
    EXPECT_EQ(found.at("ok"), false);
    EXPECT_EQ(found.at("findings").at(0).at("fault"), "missing");
    EXPECT_EQ(found.at("findings").at(0).at("index"), 0);
}

TEST_F(LogCommands, TellWhereAValueIsOfAnotherType) {
    create_key();
    EXPECT_EQ(run({"clean-up"}).code, 0);
    sql("UPDATE log_entries SET salt = 'text' WHERE log = 'administration'");
    const Finished shown = run({"log", "show", "admin"});
    EXPECT_EQ(shown.code, 1);
    EXPECT_THAT(shown.err, HasSubstr("run `consentry log verify admin`, which names them"));
    const Finished verified = run({"log", "verify", "admin"});
    EXPECT_EQ(verified.code, 1);
    EXPECT_THAT(verified.out, ::testing::ContainsRegex("The salt of the row [-0-9a-f]+ of log_entries is of a wrong"));
    EXPECT_FALSE(json_of({"log", "verify", "admin"}).at("ok").as_bool());
}

// Each verdict is that of the gravest finding.
TEST_F(LogCommands, VerifyAccusesOnlyALogThatWasChanged) {
    create_key();
    EXPECT_EQ(run({"clean-up"}).code, 0);
    const auto witness =
        tlog::NoteSigner::from_seed("one.example.org", tlog::KeyType::cosignature, Bytes(32, 1)).value();
    std::ofstream(folder_ / "witnesses") << "witness one " << witness.verifier().text()
                                         << " https://one.example.org\nquorum one\n";
    const Settings with_witness = quick_settings({{"CONSENT_LOG_WITNESSES", (folder_ / "witnesses").string()}});
    const Finished uncosigned = run({"log", "verify", "admin"}, with_witness);
    EXPECT_EQ(uncosigned.code, 1);
    EXPECT_EQ(uncosigned.out,
              "The quorum of the witnesses has not cosigned the log yet. If it ever had, the log was written anew.\n");
    EXPECT_THAT(uncosigned.err, HasSubstr("/administration: the quorum of the witnesses has not cosigned the log\n"));
    std::filesystem::remove_all(folder_ / "data/storage/private/administration-log/tile");
    const Finished damaged = run({"log", "verify", "admin"});
    EXPECT_EQ(damaged.code, 1);
    EXPECT_THAT(damaged.err, HasSubstr("/administration: the published log is incomplete or damaged\n"));
}

TEST_F(LogCommands, VerifyTellsWhatToDoAboutActsWithoutAnEntry) {
    create_key();
    sql("UPDATE administration_acts SET is_logged = TRUE");
    EXPECT_EQ(run({"clean-up"}).code, 0);
    const Finished verified = run({"log", "verify", "admin"});
    EXPECT_EQ(verified.code, 1);
    EXPECT_EQ(
        verified.out,
        "1 acts are marked as logged, but have no entry in the log. Run UPDATE administration_acts SET is_logged = "
        "FALSE in the database; the service then adds the missing entries.\n");
    EXPECT_THAT(verified.err, HasSubstr("/administration: the log lacks acts"));
    const json::value found = json_of({"log", "verify", "admin"});
    EXPECT_EQ(found.at("ok"), false);
    EXPECT_EQ(found.at("unlogged"), 1);
    sql("UPDATE administration_acts SET is_logged = FALSE");
    EXPECT_EQ(run({"clean-up"}).code, 0);
    EXPECT_EQ(run({"log", "verify", "admin"}).code, 0);
    EXPECT_EQ(json_of({"log", "verify", "admin"}).at("unlogged"), 0);
}

// Each installation has two logs. Taken for the other one, a key or a checkpoint would accuse a log that is sound.
TEST_F(LogCommands, TellTheTwoLogsApart) {
    std::string consent_key;
    std::string administration_key;
    {
        const ServiceProcess service(folder_.path());
        const json::value facts = json::parse(service.client().get("/.well-known/consent-log").body);
        consent_key = facts.at("verifierKey").as_string();
        administration_key = facts.at("administration").at("verifierKey").as_string();
        std::ofstream(folder_ / "consent") << service.client().get("/consent-log/checkpoint").body;
        std::ofstream(folder_ / "administration")
            << service.client().get("/consent-log/administration/checkpoint").body;
    }
    const struct {
        std::vector<std::string> command;
        std::string key, checkpoint, other_key, other_checkpoint, kind;
    } cases[] = {{{"log", "verify", "admin"},
                  administration_key,
                  "administration",
                  consent_key,
                  "consent",
                  "/consent, not of an administration log\n"},
                 {{"verify", "database"},
                  consent_key,
                  "consent",
                  administration_key,
                  "administration",
                  "/administration, not of a consent log\n"}};
    for (const auto& one : cases) {
        const auto verify = [&](const std::string& option, const std::string& value) {
            auto arguments = one.command;
            arguments.insert(arguments.end(), {option, value});
            return run(arguments);
        };
        const Finished sound = verify("--key", one.key);
        EXPECT_EQ(sound.code, 0) << sound.out << sound.err;
        const Finished kept = verify("--checkpoint", one.checkpoint);
        EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
        for (const Finished& refused : {verify("--key", one.other_key), verify("--checkpoint", one.other_checkpoint)}) {
            EXPECT_EQ(refused.code, 2) << refused.out;
            EXPECT_EQ(refused.out, "");
            EXPECT_THAT(refused.err, HasSubstr(one.kind));
        }
        EXPECT_THAT(verify("--key", one.other_key).err, HasSubstr("consentry: --key: this is the key of "));
        EXPECT_THAT(verify("--checkpoint", one.other_checkpoint).err,
                    HasSubstr("consentry: --checkpoint: " + one.other_checkpoint + " is a checkpoint of "));
    }
}

TEST_F(LogCommands, RefuseWhatTheyCannotUse) {
    EXPECT_EQ(run({"log"}).code, 2);
    EXPECT_EQ(run({"log", "show", "other"}).code, 2);
    EXPECT_EQ(run({"log", "show", "admin", "--limit", "0"}).code, 2);
    for (const char* days : {"0", "36501", "month"})
        EXPECT_EQ(run({"log", "verify", "admin", "--retention", days}).code, 2) << days;
    const Finished typo = run({"log", "verify", "admin", "--key", "log.example.com+00000000+AAAA"});
    EXPECT_EQ(typo.code, 2);
    EXPECT_THAT(typo.err, HasSubstr("--key"));
    const Finished off = run({"log", "show", "admin"}, quick_settings({{"CONSENT_LOG_ENABLE", "false"}}));
    EXPECT_EQ(off.code, 2);
    EXPECT_THAT(off.err, HasSubstr("CONSENT_LOG_ENABLE"));
}

}  // namespace
}  // namespace consentry::tests
