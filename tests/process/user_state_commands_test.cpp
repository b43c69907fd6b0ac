// The commands that show accounts and sessions and change who may log in, next to a running service; and the forms in
// which results are printed.
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "tests/process/terminal.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class UserStateCommands : public ::testing::Test {
protected:
    UserStateCommands() : ada_(make_person(folder_.path(), "ada@example.org")), service_(folder_.path()) {}
    Finished run(std::vector<std::string> arguments, std::string_view input = {}) const {
        return run_program(arguments, folder_.path(), quick_settings(), input);
    }
    Finished run_for(const Person& person, std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--email", person.email});
        return run(std::move(arguments));
    }
    json::value json_of(std::vector<std::string> arguments) const {
        arguments.emplace_back("--json");
        const Finished done = run(std::move(arguments));
        EXPECT_EQ(done.code, 0) << done.err;
        return json::parse(done.out);
    }
    std::vector<std::string> column(const std::string& statement) const {
        std::vector<std::string> out;
        for (const auto& row : run_sql(folder_.path() / "data/consentry.db", statement)) out.push_back(row.at(0));
        return out;
    }
    std::vector<std::string> acts() const {
        return column("SELECT code FROM administration_acts ORDER BY acted_at, id");
    }
    HttpClient client() const { return service_.client(); }
    std::string client_url() const { return "http://127.0.0.1:" + std::to_string(service_.port()); }

    const TempFolder folder_;
    Person ada_;
    const ServiceProcess service_;
};

TEST_F(UserStateCommands, BlockingEndsSessionsAndUnblockingBringsNoneBack) {
    const TokenTexts tokens = tokens_of(client(), ada_);
    EXPECT_EQ(knock(client(), tokens.access), 200U);
    const Finished blocked = run_for(ada_, {"user", "block"});
    EXPECT_EQ(blocked.code, 0) << blocked.err;
    EXPECT_EQ(knock(client(), tokens.access), 401U);
    EXPECT_EQ(log_in(client(), ada_).code_name(), "inactiveForbidden");
    EXPECT_EQ(run_for(ada_, {"user", "block"}).code, 0) << "it already is";

    const Finished unblocked = run({"user", "unblock", "--id", ada_.id.text()});
    EXPECT_EQ(unblocked.code, 0) << unblocked.err;
    EXPECT_EQ(knock(client(), tokens.access), 401U);
    EXPECT_EQ(log_in(client(), ada_).status, 200U);
    EXPECT_THAT(acts(), ElementsAre("1", "2", "2")) << "a repetition is no act";
    EXPECT_THAT(column("SELECT action FROM activity_log WHERE user_id = '" + ada_.id.text() +
                       "' AND action IN ('userCreated', 'userBlocked', 'userUpdateStatus') ORDER BY id"),
                ElementsAre("userCreated", "userBlocked", "userUpdateStatus"));
}

