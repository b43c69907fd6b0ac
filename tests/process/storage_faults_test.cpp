// Writing to disk fails: the process claims nothing that it has not done, stays alive, and works again afterwards
// (STO-2, STO-4).
#include <chrono>

#include <sys/resource.h>

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "tests/support/faulty_vfs.hpp"
#include "tests/support/instrumented.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/service.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

// Limits the size of every file that the process writes, like a full disk or a quota.
void limit_file_size(pid_t process, rlim_t bytes) {
    rlimit limit{};
    ASSERT_EQ(::prlimit(process, RLIMIT_FSIZE, nullptr, &limit), 0);
    limit.rlim_cur = bytes;
    ASSERT_EQ(::prlimit(process, RLIMIT_FSIZE, &limit, nullptr), 0);
}

TEST(STO_4, AFullDiskIsReportedAndSurvived) {
    const TempFolder folder;
    Person ada = make_person(folder.path(), "ada@example.org");
    Person bob = make_person(folder.path(), "bob@example.org");
    ServiceProcess service(folder.path());
    const HttpClient client = service.client();
    turn_two_factor_on(client, ada);
    const TokenTexts tokens = tokens_of(client, bob);
    const std::string challenge = log_in(client, ada).text("data.challengeToken");
    const std::string sessions = "SELECT count(*) FROM sessions WHERE revoked_at IS NULL";
    const auto before = run_sql(folder / "data" / "consentry.db", sessions);

    limit_file_size(service.program().pid(), 4096);
    for (int i = 0; i < 5; ++i) {
        const Answer login = log_in(client, bob);
        EXPECT_EQ(login.status, 503U) << login.body;
        EXPECT_EQ(login.headers.contains("retry-after"), true);
        EXPECT_EQ(login.body.contains("consentry.db"), false) << "no detail: " << login.body;
        EXPECT_EQ(client.post("/api/shared/user/logout", {}, bearer(tokens.access)).status, 503U);
        EXPECT_EQ(client.post("/api/shared/user/refresh", {}, bearer(tokens.refresh)).status, 503U);
        EXPECT_EQ(verify_backup(client, challenge, ada.backup_codes[0]).status, 503U);
    }
    EXPECT_EQ(client.get("/api/health/live").status, 200U) << "alive";
    EXPECT_EQ(client.get("/api/health/ready").status, 503U) << "and not fit to serve";

    limit_file_size(service.program().pid(), RLIM_INFINITY);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (client.get("/api/health/ready").status != 200U && std::chrono::steady_clock::now() < deadline)
        client.post("/api/shared/user/2fa/setup", {}, bearer(tokens.access));  // only a write notices the change
    EXPECT_EQ(client.get("/api/health/ready").status, 200U);
    EXPECT_EQ(run_sql(folder / "data" / "consentry.db", sessions), before) << "what was refused was not done";
    EXPECT_EQ(knock(client, tokens.access), 200U);
    EXPECT_EQ(verify_backup(client, challenge, ada.backup_codes[0]).status, 200U) << "nothing of it was spent";
    EXPECT_EQ(client.post("/api/shared/user/refresh", {}, bearer(tokens.refresh)).status, 200U);
    EXPECT_EQ(service.stop().code, 0);
}

TEST(STO_4, ACommandOnAFullDiskFailsAndChangesNothing) {
    if constexpr (instrumented) GTEST_SKIP() << "a sanitizer's own start writes files, and may meet the limit";
    const TempFolder folder;
    const Person ada = make_person(folder.path(), "ada@example.org");
    // The limit is set right after the process was created, before the command writes.
    Program program({"user", "password", "set", "--email", ada.email}, folder.path(), quick_settings(),
                    "Copper-Meadow-77\n");
    limit_file_size(program.pid(), 0);
    const ExitStatus ended = program.wait();
    EXPECT_EQ(ended.signal, 0);
    EXPECT_EQ(ended.code, 1) << program.err();
    const ServiceProcess service(folder.path());
    EXPECT_EQ(log_in(service.client(), ada).status, 200U);
}

