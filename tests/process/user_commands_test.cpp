// The commands for accounts, most of them next to a running service.
#include <gmock/gmock.h>

#include "tests/support/program_people.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class UserCommands : public ::testing::Test {
protected:
    UserCommands() { make_data(folder_.path()); }
    Finished run(const std::vector<std::string>& arguments, std::string_view input = {}) const {
        return run_program(arguments, folder_.path(), quick_settings(), input);
    }
    Finished create(const std::string& email, const std::string& password, const std::string& role = "user") const {
        return run({"user", "create", "--email", email, "--role", role}, password + "\n");
    }
    HttpClient client() {
        if (!service_) service_ = std::make_unique<ServiceProcess>(folder_.path());
        return service_->client();
    }
    const TempFolder folder_;

private:
    std::unique_ptr<ServiceProcess> service_;
};

TEST_F(UserCommands, ANewAccountLogsInAtTheServiceThatRunsAlready) {
    const HttpClient service = client();
    EXPECT_EQ(log_in(service, {.email = "ada@example.org"}).code_name(), "passwordNotMatch");
    const Finished made = create("Ada@Example.org", right_password, "superAdmin");
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.out.size(), 37U) << "its id alone on a line";
    EXPECT_THAT(made.err, HasSubstr("The account has been created.\n"));
    const Answer answer = log_in(service, {.email = "ada@example.org"});
    EXPECT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(answer.text("data.tokens.roleType"), "superAdmin");
}

TEST_F(UserCommands, APasswordMayEndWithoutALineEndOrWithThatOfWindows) {
    EXPECT_EQ(run({"user", "create", "--email", "a@example.org", "--role", "user"}, right_password).code, 0);
    EXPECT_EQ(run({"user", "create", "--email", "b@example.org", "--role", "user"}, right_password + "\r\n").code, 0);
    for (const char* email : {"a@example.org", "b@example.org"})
        EXPECT_EQ(log_in(client(), {.email = email}).status, 200U) << email;
}

// Editors of Windows write this mark, and no login would send it.
TEST_F(UserCommands, AByteOrderMarkIsNotPartOfAPassword) {
    EXPECT_EQ(create("ada@example.org", "\uFEFF" + right_password).code, 0);
    EXPECT_EQ(log_in(client(), {.email = "ada@example.org"}).status, 200U);
    EXPECT_EQ(run({"user", "password", "set", "--email", "ada@example.org"}, "\uFEFFCopper-Meadow-77\n").code, 0);
    EXPECT_EQ(log_in(client(), {.email = "ada@example.org", .password = "Copper-Meadow-77"}).status, 200U);
}

TEST_F(UserCommands, APasswordThatNoLoginCanSendIsRefused) {
    const std::string zero_at_the_end = right_password + std::string(1, '\0');
    std::string utf_16 = "\xFF\xFE";
    for (const char character : right_password + "\n") utf_16.append({character, '\0'});
    for (const std::string& password : {zero_at_the_end, utf_16}) {
        const Finished refused = create("ada@example.org", password);
        EXPECT_EQ(refused.code, 1);
        EXPECT_THAT(refused.err, HasSubstr("the password must not contain a zero byte"));
        EXPECT_EQ(refused.out, "");
    }
    EXPECT_EQ(run({"user", "list"}).out, "");

    const Person ada = make_person(folder_.path(), "ada@example.org");
    EXPECT_EQ(run({"user", "password", "set", "--email", ada.email}, zero_at_the_end + "\n").code, 1);
    EXPECT_EQ(log_in(client(), ada).status, 200U) << "nothing was changed";
}

TEST_F(UserCommands, AWeakPasswordIsRefusedAndTheReasonGiven) {
    const struct {
        std::string password;
        std::string says;
    } cases[] = {
        {"", "8"},                                        // too short
        {"Ab1defg", "8"},                                 // too short by one character
        {"velvet-harbor-42", "upper"},                    // not strong enough
        {"Password123", "easy to guess"},                 // common
        {"Ab1" + std::string(48, 'x'), "50"},             // too long by one character
        {std::string("Ab1\xFF\xFE", 5) + "xxxxxx", "8"},  // invalid UTF-8 counts as too short
    };
    for (const auto& [password, says] : cases) {
        const Finished refused = create("ada@example.org", password);
        EXPECT_EQ(refused.code, 1) << password;
        EXPECT_THAT(refused.err, HasSubstr(says)) << password;
        EXPECT_THAT(refused.err, Not(HasSubstr("{"))) << "placeholders are filled in";
        if (!password.empty()) EXPECT_THAT(refused.err + refused.out, Not(HasSubstr(password)));
        EXPECT_EQ(refused.out, "");
    }
    EXPECT_EQ(run({"user", "list"}).out, "");
}