TEST_F(UserStateCommands, UnblockingPromisesALoginOnlyIfTheAccountAllowsIt) {
    const auto unblocked = [&](const std::string& change) {
        EXPECT_EQ(run_for(ada_, {"user", "block"}).code, 0);
        run_sql(folder_.path() / "data/consentry.db", "UPDATE users SET " + change);
        const Finished done = run_for(ada_, {"user", "unblock"});
        EXPECT_EQ(done.code, 0) << done.err;
        return done.err;
    };
    const std::string sound = "is_verified = TRUE, password_expires_at = NULL, password_locked_until = NULL";
    EXPECT_THAT(unblocked(sound), HasSubstr("The account is active: its owner can log in.\n"));
    EXPECT_EQ(log_in(client(), ada_).status, 200U);

    EXPECT_THAT(unblocked("is_verified = FALSE"),
                AllOf(HasSubstr("The account is active. Its address is not verified"), Not(HasSubstr("can log in"))));
    EXPECT_EQ(log_in(client(), ada_).code_name(), "emailNotVerified");
    EXPECT_THAT(unblocked("is_verified = TRUE, must_change_password = TRUE, password_expires_at = 1"),
                AllOf(HasSubstr("The account is active. Its password has expired"), Not(HasSubstr("can log in"))));
    EXPECT_EQ(log_in(client(), ada_).code_name(), "passwordExpired");
    EXPECT_THAT(unblocked(sound + ", must_change_password = FALSE, password_locked_until = 9000000000000"),
                HasSubstr("The account is active: its owner can log in.\n"))
        << "unblocking lifts this lock";
    EXPECT_EQ(log_in(client(), ada_).status, 200U);
    run_sql(folder_.path() / "data/consentry.db", "UPDATE users SET password_locked_until = 9000000000000");
    EXPECT_THAT(run_for(ada_, {"user", "unblock"}).err,
                AllOf(HasSubstr("The account is active. Wrong passwords"), HasSubstr("consentry user unlock"),
                      Not(HasSubstr("can log in"))))
        << "the account was active";
    EXPECT_EQ(log_in(client(), ada_).code_name(), "passwordAttemptMax");

    EXPECT_EQ(run_for(ada_, {"user", "unlock"}).code, 0);
    turn_two_factor_on(client(), ada_);
    run_sql(folder_.path() / "data/consentry.db", "UPDATE two_factors SET locked_until = 9000000000000");
    EXPECT_THAT(unblocked(sound), AllOf(HasSubstr("The account is active. Wrong codes"), Not(HasSubstr("can log in"))));
    run_sql(folder_.path() / "data/consentry.db",
            "UPDATE two_factors SET locked_until = NULL, required_setup = TRUE, set_up_allowed_at = 1");
    EXPECT_THAT(unblocked(sound),
                AllOf(HasSubstr("consentry user two-factor reset starts it again"), Not(HasSubstr("can log in"))));
    EXPECT_EQ(log_in(client(), ada_).code_name(), "twoFactorSetupExpired");
}

TEST_F(UserStateCommands, TheLastSuperAdminStays) {
    const Person root = make_person(folder_.path(), "root@example.org", "superAdmin");
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"user", "block"}, {"user", "delete", "--yes"}}) {
        const Finished refused = run_for(root, arguments);
        EXPECT_EQ(refused.code, 1);
        EXPECT_THAT(refused.err, HasSubstr("super admin"));
    }
    EXPECT_EQ(log_in(client(), root).status, 200U);
    const Person second = make_person(folder_.path(), "second@example.org", "superAdmin");
    EXPECT_EQ(run_for(root, {"user", "delete", "--yes"}).code, 0);
    EXPECT_EQ(log_in(client(), second).status, 200U);
}

TEST_F(UserStateCommands, AnUnlockedAccountLogsInAtOnce) {
    Person wrong = ada_;
    wrong.password = "Wrong-Password-1";
    for (int i = 0; i < 6; ++i) log_in(client(), wrong);
    EXPECT_EQ(log_in(client(), ada_).code_name(), "passwordAttemptMax");
    EXPECT_FALSE(json_of({"user", "show", "--email", ada_.email}).at("passwordLockedUntil").is_null());
    const Finished unlocked = run_for(ada_, {"user", "unlock"});
    EXPECT_EQ(unlocked.code, 0) << unlocked.err;
    EXPECT_EQ(log_in(client(), ada_).status, 200U);
    EXPECT_THAT(acts(), ElementsAre("1", "36"));
}

TEST_F(UserStateCommands, ALockOfTheSecondFactorIsLiftedToo) {
    turn_two_factor_on(client(), ada_);
    const std::string challenge = log_in(client(), ada_).text("data.challengeToken");
    for (int i = 0; i < 5; ++i) verify(client(), challenge, "000000");
    EXPECT_EQ(verify(client(), challenge, code_of(ada_, 1)).code_name(), "twoFactorAttemptTemporaryLock");
    EXPECT_EQ(run_for(ada_, {"user", "unlock"}).code, 0);
    EXPECT_EQ(verify(client(), challenge, code_of(ada_, 1)).status, 200U);
}

