// The commands that create and change keys, next to a running service.
#include <chrono>
#include <fstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string kid_of(const std::string& token) {
    const auto header = from_base64url(token.substr(0, token.find('.'))).value();
    return std::string(json::parse(as_text(header)).at("kid").as_string());
}

Settings settings_in(const std::string& lines) {
    Settings out;
    for (std::size_t at = 0; at < lines.size();) {
        const std::string line = lines.substr(at, lines.find('\n', at) - at);
        at += line.size() + 1;
        out[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
    }
    return out;
}

TEST(KeyCommands, GeneratedKeysAreSettingsThatProductionStartsWith) {
    const TempFolder folder;
    const Finished made = run_program({"keys", "generate"}, folder.path(), {});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing is written";
    EXPECT_NE(made.out, run_program({"keys", "generate"}, folder.path(), {}).out);

    Settings settings = settings_in(made.out);
    settings.insert({{"APP_ENV", "production"}, {"HTTP_HOST", "127.0.0.1"}, {"HTTP_PORT", "0"}});
    const Person ada = make_person(folder.path(), "ada@example.org", "user", settings);
    ServiceProcess service(folder.path(), settings);
    const TokenTexts tokens = tokens_of(service.client(), ada);
    EXPECT_EQ(knock(service.client(), tokens.access), 200U);
    const Answer jwks = service.client().get("/.well-known/jwks.json");
    EXPECT_EQ(jwks.text("keys.0.kid"), kid_of(tokens.access));
    EXPECT_FALSE(jwks.has("keys.0.d")) << "public halves only";
    EXPECT_EQ(service.stop().code, 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "data" / "keys" / "two-factor.key")) << "keys come from settings";

    const Finished rotated = run_program({"keys", "rotate"}, folder.path(), settings);
    EXPECT_EQ(rotated.code, 2) << "they are changed where they come from";
    EXPECT_THAT(rotated.err, HasSubstr("settings"));
}

// What scaling.md says about the move to several instances.
TEST(KeyCommands, TheFilesOfALocalFolderAreTheSettingsOfOtherEnvironments) {
    const TempFolder folder;
    const auto run = [&](const std::vector<std::string>& arguments) {
        const Finished done = run_program(arguments, folder.path(), quick_settings());
        EXPECT_EQ(done.code, 0) << done.err;
    };
    const Person ada = make_person(folder.path(), "ada@example.org");
    std::filesystem::create_directories(folder / "texts/privacy/1");
    std::ofstream(folder / "texts/privacy/1/en.hbs") << "Privacy";
    run({"policy", "import", "texts"});
    run({"policy", "publish", "privacy", "1"});
    const auto change = [](const ServiceProcess& service, const std::string& token, const std::string& action) {
        return service.client().post("/api/shared/user/term-policy/" + action, {{"type", "privacy"}}, bearer(token));
    };
    std::string token;
    {
        const ServiceProcess service(folder.path());
        token = tokens_of(service.client(), ada).access;
        EXPECT_TRUE(change(service, token, "accept").has("data.receipt"));
    }

    Settings settings = quick_settings({{"APP_ENV", "staging"}});
    for (const auto& file : std::filesystem::directory_iterator(folder / "data/keys")) {
        const std::string name = file.path().filename();
        const std::string setting = name.starts_with("access-")    ? "AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY"
                                    : name.starts_with("refresh-") ? "AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY"
                                    : name == "two-factor.key"     ? "AUTH_TWO_FACTOR_ENCRYPTION_KEY"
                                    : name == "app.key"            ? "APP_ENCRYPTION_SECRET_KEY"
                                                                   : "CONSENT_LOG_PRIVATE_KEY";
        settings[setting] = text_in(file.path());
    }
    std::filesystem::remove_all(folder / "data/keys");
    {
        const ServiceProcess service(folder.path(), settings);
        EXPECT_EQ(knock(service.client(), token), 200U);
        std::filesystem::create_directories(folder / "texts/privacy/2");
        std::ofstream(folder / "texts/privacy/2/en.hbs") << "More privacy";
        EXPECT_EQ(run_program({"policy", "import", "texts"}, folder.path(), settings).code, 0);
        EXPECT_EQ(run_program({"policy", "publish", "privacy", "2"}, folder.path(), settings).code, 0);
        const Answer accepted = change(service, token, "accept");
        EXPECT_TRUE(accepted.has("data.receipt")) << accepted.body;
    }
    settings.erase("CONSENT_LOG_PRIVATE_KEY");
    EXPECT_THAT(run_program({"config", "check"}, folder.path(), settings).err,
                HasSubstr("CONSENT_LOG_PRIVATE_KEY: is not set; acceptances are recorded without a consent log and "
                          "without receipts. If this installation had a log, set its key: with APP_ENV=local, it is "
                          "the content of DATA_DIR/keys/consent-log.key"));
}

