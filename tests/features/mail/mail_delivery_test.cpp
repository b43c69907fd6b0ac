// Tests mails from the change that causes them to their delivery, here as files.
#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <spdlog/spdlog.h>

#include "app/app.hpp"
#include "app/config/read_config.hpp"
#include "app/config/settings.hpp"
#include "app/mail_transport.hpp"
#include "features/mail/delivery.hpp"
#include "tests/support/calls/mail_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// With break_writes(): no instance takes a mail, so that a test finds it in the table.
constexpr const char* taking = "UPDATE OF taken_by ON mails";

bool nothing_waits(const Service& service) {
    return eventually([&] { return rows_of_mails(service) == "0"; });
}

TEST(Mail, AChangeOfPasswordIsToldToTheOwner) {
    Service service;
    const Person ada = service.make_person();
    ASSERT_EQ(change_password(service, ada, "Copper-Meadow-77").status, 200U);
    const ReceivedMail mail = Mailbox(service).wait_for(ada.email, "passwordChanged");
    EXPECT_EQ(mail.subject, "Your password was changed");
    EXPECT_EQ(mail.from, "noreply@mail.com");
    EXPECT_EQ(mail.header("from"), "\"Consentry\" <noreply@mail.com>");
    EXPECT_EQ(mail.header("auto-submitted"), "auto-generated");
    EXPECT_EQ(mail.header("date"), "Tue, 14 Nov 2023 22:13:30 +0000");
    EXPECT_THAT(mail.text, HasSubstr("IP address: 127.0.0.1\n"));
    EXPECT_THAT(mail.text, HasSubstr("2023-11-14 22:13 UTC"));
    EXPECT_THAT(mail.html, HasSubstr("127.0.0.1"));
    EXPECT_TRUE(nothing_waits(service));
}

// The notice of a lock is written after the answer (PWD-1), until then it exists only in memory.
TEST(Mail, AStopWritesTheNoticesOfLocks) {
    Service service;
    const Person ada = service.make_person();
    service.break_writes("INSERT ON mails");
    for (int i = 0; i < 5; ++i) service.log_in(ada.email, "Wrong-Harbor-42");
    service.mend_writes();
    service.restart();
    EXPECT_EQ(Mailbox(service).wait_for(ada.email, "passwordLocked").subject, "Too many wrong passwords");
}

// A mail stays sealed while its delivery is retried, so the secret that sealed it must stay in the list for as long.
TEST(Mail, AChangedSecretOpensWhatTheFormerOneSealed) {
    const std::string former(32, 'a');
    const std::string next(32, 'b');
    Service service({{"APP_ENCRYPTION_SECRET_KEY", former}});
    const Person ada = service.make_person();
    service.break_writes(taking);
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    service.restart({{"APP_ENCRYPTION_SECRET_KEY", next + "," + former}});
    service.pass(MailDelivery::patience - 1h);
    service.mend_writes();
    EXPECT_EQ(Mailbox(service).wait_for(ada.email, "passwordChanged").subject, "Your password was changed");

    static_assert(MailDelivery::patience == std::chrono::days{3});
    EXPECT_THAT(std::string(find_setting("APP_ENCRYPTION_SECRET_KEY")->description),
                HasSubstr("remove the old one after three days"));
}

TEST(Mail, ItIsInTheLanguageOfTheAccount) {
    Service service;
    const Person ada = service.make_person();
    service.sql("UPDATE users SET language = 'ja'");
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    const ReceivedMail mail = Mailbox(service).wait_for(ada.email, "passwordChanged");
    EXPECT_EQ(mail.subject, "パスワードが変更されました");
    EXPECT_THAT(mail.text, HasSubstr("こんにちは"));
    EXPECT_EQ(mail.header("content-language"), "ja");
}

// As the guide says: grep is enough. A name that is not ASCII, too, changes nothing.
TEST(Mail, AFileHasTheWholeLinkOnOneLineInEveryLanguage) {
    Service service({{"HOME_NAME", "Größe & Söhne"}});
    const Person ada = service.make_person();
    const std::string token(100, 'T');
    for (const std::string_view language : language_names) {
        service.sql("UPDATE users SET language = '" + std::string(language) + "'");
        ASSERT_TRUE(write_mail(service, ada, MailKind::verify_email, {{"token", token}}));
        ASSERT_TRUE(nothing_waits(service));
    }
    const auto folder = service.folder() / "data" / "mail";
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        EXPECT_THAT(text_in(entry.path()), HasSubstr("/verify-email/" + token + "\r\n")) << entry.path();
        ++files;
    }
    EXPECT_EQ(files, language_names.size());
}