TEST_F(UserCommands, WrongUseEndsWithTwo) {
    EXPECT_EQ(create("ada@example.org", right_password, "root").code, 2);
    EXPECT_EQ(create("ada.example.org", right_password).code, 2);
    EXPECT_EQ(run({"user", "create", "--email", "ada@example.org"}, right_password).code, 2) << "no role";
    EXPECT_EQ(run({"user", "create", "--email", "a@example.org", "--role", "user", "--password", "x"}).code, 2);
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {}, {"user"}, {"users"}, {"serve", "--now"}, {"user", "delete"}, {"config"}, {"keys"}, {"migrate", "x"}}) {
        const Finished refused = run(arguments);
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.out, "");
        EXPECT_NE(refused.err, "");
    }
}

TEST_F(UserCommands, ANameIsAsLongAsTheApiAllows) {
    const auto create_named = [&](const std::string& email, std::size_t length) {
        return run({"user", "create", "--email", email, "--role", "user", "--name", std::string(length, 'a')},
                   right_password + "\n");
    };
    EXPECT_EQ(create_named("ada@example.org", 100).code, 0);
    const Finished refused = create_named("grace@example.org", 101);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("at most 100 characters"));
}

TEST_F(UserCommands, ARoleIsGivenByItsTypeOrItsName) {
    EXPECT_EQ(create("ada@example.org", right_password, "superadmin").code, 0);
    const HttpClient service = client();
    const auto role_type_of = [&](const std::string& email) {
        return log_in(service, {.email = email}).text("data.tokens.roleType");
    };
    EXPECT_EQ(role_type_of("ada@example.org"), "superAdmin");
    EXPECT_EQ(create("grace@example.org", right_password, "support").code, 2) << "there is no such role yet";
    const std::string token = log_in(service, {.email = "ada@example.org"}).text("data.tokens.accessToken");
    const Answer made =
        service.post("/api/admin/role/create", {{"name", "support"}, {"type", "admin"}, {"abilities", json::array{}}},
                     bearer(token));
    EXPECT_EQ(made.status, 201U) << made.body;
    EXPECT_EQ(create("grace@example.org", right_password, "Support").code, 0);
    EXPECT_EQ(role_type_of("grace@example.org"), "admin");
}

TEST_F(UserCommands, HelpAndVersionWorkWhateverTheSettings) {
    const TempFolder folder;
    const Settings broken{{"HTTP_PORT", "many"}};
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"--help"},
                                               {"--version"},
                                               {"user", "--help"},
                                               {"user", "create", "--help"},
                                               {"keys", "rotate", "--help"}}) {
        const Finished told = run_program(arguments, folder.path(), broken);
        EXPECT_EQ(told.code, 0) << told.err;
        EXPECT_NE(told.out, "");
        EXPECT_EQ(told.err, "");
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "asking leaves nothing behind";
}

TEST_F(UserCommands, AnAddressIsTakenOnce) {
    EXPECT_EQ(create("ada@example.org", right_password).code, 0);
    const Finished second = create("ADA@example.org", right_password);
    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.err, HasSubstr("already in use"));
}

TEST_F(UserCommands, TheListIsMadeForOtherPrograms) {
    Person ada = make_person(folder_.path(), "ada@example.org");
    const Person bob = make_person(folder_.path(), "bob@example.org", "admin");
    EXPECT_EQ(run({"user", "list"}).out, ada.id.text() + "\tada@example.org\tuser\tactive\toff\n" + bob.id.text() +
                                             "\tbob@example.org\tadmin\tactive\toff\n");
    turn_two_factor_on(client(), ada);
    EXPECT_THAT(run({"user", "list"}).out, HasSubstr("ada@example.org\tuser\tactive\ton\n"));
    EXPECT_EQ(run({"user", "two-factor", "reset", "--email", "ada@example.org"}).code, 0);
    EXPECT_THAT(run({"user", "list"}).out, HasSubstr("ada@example.org\tuser\tactive\tsetup-required\n"));
}

