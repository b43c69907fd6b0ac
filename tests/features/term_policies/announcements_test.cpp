// Tests that users learn of a publication by mail, and that no request waits for the mails.
#include <set>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "base/error.hpp"
#include "tests/support/calls/mail_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/mail_server.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// No mail leaves, so that the written mails can be counted.
const Environment no_mail_server{{"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}};

constexpr const char* announced = "kind = 'policyPublished'";

// Inserts active users, created at the current time, directly into the table.
void add_users(Service& service, int count, bool are_verified = true) {
    const std::string now = std::to_string(epoch_ms(service.clock().now()));
    std::string values;
    for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(100'000 + i);
        values += (i > 0 ? ", ('" : "('") + std::string("018b0000-0000-7000-8000-000000") + number + "', 'many" +
                  number + "@example.org', 'many" + number +
                  "', 'user', '00000000-0000-7000-8000-000000000001', 'active', " + (are_verified ? "TRUE" : "FALSE") +
                  ", 1, 'website', 'credential', " + now + ", " + now + ")";
    }
    service.sql(
        "INSERT INTO users (id, email, username, role, role_id, status, is_verified, sign_up_at, sign_up_from, "
        "sign_up_with, created_at, updated_at) VALUES " +
        values);
}

// Works off the announcements four times concurrently, as several instances do.
void run_all_at_once(Announcements& announcements) {
    std::vector<awaitable<bool>> works;
    const auto one = [](Announcements& its) -> awaitable<bool> {
        co_await its.work_off();
        co_return true;
    };
    for (int i = 0; i < 4; ++i) works.push_back(one(announcements));
    values_of(std::move(works));
}

TEST(Announcements, EverybodyWhoIsActiveHearsOfIt) {
    Service service;
    const PolicyDesk desk(service);
    const Person ada = service.make_person();
    const Person bob = service.make_person();
    const Person eve = service.make_person();
    const Person fay = service.make_person();
    service.sql("UPDATE users SET language = 'de' WHERE id = '" + ada.id.text() + "'");
    service.sql("UPDATE users SET status = 'inactive' WHERE id = '" + eve.id.text() + "'");
    service.sql("UPDATE users SET is_verified = FALSE WHERE id = '" + fay.id.text() + "'");
    desk.published("privacy", 4, texts_in({"en", "de"}));
    const ReceivedMail german = Mailbox(service).wait_for(ada.email, "policyPublished");
    EXPECT_NE(german.text.find("4"), std::string::npos);
    EXPECT_THAT(german.link(), EndsWith("/policies/privacy/4?text=de")) << "in the reader's language";
    const ReceivedMail english = Mailbox(service).wait_for(bob.email, "policyPublished");
    EXPECT_THAT(english.link(), EndsWith("/policies/privacy/4?text=en"));
    for (const auto& [language, mail] : {std::pair{"de", german}, std::pair{"en", english}}) {
        const Answer page = desk.fetch(mail.link());
        EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8");
        EXPECT_THAT(page.body, HasSubstr(std::string("text in ") + language + ", {company}"));
    }
    EXPECT_TRUE(eventually([&] {
        return service.sql("SELECT COUNT(*) FROM term_policy_announcements")[0][0] == "0" &&
               rows_of_mails(service) == "0";
    }));
    EXPECT_EQ(Mailbox(service).all({}, "policyPublished").size(), 3U) << "the admin, Ada and Bob, once each";
    EXPECT_TRUE(Mailbox(service).all(eve.email).empty());
    EXPECT_TRUE(Mailbox(service).all(fay.email).empty());
}

TEST(Announcements, LinkToTheFileWhileThePagesAreOff) {
    Service service({{"PAGES_ENABLE", "false"}});
    const PolicyDesk desk(service);
    const Person ada = service.make_person();
    desk.published("privacy", 1, texts_in({"en", "de"}));
    const ReceivedMail mail = Mailbox(service).wait_for(ada.email, "policyPublished");
    EXPECT_THAT(mail.link(), HasSubstr("/files/public/term-policies/privacy/1/en."));
    EXPECT_EQ(desk.fetch(mail.link()).body, texts_in({"en"}).at("en"));
}

TEST(Announcements, WhoCameLaterIsNotWrittenTo) {
    Service service(no_mail_server);
    const PolicyDesk desk(service);
    service.break_writes("INSERT ON mails");
    desk.published("privacy", 1, texts_in({"en"}));
    service.pass(std::chrono::seconds{1});
    const Person late = service.make_person();
    service.mend_writes();
    EXPECT_TRUE(eventually([&] {
        service.app().services().mails.wake();
        return service.sql("SELECT COUNT(*) FROM term_policy_announcements")[0][0] == "0";
    }));
    EXPECT_EQ(rows_of_mails(service, announced), "1");
    EXPECT_EQ(rows_of_mails(service, "user_id = '" + late.id.text() + "'"), "0");
}

// The version that was announced first can no longer be accepted.
TEST(Announcements, AreAboutTheVersionThatIsTheLatestByThen) {
    Service service;
    const PolicyDesk desk(service);
    const Person ada = service.make_person();
    service.break_writes("INSERT ON mails");
    desk.published("privacy", 3, texts_in({"en"}, "three"));
    const std::string next = desk.draft("privacy", 4, texts_in({"en"}, "four"));
    ASSERT_EQ(
        desk.call("PATCH", "publish/" + next, {{"isMaterial", false}, {"materialReason", "A typing error"}}).status,
        200U);
    service.mend_writes();
    ASSERT_TRUE(eventually([&] {
        service.app().services().mails.wake();
        return !Mailbox(service).all(ada.email, "policyPublished").empty();
    }));
    const ReceivedMail mail = Mailbox(service).wait_for(ada.email, "policyPublished");
    EXPECT_THAT(mail.link(), EndsWith("/policies/privacy/4?text=en"));
    EXPECT_THAT(desk.fetch(mail.link()).body, HasSubstr("four in en, {company}"));
    EXPECT_TRUE(eventually([&] { return service.sql("SELECT COUNT(*) FROM term_policy_announcements")[0][0] == "0"; }));
    EXPECT_EQ(Mailbox(service).all(ada.email, "policyPublished").size(), 1U);
}

TEST(Announcements, WaitForATextThatIsMissing) {
    Service service(no_mail_server);
    const PolicyDesk desk(service);
    desk.published("privacy", 1, texts_in({"en"}));
    // The service has worked this one off, so it no longer holds a text that it could still announce.
    ASSERT_TRUE(eventually([&] { return service.sql("SELECT COUNT(*) FROM term_policy_announcements")[0][0] == "0"; }));
    service.sql("DELETE FROM mails WHERE kind = 'policyPublished'");
    service.sql("CREATE TABLE lost AS SELECT * FROM term_policy_contents");
    service.sql("DELETE FROM term_policy_contents");
    service.sql("INSERT INTO term_policy_announcements (term_policy_id, created_at) SELECT id, " +
                std::to_string(epoch_ms(service.clock().now())) + " FROM term_policies WHERE type = 'privacy'");
    auto& announcements = service.app().services().announcements;
    EXPECT_THROW(run(announcements.work_off()), Unavailable);
    EXPECT_EQ(rows_of_mails(service, announced), "0");
    service.sql("INSERT INTO term_policy_contents SELECT * FROM lost");
    EXPECT_TRUE(eventually([&] {
        run(announcements.work_off());
        return rows_of_mails(service, announced) == "1";
    }));
}

TEST(Announcements, AHundredAtATimeAndEachOnce) {
    Service service(no_mail_server);
    const PolicyDesk desk(service);
    add_users(service, 249);
    service.break_writes("UPDATE OF taken_by ON mails");
    desk.published("privacy", 1, texts_in({"en"}));
    auto& announcements = service.app().services().announcements;
    EXPECT_TRUE(eventually([&] { return rows_of_mails(service, announced) == "100"; }));
    // While none has been tried, concurrent instances write no more mails.
    for (int i = 0; i < 3; ++i) run_all_at_once(announcements);
    EXPECT_EQ(rows_of_mails(service, announced), "100");
    service.mend_writes();
    // The first attempt fails, and no other follows while the clock stands still.
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "last_error IS NOT NULL") == "1"; }));

    std::set<std::string> readers;
    const auto deliver = [&] {
        for (const auto& row : service.sql("SELECT user_id FROM mails WHERE kind = 'policyPublished'"))
            EXPECT_TRUE(readers.insert(row[0]).second) << "written to twice";
        service.sql("DELETE FROM mails WHERE kind = 'policyPublished'");
    };
    while (service.sql("SELECT COUNT(*) FROM term_policy_announcements")[0][0] != "0") {
        service.break_writes("INSERT ON mails");
        deliver();
        service.mend_writes();
        run_all_at_once(announcements);
        EXPECT_LE(std::stoi(rows_of_mails(service, announced)), 100);
    }
    deliver();
    EXPECT_EQ(readers.size(), 250U);
}

