// `consentry serve` is killed while it writes and sends mails. After the next start it sends every requested mail, and
// any copies of a mail share one Message-ID.
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

constexpr int people = 40;

std::string address(int round, int person) {
    return "person" + std::to_string(round * people + person) + "@example.org";
}

class MailKill : public ::testing::Test {
protected:
    MailKill() {
        sql("INSERT INTO users (id, email, username, role, role_id, status, is_verified, sign_up_at, sign_up_from, "
            "sign_up_with, created_at, updated_at) WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
            "WHERE i < 999) SELECT printf('01890000-0000-7000-8000-%012d', i), 'person' || i || '@example.org', "
            "'person' || i, role, role_id, status, TRUE, 1, sign_up_from, sign_up_with, 1, 1 FROM n, users WHERE email "
            "= "
            "'first@example.org'");
    }
    std::vector<std::vector<std::string>> sql(const std::string& statement) const {
        return run_sql(folder_ / "data" / "consentry.db", statement);
    }
    std::size_t files() const { return mailbox().all().size(); }
    Mailbox mailbox() const { return Mailbox(folder_ / "data" / "mail"); }
    bool all_is_sent() const {
        return sql("SELECT (SELECT COUNT(*) FROM link_requests WHERE handled_at IS NULL) + (SELECT COUNT(*) FROM "
                   "mails)")[0][0] == "0";
    }

    const TempFolder folder_;
    const Person first_ = make_person(folder_.path(), "first@example.org");
};

TEST_F(MailKill, WhatWasAskedForIsSentAfterTheNextStart) {
    const Settings settings = quick_settings();
    int round = 0;
    bool was_cut_short = false;
    for (const std::size_t moment : {0U, 1U, 5U, 12U, 25U, 39U, 0U, 3U, 30U}) {
        SCOPED_TRACE("killed after " + std::to_string(moment) + " mails");
        const std::size_t before = files();
        std::set<std::string> acknowledged;
        {
            ServiceProcess service(folder_.path(), settings);
            const HttpClient client = service.client();
            std::atomic<bool> done = false;
            std::jthread asking([&] {
                try {
                    for (int person = 0; person < people; ++person)
                        if (client.post("/api/public/user/password/forgot", {{"email", address(round, person)}})
                                .status == 200U)
                            acknowledged.insert(address(round, person));
                } catch (const boost::system::system_error&) {
                }
                done = true;
            });
            while (!done && files() < before + moment) std::this_thread::yield();
            service.kill();
        }
        was_cut_short |= !all_is_sent();
        sql("UPDATE mails SET taken_until = 1 WHERE taken_until IS NOT NULL");  // as if their claims had expired
        {
            ServiceProcess service(folder_.path(), settings);
            EXPECT_TRUE(eventually([&] { return all_is_sent(); }));
            EXPECT_EQ(service.stop().code, 0);
        }
        std::map<std::string, std::set<std::string>> ids;
        for (const ReceivedMail& mail : mailbox().all({}, "forgotPassword"))
            ids[mail.to].insert(mail.header("message-id"));
        for (const std::string& one : acknowledged) EXPECT_EQ(ids[one].size(), 1U) << one;
        ++round;
    }
    EXPECT_TRUE(was_cut_short);
}

}  // namespace
}  // namespace consentry::tests