TEST(Mail, FilesAreForTheirOwnerAlone) {
    Service service;
    const Person ada = service.make_person();
    ASSERT_TRUE(write_mail(service, ada, MailKind::forgot_password, {{"token", "abc"}}));
    Mailbox(service).wait_for(ada.email, "forgotPassword");
    const auto folder = service.folder() / "data" / "mail";
    struct stat facts{};
    ASSERT_EQ(::stat(folder.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0700U);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        ASSERT_EQ(::stat(entry.path().c_str(), &facts), 0);
        EXPECT_EQ(facts.st_mode & 0777U, 0600U);
        EXPECT_THAT(entry.path().filename().string(), ::testing::MatchesRegex("20231114T221330Z-[0-9a-f-]+[.]eml"));
    }
}

TEST(REC_4, NoHeaderOfARequestChangesALink) {
    Service service({{"PUBLIC_URL", "https://velvet.example"}, {"HOME_URL", "https://velvet.example/site/"}});
    const Person ada = service.make_person();
    const Headers evil{{"X-Forwarded-Host", "evil.example"},
                       {"X-Forwarded-Proto", "gopher"},
                       {"Forwarded", "host=evil.example;proto=http"},
                       {"Origin", "https://evil.example"},
                       {"Referer", "https://evil.example/x"}};
    service.get("/api/public/hello", evil);
    ASSERT_TRUE(write_mail(service, ada, MailKind::verify_email, {{"token", "abc"}}));
    const ReceivedMail mail = Mailbox(service).wait_for(ada.email, "verifyEmail");
    EXPECT_EQ(mail.link(), "https://velvet.example/verify-email/abc");
    EXPECT_THAT(mail.raw, Not(HasSubstr("evil")));
}

TEST(REC_4, WithoutPagesALinkLeadsToTheHomeOfTheOperator) {
    Service service({{"PAGES_ENABLE", "false"}, {"HOME_URL", "https://velvet.example/site/"}});
    const Person ada = service.make_person();
    ASSERT_TRUE(write_mail(service, ada, MailKind::verify_email, {{"token", "abc"}}));
    EXPECT_EQ(Mailbox(service).wait_for(ada.email, "verifyEmail").link(),
              "https://velvet.example/site/verify-email/abc");
}

TEST(REC_5, TheAddressIsTheAccountsAndNobodyElseGetsAMail) {
    Service service;
    const Person ada = service.make_person();
    const Person eve = service.make_person();
    EXPECT_FALSE(write_mail(service.app(), UserId::make(service.clock().now()), MailKind::welcome))
        << "no such account";
    ASSERT_TRUE(write_mail(service, ada, MailKind::forgot_password,
                           {{"token", "abc"}, {"to", eve.email}, {"address", eve.email}, {"email", eve.email}}));
    const ReceivedMail mail = Mailbox(service).wait_for(ada.email, "forgotPassword");
    EXPECT_THAT(mail.raw, Not(HasSubstr(eve.email)));
    EXPECT_THAT(Mailbox(service).all(eve.email), IsEmpty());
}

TEST(LOG_1, WhatAMailHoldsIsInNoLogAndNotReadableInTheDatabase) {
    Service service({{"LOGGER_ENABLE", "true"}, {"LOGGER_LEVEL", "debug"}, {"LOGGER_AUTO", "true"}});
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const Person ada = service.make_person();
    ASSERT_TRUE(write_mail(service, ada, MailKind::temporary_password, {{"password", "Zebra-Quartz-19"}}));
    Mailbox(service).wait_for(ada.email, "temporaryPassword");
    ASSERT_TRUE(nothing_waits(service));
    service.restart();
    const std::string said = ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, Not(HasSubstr("Zebra")));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(service.folder() / "data")) {
        if (!entry.is_regular_file() || entry.path().extension() == ".eml") continue;
        EXPECT_FALSE(text_in(entry.path()).contains("Zebra-Quartz")) << entry.path();
    }
}

TEST(Mail, AnOutageOfTheDatabaseLosesNoneAndSendsNoneTwice) {
    Service service;
    const Person ada = service.make_person();
    const Mailbox mailbox(service);
    service.break_writes("DELETE ON mails");  // the mail is sent, but its row stays
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    mailbox.wait_for(ada.email, "welcome");
    mailbox.clear();
    service.mend_writes();
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_THAT(mailbox.all(), IsEmpty());

    service.break_writes(taking);
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    service.mend_writes();
    mailbox.wait_for(ada.email, "passwordChanged");
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_EQ(service.app().mail_delivery().sent(), 2U);
}

// Leaves a mail that waits because the folder of mails could not be written to. Now it can.
void fail_once(Service& service, const Person& person) {
    const auto folder = service.folder() / "data" / "mail";
    std::filesystem::remove_all(folder);
    std::ofstream(folder.string()) << "in the way";
    ASSERT_TRUE(write_mail(service, person, MailKind::welcome));
    ASSERT_TRUE(
        eventually([&] { return rows_of_mails(service, "last_error IS NOT NULL AND taken_by IS NULL") == "1"; }));
    std::filesystem::remove(folder);
    std::filesystem::create_directory(folder);
}