// Regression: mails that a server puts off wait for up to three days, and a hundred of them stopped the announcement.
TEST(Announcements, ReachThoseWhoComeAfterManyWhoseMailsArePutOff) {
    const MailServer server(MailServerTls::none);
    Service service({{"MAIL_URL", server.url()}});
    const PolicyDesk desk(service);
    add_users(service, 150);
    const Person ada = service.make_person();
    server.fail(R"({"step": "rcpt", "answer": "451 4.7.1 Greylisted", "but": ")" + ada.email + R"("})");
    desk.published("privacy", 1, texts_in({"en"}));
    EXPECT_EQ(server.wait_for(1)[0].to, ada.email);
    EXPECT_TRUE(eventually([&] { return service.sql("SELECT COUNT(*) FROM term_policy_announcements")[0][0] == "0"; }));
    // The admin's mail is put off, too.
    EXPECT_TRUE(eventually(
        [&] { return rows_of_mails(service, announced + std::string(" AND last_error IS NOT NULL")) == "151"; }));
    EXPECT_EQ(server.mails().size(), 1U);
}

// More than two portions of accounts: none is skipped where one portion ends and the next begins.
TEST(Announcements, ReachThoseWhoComeAfterManyWithoutAVerifiedAddress) {
    Service service(no_mail_server);
    const PolicyDesk desk(service);
    add_users(service, 2'100, false);
    const Person ada = service.make_person();
    desk.published("privacy", 1, texts_in({"en"}));
    EXPECT_TRUE(eventually([&] { return service.sql("SELECT COUNT(*) FROM term_policy_announcements")[0][0] == "0"; }));
    EXPECT_EQ(service.sql("SELECT COUNT(*) FROM mails WHERE kind = 'policyPublished' AND user_id = '" + ada.id.text() +
                          "'")[0][0],
              "1");
}

}  // namespace
}  // namespace consentry::tests