TEST_F(UserStateCommands, ADeletionIsConfirmedAndTellsTheOwner) {
    const TokenTexts tokens = tokens_of(client(), ada_);
    const Finished unsure = run_for(ada_, {"user", "delete"});
    EXPECT_EQ(unsure.code, 2) << "to repeat it would not help";
    EXPECT_THAT(unsure.err, AllOf(HasSubstr("--yes"), HasSubstr("nothing was changed")));
    {
        Terminal terminal({"user", "delete", "--email", ada_.email}, folder_.path());
        terminal.answer("Type the address to confirm:", "bob@example.org");
        EXPECT_EQ(terminal.end().second, 1);
    }
    EXPECT_EQ(knock(client(), tokens.access), 200U);
    {
        Terminal terminal({"user", "delete", "--email", ada_.email}, folder_.path());
        terminal.answer("Type the address to confirm:", ada_.email);
        const auto [screen, code] = terminal.end();
        EXPECT_EQ(code, 0) << screen;
    }
    EXPECT_EQ(knock(client(), tokens.access), 401U);
    EXPECT_EQ(log_in(client(), ada_).code_name(), "passwordNotMatch");
    EXPECT_EQ(Mailbox(folder_ / "data/mail").wait_for(ada_.email, "accountDeleted").to, ada_.email);
    EXPECT_THAT(acts(), ElementsAre("1", "37"));
    const Finished again = run_for(ada_, {"user", "delete", "--yes"});
    EXPECT_EQ(again.code, 1);
    EXPECT_THAT(again.err, HasSubstr("no account has this email address"));
    EXPECT_EQ(run({"user", "show", "--id", ada_.id.text()}).code, 1);
}

