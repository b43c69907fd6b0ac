#include "tests/support/program_people.hpp"

#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "crypto/totp.hpp"
#include "tests/support/base32.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

namespace {

void run_migrate(const std::filesystem::path& folder, const Settings& settings) {
    const Finished made = run_program({"migrate"}, folder, settings);
    EXPECT_EQ(made.code, 0) << made.err;
}

}  // namespace

void make_data(const std::filesystem::path& folder, const Settings& settings) {
    if (settings.contains("DATABASE_URL") || settings.contains("DATA_DIR")) return run_migrate(folder, settings);
    // An empty database without keys, the same for every installation. Most tests begin with it.
    static const TempFolder migrated;
    [[maybe_unused]] static const bool once = (run_migrate(migrated.path(), settings), true);
    std::filesystem::copy(migrated.path(), folder, std::filesystem::copy_options::recursive);
}

void take_back_newest_migration(const std::filesystem::path& database) {
    run_sql(database, "ALTER TABLE two_factors DROP COLUMN set_up_allowed_at");
    run_sql(database, "DELETE FROM schema_migrations WHERE number = 27");
    if (run_sql(database, "SELECT max(number) FROM schema_migrations") != SqlRows{{"26"}})
        throw std::runtime_error("take_back_newest_migration() does not know the newest migration");
}

Person make_person(const std::filesystem::path& folder, const std::string& email, const std::string& role,
                   const Settings& settings) {
    Person person{.email = email};
    if (!std::filesystem::exists(folder / "data")) make_data(folder, settings);
    const Finished made =
        run_program({"user", "create", "--email", email, "--role", role}, folder, settings, person.password + "\n");
    EXPECT_EQ(made.code, 0) << made.err;
    person.id = UserId::parse(made.out.substr(0, made.out.find('\n'))).value();
    return person;
}

void redate_keys(const std::filesystem::path& folder, TimePoint made_at) {
    std::vector<std::filesystem::path> keys;
    for (const auto& file : std::filesystem::directory_iterator(folder))
        if (file.path().extension() == ".pem") keys.push_back(file.path());
    ASSERT_EQ(keys.size(), 2U);
    for (const std::filesystem::path& key : keys) {
        const std::string name = key.filename();
        const std::size_t time = name.find('-', name.find('-') + 1) + 1;
        std::filesystem::rename(key, folder / (name.substr(0, time) + std::to_string(epoch_ms(made_at)) +
                                               name.substr(name.find('-', time))));
    }
}

Settings production_settings(Settings more) {
    const TempFolder folder;
    Settings out = quick_settings({{"APP_ENV", "staging"}, {"PUBLIC_URL", "https://login.example.org"}});
    std::istringstream keys(run_program({"keys", "generate"}, folder.path(), out).out);
    for (std::string line; std::getline(keys, line);)
        if (const std::size_t sign = line.find('='); sign != std::string::npos && !line.starts_with('#'))
            out[line.substr(0, sign)] = line.substr(sign + 1);
    more.merge(std::move(out));
    return more;
}

Answer log_in(const HttpClient& client, const Person& person) {
    return client.post("/api/public/user/login/credential",
                       {{"email", person.email}, {"password", person.password}, {"from", "website"}});
}

TokenTexts tokens_in(const Answer& answer) {
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return {answer.text("data.tokens.accessToken"), answer.text("data.tokens.refreshToken")};
}
TokenTexts tokens_of(const HttpClient& client, const Person& person) { return tokens_in(log_in(client, person)); }

TokenTexts turn_two_factor_on(const HttpClient& client, Person& person) {
    TokenTexts tokens = tokens_of(client, person);
    const Answer setup = client.post("/api/shared/user/2fa/setup", {}, bearer(tokens.access));
    EXPECT_EQ(setup.status, 200U) << setup.body;
    person.secret = setup.text("data.secret");
    const Answer enabled =
        client.post("/api/shared/user/2fa/enable", {{"code", code_of(person)}}, bearer(tokens.access));
    EXPECT_EQ(enabled.status, 200U) << enabled.body;
    person.backup_codes.clear();
    for (const auto& one : enabled.json.at("data").at("backupCodes").as_array())
        person.backup_codes.emplace_back(one.as_string());
    return tokens;
}

std::string code_of(const Person& person, std::int64_t steps_ahead) {
    const auto secret = from_base32(person.secret);
    const auto step = crypto::totp_step(SystemClock{}.now(), {}) + steps_ahead;
    return crypto::hotp(secret, static_cast<std::uint64_t>(step), 6);
}

Answer verify(const HttpClient& client, const std::string& challenge, const std::string& code) {
    return client.post("/api/public/user/login/2fa/verify", {{"challengeToken", challenge}, {"code", code}});
}
Answer verify_backup(const HttpClient& client, const std::string& challenge, const std::string& backup_code) {
    return client.post("/api/public/user/login/2fa/verify",
                       {{"challengeToken", challenge}, {"backupCode", backup_code}});
}

unsigned knock(const HttpClient& client, const std::string& access_token) {
    return client.get("/api/shared/user/2fa/status", bearer(access_token)).status;
}

}  // namespace consentry::tests