TEST_F(UserCommands, ANewPasswordEndsEverySessionAtTheNextRequest) {
    Person ada = make_person(folder_.path(), "ada@example.org");
    const Person bob = make_person(folder_.path(), "bob@example.org");
    const TokenTexts tokens = tokens_of(client(), ada);
    const TokenTexts of_bob = tokens_of(client(), bob);
    // The second request finds the session in the cache.
    EXPECT_EQ(knock(client(), tokens.access), 200U);
    EXPECT_EQ(knock(client(), tokens.access), 200U);

    const Finished set = run({"user", "password", "set", "--email", "Ada@example.org"}, "Copper-Meadow-77\n");
    EXPECT_EQ(set.code, 0) << set.err;
    EXPECT_EQ(knock(client(), tokens.access), 401U);
    EXPECT_EQ(client().post("/api/shared/user/refresh", {}, bearer(tokens.refresh)).status, 401U);
    EXPECT_EQ(log_in(client(), ada).code_name(), "passwordNotMatch");
    ada.password = "Copper-Meadow-77";
    EXPECT_EQ(log_in(client(), ada).status, 200U);
    EXPECT_EQ(knock(client(), of_bob.access), 200U) << "nobody else's";
}

TEST_F(UserCommands, ANewPasswordVoidsAChallengeThatIsOpen) {
    Person ada = make_person(folder_.path(), "ada@example.org");
    turn_two_factor_on(client(), ada);
    const std::string challenge = log_in(client(), ada).text("data.challengeToken");
    EXPECT_EQ(run({"user", "password", "set", "--email", "ada@example.org"}, "Copper-Meadow-77\n").code, 0);
    EXPECT_EQ(verify_backup(client(), challenge, ada.backup_codes[0]).code_name(), "twoFactorChallengeInvalid");
}

TEST_F(UserCommands, SettingAPasswordRefusesWhatCreateRefuses) {
    const Person ada = make_person(folder_.path(), "ada@example.org");
    EXPECT_EQ(run({"user", "password", "set", "--email", "ada@example.org"}, "short\n").code, 1);
    const Finished nobody = run({"user", "password", "set", "--email", "bob@example.org"}, "Copper-Meadow-77\n");
    EXPECT_EQ(nobody.code, 1);
    EXPECT_THAT(nobody.err, HasSubstr("no account"));
    EXPECT_EQ(log_in(client(), ada).status, 200U);
}

TEST_F(UserCommands, AResetMakesTheOwnerSetUpAnew) {
    Person ada = make_person(folder_.path(), "ada@example.org");
    const TokenTexts tokens = turn_two_factor_on(client(), ada);
    EXPECT_EQ(knock(client(), tokens.access), 200U);
    const auto earliest = std::chrono::system_clock::now() + std::chrono::days{7} - std::chrono::minutes{1};
    const Finished reset = run({"user", "two-factor", "reset", "--email", "ada@example.org", "--json"});
    EXPECT_EQ(reset.code, 0) << reset.err;
    const auto until = from_iso8601(json::parse(reset.out).at("twoFactorSetupUntil").as_string());
    ASSERT_TRUE(until) << reset.out;
    EXPECT_GT(*until, earliest);
    const Finished shown = run({"user", "show", "--email", "ada@example.org", "--json"});
    EXPECT_EQ(json::parse(shown.out).at("twoFactorSetupUntil"), json::value(to_iso8601(*until)));
    EXPECT_THAT(run({"user", "two-factor", "reset", "--email", "ada@example.org"}).err,
                HasSubstr("at the next login, by " + to_iso8601(*until).substr(0, 10)));
    EXPECT_EQ(knock(client(), tokens.access), 401U);
    const Answer login = log_in(client(), ada);
    EXPECT_TRUE(login.boolean("data.isRequiredSetup"));
    EXPECT_NE(login.text("data.secret"), ada.secret);
    EXPECT_FALSE(login.has("data.tokens"));
}

TEST_F(UserCommands, AResetWithDisableTurnsTheSecondFactorOff) {
    Person ada = make_person(folder_.path(), "ada@example.org");
    const TokenTexts tokens = turn_two_factor_on(client(), ada);
    EXPECT_THAT(run({"user", "two-factor", "reset", "--email", "ada@example.org", "--disable", "--json"}).out,
                HasSubstr(R"("twoFactor":"off")"));
    EXPECT_EQ(knock(client(), tokens.access), 401U);
    EXPECT_EQ(knock(client(), tokens_of(client(), ada).access), 200U);
    const Finished again = run({"user", "two-factor", "reset", "--email", "ada@example.org"});
    EXPECT_EQ(again.code, 1) << "there is nothing to reset";
    EXPECT_NE(again.err, "");
}

TEST_F(UserCommands, MigratingTwiceChangesNothing) {
    const Finished first = run({"migrate"});
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_THAT(first.err, AllOf(HasSubstr("consentry.db"), HasSubstr("up to date")));
    const Person ada = make_person(folder_.path(), "ada@example.org");
    const HttpClient service = client();
    EXPECT_EQ(run({"migrate"}).code, 0) << "beside a running service";
    EXPECT_EQ(log_in(service, ada).status, 200U);
}

}  // namespace
}  // namespace consentry::tests