TEST_F(UserStateCommands, AnIdentityIsListedAndUnlinked) {
    for (const char* provider : {"google", "apple"})
        run_sql(folder_.path() / "data/consentry.db",
                "INSERT INTO identities (provider, subject, user_id, email, created_at) VALUES ('" +
                    std::string(provider) + "', 's-1', '" + ada_.id.text() + "', 'mallory@example.org', 0)");
    const auto listed = json_of({"user", "identity", "list", "--email", ada_.email});
    ASSERT_EQ(listed.as_array().size(), 2U);
    EXPECT_EQ(json::serialize(listed.at(1)),
              R"({"provider":"google","subject":"s-1","email":"mallory@example.org",)"
              R"("createdAt":"1970-01-01T00:00:00.000Z","lastUsedAt":null,"unlinkedAt":null})");

    const TokenTexts tokens = tokens_of(client(), ada_);
    const std::vector<std::string> unlink{"user", "identity", "unlink", "--provider", "google"};
    const Finished unsure = run_for(ada_, unlink);
    EXPECT_EQ(unsure.code, 2);
    EXPECT_THAT(unsure.err, AllOf(HasSubstr("--yes"), HasSubstr("nothing was changed")));
    {
        std::vector<std::string> words = unlink;
        words.insert(words.end(), {"--email", ada_.email});
        Terminal terminal(words, folder_.path());
        terminal.answer("Type the address to confirm:", "bob@example.org");
        EXPECT_EQ(terminal.end().second, 1);
    }
    EXPECT_EQ(knock(client(), tokens.access), 200U);

    EXPECT_EQ(json::serialize(
                  json_of({"user", "identity", "unlink", "--provider", "google", "--yes", "--id", ada_.id.text()})),
              R"({"id":")" + ada_.id.text() + R"(","provider":"google","unlinked":true})");
    EXPECT_EQ(knock(client(), tokens.access), 401U);
    EXPECT_EQ(log_in(client(), ada_).status, 200U);
    const auto left = json_of({"user", "identity", "list", "--email", ada_.email});
    ASSERT_EQ(left.as_array().size(), 2U);
    EXPECT_EQ(left.at(0), listed.at(0)) << "the one at Apple";
    EXPECT_THAT(
        json::serialize(left.at(1)),
        MatchesRegex(R"(\{"provider":"google","subject":"s-1","email":null,"createdAt":"1970-01-01T00:00:00.000Z",)"
                     R"("lastUsedAt":null,"unlinkedAt":"20[^"]*Z"\})"));
    EXPECT_THAT(Mailbox(folder_ / "data/mail").wait_for(ada_.email, "identityUnlinked").text,
                AllOf(HasSubstr("unlinked Google"), HasSubstr("contact the operators")));
    EXPECT_THAT(acts(), ElementsAre("1", "38"));
    EXPECT_THAT(column("SELECT action FROM activity_log WHERE user_id = '" + ada_.id.text() + "' ORDER BY id DESC"),
                Contains("adminUserUnlinkIdentity"));

    const Finished again = run_for(ada_, {"user", "identity", "unlink", "--provider", "google", "--yes"});
    EXPECT_EQ(again.code, 1);
    EXPECT_THAT(again.err, HasSubstr("no Google account is linked"));
    EXPECT_EQ(run_for(ada_, {"user", "identity", "unlink", "--provider", "github", "--yes"}).code, 2);
    EXPECT_EQ(run_for(ada_, {"user", "identity", "unlink", "--yes"}).code, 2);
}

TEST_F(UserStateCommands, SessionsAreListedAndRevoked) {
    const TokenTexts first = tokens_of(client(), ada_);
    const TokenTexts second = tokens_of(client(), ada_);
    const auto live = json_of({"session", "list", "--email", ada_.email});
    ASSERT_EQ(live.as_array().size(), 2U);
    EXPECT_EQ(live.at(0).at("state"), "live");
    EXPECT_EQ(live.at(0).at("from"), "website");
    const std::string id(live.at(0).at("id").as_string());

    const Finished one = run_for(ada_, {"session", "revoke", id});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(knock(client(), first.access), 401U);
    EXPECT_EQ(knock(client(), second.access), 200U);
    EXPECT_EQ(run_for(ada_, {"session", "revoke", id}).code, 1) << "it has ended";
    const auto all = json_of({"session", "list", "--all", "--email", ada_.email});
    ASSERT_EQ(all.as_array().size(), 2U);
    EXPECT_EQ(all.at(0).at("state"), "revoked");

    EXPECT_EQ(run_for(ada_, {"session", "revoke", "--all"}).code, 0);
    EXPECT_EQ(knock(client(), second.access), 401U);
    EXPECT_THAT(acts(), ElementsAre("1", "8", "8"));
    EXPECT_THAT(column("SELECT action FROM activity_log WHERE user_id = '" + ada_.id.text() +
                       "' AND action LIKE 'userRevoke%' ORDER BY id"),
                ElementsAre("userRevokeSessionByAdmin", "userRevokeAllSessionsByAdmin"));
    const Finished none = run_for(ada_, {"session", "list"});
    EXPECT_EQ(none.code, 0);
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(json_of({"session", "list", "--email", ada_.email}), json::array{});
}

TEST_F(UserStateCommands, ADeviceWithoutANameIsListedByItsPlatform) {
    const Answer login = client().post("/api/public/user/login/credential",
                                       {{"email", ada_.email},
                                        {"password", ada_.password},
                                        {"from", "mobile"},
                                        {"device", {{"fingerprint", "a"}, {"name", ""}, {"platform", "ios"}}}});
    ASSERT_EQ(login.status, 200U) << login.body;
    EXPECT_EQ(json_of({"session", "list", "--email", ada_.email}).at(0).at("device"), "ios");
}

// Sessions of administrators end earlier than their rows say.
TEST_F(UserStateCommands, AnAdministratorsSessionThatHasEndedIsNowhereLive) {
    const Person root = make_person(folder_.path(), "root@example.org", "superAdmin");
    const TokenTexts idle = tokens_of(client(), root);
    const TokenTexts old = tokens_of(client(), root);
    const TokenTexts live = tokens_of(client(), root);
    const auto listed = json_of({"session", "list", "--email", root.email});
    ASSERT_EQ(listed.as_array().size(), 3U);
    const auto put_back = [&](std::size_t place, const std::string& change) {
        run_sql(folder_.path() / "data/consentry.db", "UPDATE sessions SET " + change + " WHERE id = '" +
                                                          std::string(listed.at(place).at("id").as_string()) + "'");
    };
    // By more than SESSION_ADMIN_IDLE and SESSION_ADMIN_EXPIRED allow.
    put_back(0, "last_active_at = last_active_at - 7200000");
    put_back(1, "login_at = login_at - 90000000");
    const auto states = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--email", root.email});
        std::vector<std::string> out;
        for (const auto& session : json_of(std::move(arguments)).as_array())
            out.emplace_back(session.at("state").as_string());
        return out;
    };
    EXPECT_THAT(states({"session", "list"}), ElementsAre("live"));
    EXPECT_THAT(states({"session", "list", "--all"}), ElementsAre("over", "over", "live"));
    EXPECT_EQ(knock(client(), live.access), 200U);
    EXPECT_EQ(knock(client(), idle.access), 401U);
    EXPECT_EQ(knock(client(), old.access), 401U);
}