TEST(Mail, AFolderThatCannotBeWrittenToHoldsThemUp) {
    Service service;
    const Person ada = service.make_person();
    fail_once(service, ada);
    service.pass(15s);
    Mailbox(service).wait_for(ada.email, "welcome");
}

TEST(Mail, AClockThatIsSetBackDelaysNone) {
    Service service;
    const Person ada = service.make_person();
    fail_once(service, ada);
    service.clock().advance(-1h);
    Mailbox(service).wait_for(ada.email, "welcome");
}

// A mail server that notes what it gets, and calls back at the first announcement.
class NotingServer final : public MailTransport {
public:
    explicit NotingServer(std::function<void()> at_announcement) : at_announcement_(std::move(at_announcement)) {}

    Posting post(const PostedMail& mail, const std::stop_token&) override {
        kinds_.push_back(read_mail(mail.content).kind);
        if (kinds_.back() == "policyPublished") std::exchange(at_announcement_, [] {})();
        return {Posting::Verdict::done, {}};
    }
    const std::vector<std::string>& kinds() const { return kinds_; }

private:
    std::function<void()> at_announcement_;
    std::vector<std::string> kinds_;  // read only after the delivery has ended
};

// Regression: all mails left in the order of their times, so a reset of a password waited for two hundred
// announcements.
TEST(Mail, AnAnnouncementLeavesAfterAllOthers) {
    const TempFolder folder;
    const ManualClock clock(from_epoch_ms(1'700'000'010'000));
    const Config config = read_config(test_settings(folder.path())).value();
    std::unique_ptr<MailDelivery> delivery;  // outlives the services, as in App
    Services services(config, clock);
    User user;
    user.email = "ada@example.org";
    user.role_id = built_in_role(Role::user);
    const UserId ada = run(services.passwords.create(std::move(user), right_password)).value();
    const auto write = [&](MailKind kind, MailFacts facts) {
        storage::Transaction transaction;
        services.mails.add(transaction, ada, kind, std::move(facts), clock.now());
        EXPECT_TRUE(run(services.database.commit(std::move(transaction))).committed);
    };
    for (int i = 0; i < 100; ++i)
        write(MailKind::policy_published, {{"type", "privacy"}, {"version", "1"}, {"url", "https://velvet.example/1"}});
    write(MailKind::forgot_password, {{"token", "early"}});
    const auto later = [&] { write(MailKind::verify_email, {{"token", "late"}}); };
    auto transport = std::make_unique<NotingServer>(later);
    const NotingServer& server = *transport;
    delivery = std::make_unique<MailDelivery>(
        MailDelivery::Options{.transport = std::move(transport), .site = mail_site(config), .sender = "no@example.com"},
        MailDelivery::Parts{services.database, clock, services.locales, services.mails, services.audit},
        spdlog::default_logger());
    delivery->start();
    EXPECT_TRUE(eventually([&] { return delivery->sent() == 102; }));
    delivery->stop();
    delivery->wait();
    const auto place_of = [&](std::string_view kind) {
        return std::ranges::find(server.kinds(), kind) - server.kinds().begin();
    };
    EXPECT_EQ(place_of("forgotPassword"), 0);
    EXPECT_LE(place_of("verifyEmail"), 11) << "written while announcements leave";
}

TEST(Mail, OneThatThisProgramCannotReadWaitsForAnotherThatCan) {
    Service service;
    const Person ada = service.make_person();
    service.break_writes(taking);
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    service.sql("UPDATE mails SET kind = 'inventedLater' WHERE kind = 'welcome'");
    service.mend_writes();
    Mailbox(service).wait_for(ada.email, "passwordChanged");
    ASSERT_TRUE(
        eventually([&] { return rows_of_mails(service, "last_error = 'cannot be decrypted or read'") == "1"; }));
    service.sql("UPDATE mails SET kind = 'welcome'");
    service.pass(15s);
    Mailbox(service).wait_for(ada.email, "welcome");
}

TEST(Mail, WhatWasGivenUpIsErasedAfterThirtyDays) {
    Service service;
    const Person ada = service.make_person();
    service.break_writes(taking);
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    const auto give_up = [&](const std::string& kind, std::chrono::days ago) {
        service.sql("UPDATE mails SET failed_at = " + std::to_string(epoch_ms(service.clock().now() - ago)) +
                    " WHERE kind = '" + kind + "'");
    };
    give_up("welcome", std::chrono::days{31});
    give_up("passwordChanged", std::chrono::days{29});
    service.mend_writes();
    run(service.app().services().clean_up());
    EXPECT_EQ(rows_of_mails(service), "1");
    EXPECT_EQ(rows_of_mails(service, "kind = 'passwordChanged'"), "1");
    EXPECT_THAT(Mailbox(service).all(), IsEmpty());
}

}  // namespace
}  // namespace consentry::tests