// Runs the service in this process on a VFS that fails from the n-th write or sync on, for n = 1, 2, 3 ... until a
// request completes without meeting a fault.
template <class Request, class Check>
int fault_at_each_write(Service& service, FaultyVfs::Kind kind, Request request, Check check) {
    for (int n = 1; n < 120; ++n) {
        SCOPED_TRACE("the fault is at write " + std::to_string(n));
        auto prepared = request();
        FaultyVfs::arm(n, kind, true);
        const Answer answer = prepared();
        const bool met = FaultyVfs::disarm();
        EXPECT_TRUE(answer.status == 200U || answer.status == 503U || answer.status == 500U) << answer.body;
        // The checkpoint that follows an answer may fail as well, which must not undo the change. The first answer was
        // compared with the API document; each further start would make the document anew.
        service.restart({{"DOC_ENABLE", "false"}, {"PAGES_ENABLE", "false"}});
        check(answer);
        if (!met || ::testing::Test::HasFailure()) return n;
    }
    ADD_FAILURE() << "there is always another write";
    return 0;
}

// Makes the faulty VFS the default for connections that request no other.
struct FaultyFiles {
    FaultyFiles() {
        FaultyVfs::install();
        sqlite3_vfs_register(sqlite3_vfs_find(FaultyVfs::name), 1);
    }
};

class StorageFaults : public ::testing::TestWithParam<FaultyVfs::Kind> {
protected:
    const FaultyFiles files_{};  // constructed before the service opens its files
    // The clock stands still, so all sessions begin at the same time. The high limit avoids ending an arbitrary one.
    // The logs are off: they write between the requests, and the fault would meet them.
    Service service_{{{"SESSION_MAX_PER_USER", "1000"}, {"CONSENT_LOG_ENABLE", "false"}}};
};

TEST_P(StorageFaults, STO_2_AVerificationIsWholeOrNothing) {
    Person ada = service_.make_person();
    service_.turn_two_factor_on(ada);
    std::string challenge;
    std::size_t used = 0;
    const auto spend_of = [&] { return std::stoi(service_.sql("SELECT count(*) FROM backup_codes")[0][0]); };
    int codes = spend_of();
    const int n = fault_at_each_write(
        service_, GetParam(),
        [&] {
            if (used == ada.backup_codes.size()) {  // each code is spent, or was refused and is left unused
                const TokenTexts tokens = service_.turn_two_factor_on(ada = service_.make_person());
                used = 0;
                codes = spend_of();
            }
            challenge = service_.challenge_of(ada);
            codes = spend_of();
            return [&, code = ada.backup_codes[used++]] { return service_.verify_backup(challenge, code); };
        },
        [&](const Answer& answer) {
            const std::string digest = to_hex(crypto::sha256(challenge));
            const auto sessions = service_.sql("SELECT id FROM sessions WHERE challenge_digest = X'" + digest + "'");
            const bool spent = spend_of() == codes - 1;
            EXPECT_EQ(sessions.size() == 1, spent) << "half a verification";
            if (answer.status == 200U) EXPECT_TRUE(spent) << "answered and not done";
        });
    EXPECT_GE(n, 2) << "no fault was met at all";
}

TEST_P(StorageFaults, STO_2_AChangeOfPasswordIsWholeOrNothing) {
    Person ada = service_.make_person();
    int number = 0;
    std::string next;
    const int n = fault_at_each_write(
        service_, GetParam(),
        [&] {
            const std::string access = service_.tokens_of(ada).access;
            next = "Copper-Meadow-" + std::to_string(++number);
            return [&, access] {
                return service_.patch("/api/shared/user/change-password",
                                      {{"oldPassword", ada.password}, {"newPassword", next}}, bearer(access));
            };
        },
        [&](const Answer& answer) {
            const bool ended =
                service_.sql("SELECT id FROM sessions WHERE revoked_at IS NULL AND user_id = '" + ada.id.text() + "'")
                    .empty();
            const bool changed = service_.log_in(ada.email, next).status == 200U;
            EXPECT_EQ(ended, changed) << "half a change";
            if (answer.status == 200U) EXPECT_TRUE(changed) << "answered and not done";
            if (changed) ada.password = next;
            EXPECT_EQ(service_.log_in(ada).status, 200U);
        });
    EXPECT_GE(n, 2) << "no fault was met at all";
}

INSTANTIATE_TEST_SUITE_P(Kinds, StorageFaults,
                         ::testing::Values(FaultyVfs::Kind::io_error, FaultyVfs::Kind::disk_full,
                                           FaultyVfs::Kind::torn_write),
                         [](const auto& info) {
                             switch (info.param) {
                                 case FaultyVfs::Kind::io_error:
                                     return "IoError";
                                 case FaultyVfs::Kind::disk_full:
                                     return "DiskFull";
                                 case FaultyVfs::Kind::torn_write:
                                     break;
                             }
                             return "TornWrite";
                         });

}  // namespace
}  // namespace consentry::tests