// More than one portion of a list has.
TEST_F(UserStateCommands, ManySessionsAreCountedAndEndTogether) {
    tokens_of(client(), ada_);
    for (const char* statement :
         {"CREATE TABLE copies AS WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 249) "
          "SELECT sessions.*, i FROM sessions, n",
          "UPDATE copies SET id = substr(id, 1, 32) || printf('%04x', i), jti = jti || i",
          "ALTER TABLE copies DROP COLUMN i", "INSERT INTO sessions SELECT * FROM copies", "DROP TABLE copies"})
        run_sql(folder_.path() / "data/consentry.db", statement);
    EXPECT_EQ(json_of({"user", "show", "--email", ada_.email}).at("liveSessions"), 250);
    const Finished all = run_for(ada_, {"session", "revoke", "--all"});
    EXPECT_EQ(all.code, 0);
    EXPECT_THAT(all.err, HasSubstr("250 sessions have ended"));
    EXPECT_EQ(json_of({"session", "list", "--email", ada_.email}), json::array{});
}

TEST_F(UserStateCommands, ASessionOfSomebodyElseIsNotTheirs) {
    const Person bob = make_person(folder_.path(), "bob@example.org");
    const TokenTexts tokens = tokens_of(client(), bob);
    const std::string id(json_of({"session", "list", "--email", bob.email}).at(0).at("id").as_string());
    EXPECT_EQ(run_for(ada_, {"session", "revoke", id}).code, 1);
    EXPECT_EQ(knock(client(), tokens.access), 200U);
}

TEST_F(UserStateCommands, WhichAccountIsMeantMustBeSaidOnce) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"user", "show"},
                                               {"user", "block"},
                                               {"user", "delete", "--yes"},
                                               {"user", "password", "set"},
                                               {"session", "list"},
                                               {"session", "revoke", "--all"},
                                               {"user", "show", "--email", ada_.email, "--id", ada_.id.text()},
                                               {"session", "revoke", "--email", ada_.email},
                                               {"session", "revoke", "x", "--email", ada_.email},
                                               {"session", "revoke", ada_.id.text(), "--all", "--email", ada_.email}}) {
        const Finished refused = run(arguments);
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_EQ(refused.out, "");
        EXPECT_NE(refused.err, "");
    }
    EXPECT_THAT(run({"user", "show", "--id", "nobody"}).err, HasSubstr("no account has this ID"));
}

TEST_F(UserStateCommands, AnAccountIsShownToPeopleAndPrograms) {
    tokens_of(client(), ada_);
    const auto shown = json_of({"user", "show", "--email", ada_.email});
    EXPECT_EQ(shown.at("id").as_string(), ada_.id.text());
    EXPECT_EQ(shown.at("role"), "user");
    EXPECT_EQ(shown.at("status"), "active");
    EXPECT_EQ(shown.at("hasPassword"), true);
    EXPECT_EQ(shown.at("twoFactor"), "off");
    EXPECT_EQ(shown.at("liveSessions"), 1);
    EXPECT_TRUE(shown.at("name").is_null());
    EXPECT_THAT(run_for(ada_, {"user", "show"}).out,
                AllOf(HasSubstr("email\tada@example.org\n"), HasSubstr("hasPassword\tyes\n"), HasSubstr("name\t-\n")));
}