TEST(KeyCommands, ARotatedKeySignsWithinSecondsAndFormerTokensGoOn) {
    const TempFolder folder;
    const Person ada = make_person(folder.path(), "ada@example.org");
    ServiceProcess service(folder.path());
    const HttpClient client = service.client();
    const TokenTexts former = tokens_of(client, ada);
    const TokenTexts refreshed_later = tokens_of(client, ada);

    const Finished rotated = run_program({"keys", "rotate"}, folder.path(), quick_settings());
    ASSERT_EQ(rotated.code, 0) << rotated.err;
    ASSERT_TRUE(rotated.out.starts_with("access\t")) << rotated.out;
    EXPECT_THAT(rotated.err, HasSubstr("The new keys sign from now on. Tokens of the former ones stay valid until they "
                                       "expire.\n"));
    const std::string kid = rotated.out.substr(7, rotated.out.find('\n') - 7);
    EXPECT_NE(kid, kid_of(former.access));

    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    std::string jwks;
    do {
        jwks = client.get("/.well-known/jwks.json").body;
    } while (!jwks.contains(kid) && std::chrono::steady_clock::now() < deadline);
    EXPECT_THAT(jwks, HasSubstr(kid));
    EXPECT_THAT(jwks, HasSubstr(kid_of(former.access))) << "published until its last token has expired";

    const TokenTexts next = tokens_of(client, ada);
    EXPECT_EQ(kid_of(next.access), kid);
    EXPECT_NE(kid_of(next.refresh), kid_of(former.refresh));
    EXPECT_EQ(knock(client, next.access), 200U);
    EXPECT_EQ(knock(client, former.access), 200U);
    const Answer refreshed = client.post("/api/shared/user/refresh", {}, bearer(refreshed_later.refresh));
    EXPECT_EQ(refreshed.status, 200U) << refreshed.body;
    EXPECT_EQ(kid_of(refreshed.text("data.accessToken")), kid);
    EXPECT_EQ(knock(client, refreshed.text("data.accessToken")), 200U);

    EXPECT_EQ(service.stop().code, 0);
    const ServiceProcess again(folder.path());
    EXPECT_EQ(knock(again.client(), former.access), 200U) << "after a restart, too";
    EXPECT_EQ(knock(again.client(), next.access), 200U);
}

TEST(KeyCommands, ARotatedKeySignsThoughTheClockWasAheadWhenTheFormerOneWasMade) {
    const TempFolder folder;
    const Person ada = make_person(folder.path(), "ada@example.org");
    redate_keys(folder / "data/keys", SystemClock().now() + std::chrono::years{10});
    ServiceProcess service(folder.path());
    const HttpClient client = service.client();
    const TokenTexts former = tokens_of(client, ada);
    const Finished rotated = run_program({"keys", "rotate"}, folder.path(), quick_settings());
    ASSERT_EQ(rotated.code, 0) << rotated.err;
    // A running service takes up to a second to look; one that starts looks at once.
    EXPECT_EQ(service.stop().code, 0);
    const ServiceProcess next(folder.path());
    const TokenTexts tokens = tokens_of(next.client(), ada);
    EXPECT_THAT(rotated.out, HasSubstr("access\t" + kid_of(tokens.access) + "\n"));
    EXPECT_THAT(rotated.out, HasSubstr("refresh\t" + kid_of(tokens.refresh) + "\n"));
    EXPECT_EQ(knock(next.client(), former.access), 200U) << "the former key still verifies";
}

// Simulates restoring a backup: the database returns to an earlier state. Raising the epoch then voids the earlier
// tokens.
TEST(STO_6, ARestoredDatabaseIsRaisedBeforeItServes) {
    // What has been published meanwhile would stop the start: tests/process/backup_test.cpp.
    Settings unlogged = quick_settings();
    unlogged["CONSENT_LOG_ENABLE"] = "false";
    const TempFolder folder;
    const Person ada = make_person(folder.path(), "ada@example.org", "user", unlogged);
    const std::filesystem::path live = folder / "data" / "consentry.db";
    const std::filesystem::path backup = folder / "backup.db";
    TokenTexts tokens;
    {
        ServiceProcess service(folder.path(), unlogged);
        tokens = tokens_of(service.client(), ada);
        EXPECT_EQ(service.stop().code, 0);
        std::filesystem::copy_file(live, backup);
    }
    {
        ServiceProcess service(folder.path(), unlogged);
        EXPECT_EQ(service.client().post("/api/shared/user/logout", {}, bearer(tokens.access)).status, 200U);
        EXPECT_EQ(knock(service.client(), tokens.access), 401U);
        EXPECT_EQ(service.stop().code, 0);
    }
    for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(live.string() + beside);
    std::filesystem::copy_file(backup, live, std::filesystem::copy_options::overwrite_existing);
    {
        ServiceProcess service(folder.path(), unlogged);
        ASSERT_EQ(knock(service.client(), tokens.access), 200U) << "a backup brings the past back";
        // The command runs next to the service, which applies the change at its next request.
        const Finished raised = run_program({"keys", "epoch", "raise", "--keep-api-keys"}, folder.path(), unlogged);
        ASSERT_EQ(raised.code, 0) << raised.err;
        EXPECT_THAT(raised.out, HasSubstr("sessions\t1\n"));
        EXPECT_THAT(raised.out, Not(HasSubstr("apiKeys")));
        EXPECT_THAT(raised.err, HasSubstr("API keys were kept"));
        EXPECT_EQ(knock(service.client(), tokens.access), 401U);
        EXPECT_EQ(knock(service.client(), tokens_of(service.client(), ada).access), 200U);
    }
    EXPECT_EQ(run_program({"keys", "epoch"}, folder.path(), {}).code, 2) << "raise has to be said";
}

}  // namespace
}  // namespace consentry::tests
