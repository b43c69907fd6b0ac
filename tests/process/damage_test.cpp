// Consentry detects and refuses damaged data, and never serves it (STO-3).
#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/program_people.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

void write_at(const fs::path& file, std::streamoff offset, std::string_view bytes) {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(offset);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    EXPECT_TRUE(out.flush()) << file;
}

// A folder in which the service has run, with one account that has two-factor on.
class STO_3 : public ::testing::Test {
protected:
    STO_3() {
        ada = make_person(folder.path(), "ada@example.org");
        ServiceProcess service(folder.path());
        turn_two_factor_on(service.client(), ada);
        EXPECT_EQ(service.stop().code, 0);
    }
    void expect_refused(const std::string& name) const {
        const Finished refused = run_program({"serve"}, folder.path(), quick_settings());
        EXPECT_EQ(refused.code, 1);
        EXPECT_THAT(refused.err, HasSubstr(name));
    }
    // Passes the password step and sends correct second factors, which the service cannot verify.
    void expect_cannot_log_in(const HttpClient& client) const {
        const Answer login = log_in(client, ada);
        ASSERT_EQ(login.status, 200U) << login.body;
        EXPECT_TRUE(login.boolean("data.isTwoFactorRequired")) << "damage does not turn two-factor off";
        EXPECT_FALSE(login.has("data.tokens"));
        const std::string challenge = login.text("data.challengeToken");
        for (const Answer& answer :
             {verify(client, challenge, code_of(ada, 1)), verify_backup(client, challenge, ada.backup_codes[0])}) {
            EXPECT_EQ(answer.status, 500U) << answer.body;
            EXPECT_FALSE(answer.has("data"));
            EXPECT_THAT(answer.body, Not(HasSubstr("record")));
            EXPECT_THAT(answer.body, Not(HasSubstr(ada.id.text())));
        }
    }
    const TempFolder folder;
    const fs::path data = folder / "data";
    const fs::path database = data / "consentry.db";
    Person ada;
};

TEST_F(STO_3, ADatabaseCutOffStopsTheStart) {
    for (const std::uintmax_t size : {1000U, 50U}) {
        fs::resize_file(database, size);
        expect_refused("consentry.db");
    }
}

TEST_F(STO_3, ADatabaseCutInTheMiddleStopsTheStart) {
    fs::resize_file(database, fs::file_size(database) / 2);
    expect_refused("consentry.db");
}

TEST_F(STO_3, AnOverwrittenHeaderStopsTheStart) {
    write_at(database, 0, "not a database any more");
    expect_refused("consentry.db");
}

TEST_F(STO_3, AnOverwrittenSchemaStopsTheStart) {
    write_at(database, 100, std::string(200, '\x5A'));
    expect_refused("consentry.db");
}

TEST_F(STO_3, ASecretWithOneFlippedBitMeansCannotLogIn) {
    const ServiceProcess service(folder.path());
    for (const std::string column : {"secret", "iv"}) {
        const std::string before = run_sql(database, "SELECT hex(" + column + ") FROM two_factors")[0][0];
        std::string after = before;
        after[before.size() / 2] = before[before.size() / 2] == '0' ? '1' : '0';
        run_sql(database, "UPDATE two_factors SET " + column + " = X'" + after + "'");
        expect_cannot_log_in(service.client());
        run_sql(database, "UPDATE two_factors SET " + column + " = X'" + before + "'");
    }
    const std::string challenge = log_in(service.client(), ada).text("data.challengeToken");
    EXPECT_EQ(verify(service.client(), challenge, code_of(ada, 1)).status, 200U) << "repaired, the same code is right";
}

TEST_F(STO_3, AMissingSecretMeansCannotLogIn) {
    const ServiceProcess service(folder.path());
    run_sql(database, "UPDATE two_factors SET secret = NULL");
    expect_cannot_log_in(service.client());
    run_sql(database, "UPDATE two_factors SET secret = X''");
    expect_cannot_log_in(service.client());
}

TEST_F(STO_3, AnAlarmIsRaisedForARecordThatCannotBeRead) {
    ServiceProcess service(folder.path());
    run_sql(database, "UPDATE two_factors SET iv = zeroblob(12)");
    expect_cannot_log_in(service.client());
    EXPECT_EQ(service.stop().code, 0);
    EXPECT_THAT(service.program().err(), HasSubstr("two-factor record of user " + ada.id.text()));
}

TEST_F(STO_3, AnotherTwoFactorKeyDoesNotOpenTheRecords) {
    fs::remove(data / "keys" / "two-factor.key");
    const ServiceProcess service(folder.path());  // creates a new key
    expect_cannot_log_in(service.client());
}

TEST_F(STO_3, ADamagedTwoFactorKeyStopsTheStart) {
    for (const std::uintmax_t size : {20U, 0U}) {
        fs::resize_file(data / "keys" / "two-factor.key", size);
        expect_refused("two-factor.key");
    }
}

TEST_F(STO_3, ADamagedSigningKeyStopsTheStart) {
    std::vector<fs::path> keys;
    for (const auto& entry : fs::directory_iterator(data / "keys"))
        if (entry.path().extension() == ".pem") keys.push_back(entry.path());
    ASSERT_EQ(keys.size(), 2U);
    for (const fs::path& key : keys) {
        const fs::path aside = folder / "aside";
        fs::copy_file(key, aside, fs::copy_options::overwrite_existing);
        write_at(key, 60, "!!!!");
        expect_refused(key.filename());
        fs::resize_file(key, 0);
        expect_refused(key.filename());
        fs::copy_file(aside, key, fs::copy_options::overwrite_existing);
    }
    EXPECT_EQ(ServiceProcess(folder.path()).stop().code, 0) << "repaired";
}

TEST_F(STO_3, AKeyDamagedWhileServingNeverReplacesAGoodOne) {
    ServiceProcess service(folder.path());
    const Person bob = make_person(folder.path(), "bob@example.org");
    const TokenTexts tokens = tokens_of(service.client(), bob);
    std::ofstream(data / "keys" / "access-ES256-9999999999999-x.pem") << "half a key";
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds{1'100};  // the service rereads keys every second
    do {
        EXPECT_EQ(knock(service.client(), tokens.access), 200U);
    } while (std::chrono::steady_clock::now() < deadline);
    EXPECT_EQ(knock(service.client(), tokens_of(service.client(), bob).access), 200U);
    const Finished checked = run_program({"config", "check"}, folder.path(), quick_settings());
    EXPECT_EQ(checked.code, 1);
    EXPECT_THAT(checked.err, HasSubstr("access-ES256-9999999999999-x.pem"));
}

}  // namespace
}  // namespace consentry::tests