// --- the forms of results

std::string screen_of(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                      const Settings& more = {}) {
    Terminal terminal(arguments, folder, quick_settings(more));
    auto [screen, code] = terminal.end();
    EXPECT_EQ(code, 0) << screen;
    return screen;
}

TEST_F(UserStateCommands, ATerminalGetsAHeadedTableInColors) {
    const std::vector<std::string> list{"user", "list"};
    const std::string screen = screen_of(list, folder_.path(), {{"TERM", "xterm"}});
    EXPECT_THAT(screen, AllOf(HasSubstr("\x1b[1mEMAIL\x1b[0m"), HasSubstr("\x1b[32mactive\x1b[0m")));
    const std::string plain = screen_of(list, folder_.path(), {{"TERM", "xterm"}, {"NO_COLOR", "1"}});
    EXPECT_THAT(plain, MatchesRegex("ID +EMAIL +ROLE TYPE  STATUS  TWO-FACTOR\r\n" + ada_.id.text() +
                                    "  ada@example.org  user       active  off\r\n"));
    EXPECT_THAT(screen_of(list, folder_.path(), {{"TERM", "dumb"}}), Not(HasSubstr("\x1b[")));
    EXPECT_THAT(screen_of({"user", "show", "--email", ada_.email}, folder_.path(), {{"NO_COLOR", "1"}}),
                AllOf(HasSubstr("Email                    ada@example.org\r\n"), HasSubstr("Email verified")));
}

TEST_F(UserStateCommands, ProgramsGetTabsWithoutColorsOrHeadings) {
    EXPECT_EQ(run({"user", "list"}).out, ada_.id.text() + "\tada@example.org\tuser\tactive\toff\n");
}

TEST_F(UserStateCommands, JsonIsTheSameAtATerminal) {
    const std::string screen = screen_of({"user", "list", "--json"}, folder_.path(), {{"TERM", "xterm"}});
    const auto list = json::parse(screen);
    ASSERT_EQ(list.as_array().size(), 1U);
    EXPECT_EQ(list.at(0).at("email"), "ada@example.org");
    EXPECT_EQ(list, json_of({"user", "list"}));
}

TEST_F(UserStateCommands, AChangeIsToldInJson) {
    const auto told = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--email", ada_.email});
        return json::serialize(json_of(std::move(arguments)));
    };
    const std::string id = R"({"id":")" + ada_.id.text() + '"';
    tokens_of(client(), ada_);
    EXPECT_EQ(told({"session", "revoke", "--all"}), R"({"ended":1})");
    EXPECT_EQ(told({"user", "block"}), id + R"(,"status":"blocked"})");
    EXPECT_EQ(told({"user", "unblock"}), id + R"(,"status":"active"})");
    EXPECT_EQ(told({"user", "unlock"}), id + R"(,"unlocked":true})");
    const Finished set = run_program({"user", "password", "set", "--email", ada_.email, "--json"}, folder_.path(),
                                     quick_settings(), "Copper-Meadow-77\n");
    EXPECT_EQ(set.out, id + ",\"passwordSet\":true}\n") << set.err;
    EXPECT_EQ(told({"user", "delete", "--yes"}), id + R"(,"deleted":true,"erasedInDays":30})");
    const std::string key(json_of({"apikey", "create", "--name", "shop", "--type", "default"}).at("key").as_string());
    EXPECT_EQ(json_of({"apikey", "delete", "--key", key}).at("deleted"), true);
    EXPECT_EQ(json_of({"migrate"}).at("upToDate"), true);
    const auto health = json_of({"health", "--url", client_url() + "/api/health/ready"});
    EXPECT_EQ(health.at("ready"), true);
}

TEST_F(UserStateCommands, EveryCommandWithResultsKnowsJson) {
    EXPECT_EQ(json_of({"apikey", "list"}), json::array{});
    EXPECT_TRUE(json_of({"apikey", "create", "--name", "shop", "--type", "default"}).at("secret").is_string());
    EXPECT_EQ(json_of({"apikey", "list"}).at(0).at("state"), "on");
    EXPECT_EQ(json_of({"policy", "list"}), json::array{});
    EXPECT_EQ(json_of({"keys", "rotate"}).at(1).at("token"), "refresh");
    EXPECT_TRUE(json_of({"keys", "generate"}).as_object().contains("APP_ENCRYPTION_SECRET_KEY"));
    EXPECT_EQ(json_of({"keys", "epoch", "raise"}).at("sessions"), 0);
    EXPECT_EQ(json_of({"clean-up"}).at("erasedAccounts"), 0);
    EXPECT_EQ(json_of({"config", "check", "--running"}).at("valid"), true);
    const auto settings = json_of({"config", "print"});
    EXPECT_EQ(settings.at(0).at("source"), "default");
}

// At a terminal a name could otherwise paint over what an operator reads, or say something else than it is.
TEST_F(UserStateCommands, NamesControlNoTerminal) {
    run_sql(folder_.path() / "data/consentry.db",
            "UPDATE users SET name = 'A' || char(27) || '[2J' || char(10) || 'B' WHERE id = '" + ada_.id.text() + "'");
    EXPECT_THAT(run_for(ada_, {"user", "show"}).out, HasSubstr("name\tA\uFFFD[2J\uFFFDB\n"));
}

TEST_F(UserStateCommands, ResultsThatCannotBeWrittenAreNoSuccess) {
    const auto full = run_command(
        {"sh", "-c", "cd '" + folder_.path().string() + "' && '" CONSENTRY_PROGRAM "' user list > /dev/full"},
        quick_settings());
    EXPECT_EQ(full.code, 1);
    EXPECT_THAT(full.err, HasSubstr("could not be written"));
    for (const char* arguments : {"--version", "--help", "user --help", "user list --help"}) {
        const auto unread =
            run_command({"sh", "-c", "'" CONSENTRY_PROGRAM "' " + std::string(arguments) + " > /dev/full"});
        EXPECT_EQ(unread.code, 1) << arguments;
        EXPECT_THAT(unread.err, HasSubstr("could not be written")) << arguments;
    }
}

// The type of a role is not part of the account, so that raising it changes no version there.
TEST_F(UserStateCommands, NoAccountIsDeletedThatBecomesASuperAdministratorMeanwhile) {
    const auto database = folder_.path() / "data/consentry.db";
    run_sql(database,
            "CREATE TRIGGER raise AFTER UPDATE ON users BEGIN UPDATE roles SET type = 'superAdmin' "
            "WHERE id = NEW.role_id; END");
    const Finished refused = run_for(ada_, {"user", "delete", "--yes"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("others changed it at the same moment"));
    run_sql(database, "DROP TRIGGER raise");
    EXPECT_EQ(log_in(client(), ada_).status, 200U);
    EXPECT_EQ(run_for(ada_, {"user", "delete", "--yes"}).code, 0);
}

TEST_F(UserStateCommands, MessagesThatCannotBeWrittenChangeNoExitCode) {
    const auto run_mute = [&](const std::string& arguments) {
        return run_command(
                   {"sh", "-c",
                    "cd '" + folder_.path().string() + "' && '" CONSENTRY_PROGRAM "' " + arguments + " 2> /dev/full"},
                   quick_settings())
            .code;
    };
    EXPECT_EQ(run_mute("user block --email " + ada_.email), 0);
    EXPECT_EQ(log_in(client(), ada_).code_name(), "inactiveForbidden");
    EXPECT_EQ(run_mute("user block --email nobody@example.org"), 1);
    EXPECT_EQ(run_mute("user block"), 2);
    EXPECT_EQ(run_mute("user"), 2);
}

}  // namespace
}  // namespace consentry::tests
