// Tests the service with a real mail server that fails at times.
#include "tests/support/mail_server.hpp"

#include <set>
#include <span>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "app/config/read_config.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/mail_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

Environment by(const MailServer& server, Environment more = {}) {
    more.insert({{"MAIL_URL", server.url()}, {"EMAIL_NO_REPLY", "login@velvet.example"}, {"HOME_NAME", "Größe & Co"}});
    return more;
}

std::string security_events(const Service& service) {
    return text_in(service.folder() / "data" / "security" / "events.log");
}

bool nothing_waits(const Service& service) {
    return eventually([&] { return rows_of_mails(service) == "0"; });
}

TEST(MailServer, AMailLeavesByStarttlsWithALogin) {
    const MailServer server(MailServerTls::starttls, "app");
    Service service(by(server));
    const Person ada = service.make_person();
    ASSERT_EQ(change_password(service, ada, "Copper-Meadow-77").status, 200U);
    const auto mails = server.wait_for(1);
    EXPECT_EQ(mails[0].to, ada.email);
    EXPECT_EQ(mails[0].from, "login@velvet.example");
    EXPECT_EQ(mails[0].user, "app");
    EXPECT_TRUE(mails[0].tls);
    EXPECT_EQ(mails[0].mail.kind, "passwordChanged");
    EXPECT_EQ(mails[0].mail.header("from"), "Größe & Co <login@velvet.example>");
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_FALSE(std::filesystem::exists(service.folder() / "data" / "mail"));
}

// Regression: such an address passed the start, and then no mail could be composed.
TEST(MailServer, ASenderIsWrittenAsMailServersReadIt) {
    const MailServer server(MailServerTls::none);
    Service service(by(server, {{"EMAIL_NO_REPLY", "login@münchen.example\n"}}));
    ASSERT_TRUE(write_mail(service, service.make_person(), MailKind::welcome));
    const auto mails = server.wait_for(1);
    EXPECT_EQ(mails[0].from, "login@xn--mnchen-3ya.example");
    EXPECT_EQ(mails[0].mail.header("from"), "Größe & Co <login@xn--mnchen-3ya.example>");
}

TEST(MailServer, FLT_3_DownForAnHourItLosesNoMailAndHoldsUpNoRequest) {
    MailServer server(MailServerTls::starttls);
    Service service(by(server));
    const Person ada = service.make_person();
    server.halt();
    for (int i = 0; i < 150; ++i) ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    Person now = ada;
    for (const auto* next : {"Copper-Meadow-77", "Copper-Meadow-78", "Copper-Meadow-79"}) {
        const auto begin = std::chrono::steady_clock::now();
        ASSERT_EQ(change_password(service, now, next).status, 200U);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
        now.password = next;
    }
    const auto tried = [&] { return std::stoi(service.sql("SELECT SUM(attempt) FROM mails").at(0).at(0)); };
    for (int minute = 0; minute < 60; ++minute) service.pass(1min);
    EXPECT_TRUE(eventually([&] { return rows_of_mails(service, "last_error IS NOT NULL") != "0"; }));
    EXPECT_GT(tried(), 0);
    EXPECT_EQ(rows_of_mails(service, "failed_at IS NULL"), rows_of_mails(service));
    // The 150 mails above, one for each change, and one for each login after a change: a change makes every device new
    // again.
    constexpr std::size_t all = 150 + 3 + 2;
    EXPECT_EQ(rows_of_mails(service), std::to_string(all));

    server.start();
    service.pass(15min);
    const auto mails = server.wait_for(all);
    EXPECT_TRUE(nothing_waits(service));
    std::set<std::string> ids;
    for (const auto& one : server.mails()) ids.insert(one.mail.header("message-id"));
    EXPECT_EQ(ids.size(), all);
    EXPECT_EQ(server.mails().size(), all) << "each once";
}

TEST(MailServer, ADeadOneIsAskedOnceForAllMailsTogether) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    server.fail(R"({"step": "drop"})");
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "last_error IS NOT NULL") == "1"; }));
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "taken_by IS NULL") == "20"; }));
    const std::size_t asked = server.connections();
    EXPECT_LE(asked, 2U) << "libcurl tries a dropped connection once more";
    service.pass(5s);
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    server.work_again();
    service.pass(10s);
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_THAT(server.mails(), SizeIs(21));
}

TEST(MailServer, ThatItEndsAnIdleConnectionDelaysNoMail) {
    const MailServer server(MailServerTls::starttls);
    Service service(by(server));
    const Person ada = service.make_person();
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    server.wait_for(1);
    server.fail(R"({"step": "idle", "answer": "421 4.4.2 Idle", "times": 1})");
    ::testing::internal::CaptureStdout();
    ASSERT_TRUE(write_mail(service, ada, MailKind::password_changed));
    const bool is_sent = nothing_waits(service);
    EXPECT_THAT(::testing::internal::GetCapturedStdout(), Not(HasSubstr("email delivery waits")));
    EXPECT_TRUE(is_sent) << "without a pause, which would last as long as the clock of the test stands still";
    EXPECT_THAT(server.mails(), SizeIs(2));
}

TEST(MailServer, WhatItPutsOffItGetsLater) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    const Person eve = service.make_person();
    server.fail(R"({"step": "rcpt", "answer": "451 4.7.1 Greylisted", "to": ")" + ada.email + R"("})");
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    ASSERT_TRUE(write_mail(service, eve, MailKind::welcome));
    EXPECT_EQ(server.wait_for(1)[0].to, eve.email) << "the others do not wait";
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "last_error = '451 4.7.1'") == "1"; }));
    EXPECT_THAT(server.mails(), SizeIs(1));
    server.work_again();
    service.pass(13s);  // the retry waits 10 s plus up to a fifth
    EXPECT_THAT(server.wait_for(2), SizeIs(2));
    EXPECT_TRUE(nothing_waits(service));
}

// Regression: each round of the outage counted as a failed attempt of every mail that waited.
TEST(MailServer, AnOutageIsNoAttemptOfTheMailsThatItKeptWaiting) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    const Person eve = service.make_person();
    server.fail(R"({"step": "drop"})");
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "attempt = 1 AND taken_by IS NULL") == "1"; }));
    service.pass(1s);
    ASSERT_TRUE(write_mail(service, eve, MailKind::welcome));  // behind ada's, which is older
    auto pause = 12s;                                          // 10 s plus up to a fifth
    for (const char* const attempt : {"2", "3", "4"}) {
        service.pass(pause);
        pause *= 2;
        ASSERT_TRUE(eventually([&] {
            return rows_of_mails(service, std::string("attempt = ") + attempt + " AND last_error IS NOT NULL") == "1" &&
                   rows_of_mails(service, "taken_by IS NULL") == "2";
        })) << attempt;
    }
    server.fail(R"({"step": "rcpt", "answer": "451 4.7.1 Greylisted", "to": ")" + eve.email + R"("})");
    service.pass(pause);
    EXPECT_EQ(server.wait_for(1)[0].to, ada.email);
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "last_error = '451 4.7.1'") == "1"; }));
    server.work_again();
    service.pass(13s);  // as after a first attempt
    EXPECT_THAT(server.wait_for(2), SizeIs(2));
}

// Waits until the delivery has tried so many times in all, and pauses.
bool has_tried(const Service& service, int times) {
    return eventually([&] {
        return service.sql("SELECT SUM(attempt) FROM mails").at(0).at(0) == std::to_string(times) &&
               rows_of_mails(service, "taken_by IS NOT NULL") == "0";
    });
}

// Regression: the link was written during the outage, and its five minutes were over when its mail left.
TEST(MailServer, ALinkRequestedDuringAnOutageIsGoodWhenItsMailArrives) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    const Person eve = service.make_person();
    server.fail(R"({"step": "drop"})");
    ASSERT_TRUE(write_mail(service, eve, MailKind::welcome));
    ASSERT_TRUE(has_tried(service, 1));
    ASSERT_EQ(forget(service, ada.email).status, 200U);
    auto pause = 12s;  // 10 s plus up to a fifth
    for (int attempt = 2; attempt < 8; ++attempt, pause *= 2) {
        service.pass(pause);
        ASSERT_TRUE(has_tried(service, attempt));
    }
    EXPECT_TRUE(server.mails().empty());
    server.work_again();
    service.pass(pause);
    const auto mails = server.wait_for(2);
    ASSERT_EQ(mails[1].mail.kind, "forgotPassword");
    EXPECT_EQ(reset(service, mails[1].mail.token(), "Copper-Meadow-77").status, 200U);
}

std::string open_links(const Service& service) {
    return service.sql("SELECT COUNT(*) FROM link_requests WHERE handled_at IS NULL").at(0).at(0);
}

// The outage is known before these people request links, and no mail waits for its end.
void request_links_in_an_outage(const MailServer& server, Service& service, std::span<const Person> people,
                                const char* path = forgot_path) {
    server.fail(R"({"step": "drop"})");
    ASSERT_TRUE(write_mail(service, service.make_person(), MailKind::welcome));
    ASSERT_TRUE(has_tried(service, 1));
    for (const Person& person : people) ASSERT_EQ(service.post(path, {{"email", person.email}}).status, 200U);
    service.sql("DELETE FROM mails");
}

// Regression: all of them were written, and their five minutes were over when the service was there again.
TEST(MailServer, WithoutAMailThatIsDueOneLinkFindsOutWhetherTheOutageIsOver) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person people[] = {service.make_person(), service.make_person(), service.make_person()};
    request_links_in_an_outage(server, service, people);
    service.pass(12s);
    ASSERT_TRUE(has_tried(service, 1));
    EXPECT_EQ(open_links(service), "2");
    server.work_again();
    service.pass(24s);
    EXPECT_THAT(server.wait_for(3), SizeIs(3));
}

// Three people request links in an outage that lasts four times as long as a link. Returns their mails.
std::vector<SmtpMail> mails_after_a_long_outage(const MailServer& server, Service& service,
                                                std::span<const Person> people, const char* path) {
    request_links_in_an_outage(server, service, people, path);
    milliseconds pause = 12s;  // 10 s plus up to a fifth
    for (milliseconds passed{}; passed < 20min; passed += pause, pause = std::min<milliseconds>(pause * 2, 12min)) {
        const std::size_t asked = server.connections();
        service.pass(pause);
        EXPECT_TRUE(eventually([&] {
            return server.connections() > asked && rows_of_mails(service, "taken_by IS NULL") == "1";
        })) << passed.count();
        EXPECT_EQ(open_links(service), "2");
        EXPECT_EQ(rows_of_mails(service), "1") << "the metric of what waits shows the outage";
    }
    EXPECT_EQ(service.app().mail_delivery().waiting().ordinary, 1);
    server.work_again();
    service.pass(pause);
    return server.wait_for(people.size());
}

// Regression: the mail of that link was deleted once it was over, and the next request was used up in the same way.
TEST(MailServer, AnOutageThatOutlastsALinkUsesUpNoRequest) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person people[] = {service.make_person(), service.make_person(), service.make_person()};
    std::set<std::string> recipients;
    for (const auto& one : mails_after_a_long_outage(server, service, people, forgot_path)) {
        recipients.insert(one.to);
        EXPECT_EQ(reset(service, one.mail.token(), "Copper-Meadow-77").status, 200U) << one.to;
    }
    EXPECT_THAT(recipients, SizeIs(3));
}

// Regression: the first of these links was over when it arrived.
TEST(MailServer, AnOutageThatOutlastsAVerificationLinkUsesUpNoRequest) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person people[] = {service.make_person(), service.make_person(), service.make_person()};
    for (const Person& person : people)
        service.sql("UPDATE users SET is_verified = FALSE WHERE id = '" + person.id.text() + "'");
    std::set<std::string> recipients;
    for (const auto& one : mails_after_a_long_outage(server, service, people, resend_path)) {
        recipients.insert(one.to);
        EXPECT_EQ(verify_email(service, one.mail.token()).status, 200U) << one.to;
    }
    EXPECT_THAT(recipients, SizeIs(3));
}

// It tells that the account is there, and its reader can request another link.
TEST(MailServer, TheLinkOfASignUpIsSentEvenIfItIsOver) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    server.fail(R"({"step": "drop"})");
    ASSERT_EQ(sign_up(service, "ada@example.org").status, 201U);
    ASSERT_TRUE(has_tried(service, 1));
    server.work_again();
    service.pass(20min);
    const auto mails = server.wait_for(1);
    EXPECT_EQ(mails[0].mail.kind, "verifyEmail");
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_NE(verify_email(service, mails[0].mail.token()).status, 200U);
    EXPECT_THAT(server.mails(), SizeIs(1));
}

// Regression: after a day, the clean-up deleted the requests that waited, and that of the link that had been written.
TEST(MailServer, AnOutageOfDaysUsesUpNoRequest) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person people[] = {service.make_person(), service.make_person(), service.make_person()};
    request_links_in_an_outage(server, service, people);
    for (const milliseconds pause : {milliseconds{12s}, milliseconds{25h}, milliseconds{25h}}) {
        const std::size_t asked = server.connections();
        service.pass(pause);
        ASSERT_TRUE(eventually([&] {
            return server.connections() > asked && rows_of_mails(service, "taken_by IS NULL") == "1";
        })) << pause.count();
        run(service.app().services().clean_up());
        EXPECT_EQ(open_links(service), "2");
    }
    server.work_again();
    service.pass(12min);
    std::set<std::string> recipients;
    for (const auto& one : server.wait_for(3)) {
        recipients.insert(one.to);
        EXPECT_EQ(reset(service, one.mail.token(), "Copper-Meadow-77").status, 200U) << one.to;
    }
    EXPECT_THAT(recipients, SizeIs(3));
}

// As long as mails that wait themselves, the link that has been written included.
TEST(MailServer, ARequestWaitsForThreeDays) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person people[] = {service.make_person(), service.make_person()};
    const auto requests = [&] { return service.sql("SELECT COUNT(*) FROM link_requests").at(0).at(0); };
    request_links_in_an_outage(server, service, people);
    service.pass(MailDelivery::patience);
    ASSERT_TRUE(has_tried(service, 1));
    run(service.app().services().clean_up());
    EXPECT_EQ(requests(), "2");
    service.pass(1ms);
    run(service.app().services().clean_up());
    EXPECT_EQ(requests(), "0");
    server.work_again();
    service.pass(12min);
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_TRUE(server.mails().empty());
}

// A request that follows the link of a former one replaces it: its reader gets one mail, whose link opens.
TEST(MailServer, ALinkThatIsOverGivesWayToANewerRequest) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    request_links_in_an_outage(server, service, {&ada, 1});
    milliseconds pause = 12s;
    for (int attempt = 1; attempt < 5; ++attempt, pause *= 2) {
        service.pass(pause);
        ASSERT_TRUE(has_tried(service, attempt));
    }
    service.pass(1min);
    ASSERT_EQ(forget(service, ada.email).status, 200U);
    server.work_again();
    service.pass(5min);
    const auto mails = server.wait_for(1);
    EXPECT_EQ(reset(service, mails[0].mail.token(), "Copper-Meadow-77").status, 200U);
    EXPECT_TRUE(eventually([&] { return open_links(service) == "0"; }));
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_THAT(server.mails(), SizeIs(2)) << "the link and the notice of the reset";
}

// A link that was written before an outage that outlasts it.
TEST(MailServer, ALinkThatIsOverIsNotSent) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    server.fail(R"({"step": "drop"})");
    ASSERT_EQ(forget(service, ada.email).status, 200U);
    ASSERT_TRUE(has_tried(service, 1));
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    server.work_again();
    service.pass(5min);
    EXPECT_EQ(server.wait_for(1)[0].mail.kind, "welcome");
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_THAT(server.mails(), SizeIs(1));
    EXPECT_EQ(service.app().mail_delivery().failed(), 0U) << "nobody has to act";
}

// Regression: between the deletion of such a link and the attempt of the next one, the alert saw nothing that waits.
TEST(MailServer, WhileTheNextLinkIsTriedSomethingWaits) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    const Person eve = service.make_person();
    const auto waiting = [&] { return service.app().mail_delivery().waiting().ordinary; };
    server.fail(R"({"step": "drop"})");
    ASSERT_EQ(forget(service, ada.email).status, 200U);
    ASSERT_TRUE(has_tried(service, 1));
    ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
    ASSERT_EQ(forget(service, eve.email).status, 200U);
    server.fail(R"({"step": "hold"})");
    service.pass(5min);
    EXPECT_EQ(server.wait_for(1)[0].to, eve.email);
    EXPECT_EQ(waiting(), 1);
    server.work_again();
    EXPECT_TRUE(nothing_waits(service));
}

TEST(MailServer, WhatItRefusesIsGivenUpAndTold) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    server.fail(R"({"step": "data", "answer": "554 5.7.1 Bad link TOKEN-OF-ADA", "times": 1})");
    ::testing::internal::CaptureStdout();
    ASSERT_TRUE(write_mail(service, ada, MailKind::forgot_password, {{"token", "TOKEN-OF-ADA"}}));
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "failed_at IS NOT NULL") == "1"; }));
    ASSERT_TRUE(eventually([&] { return security_events(service).contains("mail.failed"); }));
    const std::string events = security_events(service);
    EXPECT_THAT(events, HasSubstr(ada.id.text()));
    EXPECT_THAT(events, HasSubstr("554 5.7.1"));
    EXPECT_THAT(events, HasSubstr("forgotPassword"));
    EXPECT_THAT(events, Not(HasSubstr("TOKEN-OF-ADA")));
    const std::string said = ::testing::internal::GetCapturedStdout();
    EXPECT_THAT(said, HasSubstr("was abandoned: 554 5.7.1"));
    EXPECT_THAT(said, Not(HasSubstr("TOKEN-OF-ADA")));
    EXPECT_EQ(service.app().mail_delivery().failed(), 1U);

    service.pass(std::chrono::hours{1});
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    EXPECT_EQ(server.wait_for(1)[0].mail.kind, "welcome");
    EXPECT_THAT(server.mails(), SizeIs(1)) << "it is not tried again";
}

TEST(MailServer, AMailWhoseAnswerIsLostComesAgainUnderTheSameName) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    server.fail(R"({"step": "lost", "times": 1})");
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "last_error IS NOT NULL") == "1"; }));
    service.pass(15s);
    const auto mails = server.wait_for(2);
    EXPECT_TRUE(nothing_waits(service));
    EXPECT_THAT(server.mails(), SizeIs(2));
    EXPECT_EQ(mails[0].mail.raw, mails[1].mail.raw) << "to the last byte, Message-ID and Date included";
}

TEST(MailServer, AfterThreeDaysAMailIsGivenUp) {
    const MailServer server(MailServerTls::none);
    Service service(by(server));
    const Person ada = service.make_person();
    server.fail(R"({"step": "rcpt", "answer": "451 4.7.1 Later"})");
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "last_error IS NOT NULL AND attempt = 1") == "1"; }));
    service.pass(std::chrono::hours{71});
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "taken_by IS NULL AND attempt = 2") == "1"; }));
    EXPECT_EQ(rows_of_mails(service, "failed_at IS NULL"), "1");
    service.pass(std::chrono::hours{1});
    EXPECT_TRUE(eventually([&] { return rows_of_mails(service, "failed_at IS NOT NULL") == "1"; }));
}

TEST(MailServer, TheSettingsPasswordIsNeverTold) {
    const MailServer server(MailServerTls::starttls, "app");
    std::string url = server.url();
    url.replace(url.find(server.password()), server.password().size(), "Wrong-Password-1");
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Service service(by(server, {{"MAIL_URL", url}}));
    const Person ada = service.make_person();
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    ASSERT_TRUE(eventually([&] { return rows_of_mails(service, "last_error IS NOT NULL") == "1"; }));
    const std::string said = ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("email delivery waits: "));
    EXPECT_THAT(said, HasSubstr("MAIL_URL"));
    EXPECT_THAT(said + service.sql("SELECT last_error FROM mails").at(0).at(0), Not(HasSubstr("Wrong-Password")));
    service.restart({{"MAIL_URL", server.url()}});
    service.pass(15s);
    EXPECT_THAT(server.wait_for(1), SizeIs(1)) << "once somebody mends it";
}

TEST(MailServer, AnUnfitAddressStopsTheStartAndIsNamed) {
    for (const auto* url : {"", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://mail.example.com:0",
                            "smtp://mail.example.com:99999", "smtp://app@mail.example.com",
                            "smtp://app:Zebra-1@mail.example.com?tls=none", "smtp://mail.example.com?tls=maybe",
                            "smtps://mail.example.com?tls=none", "smtp://mail.example.com/path",
                            "smtp://a%0d%0ab:Zebra-1@mail.example.com", "file:", "file://host/path"}) {
        const auto config = read_config({{"MAIL_URL", url}});
        ASSERT_FALSE(config) << url;
        EXPECT_EQ(config.error().front().setting, "MAIL_URL") << url;
        EXPECT_THAT(config.error().front().text, Not(HasSubstr("Zebra"))) << url;
    }
    EXPECT_EQ(read_config({{"MAIL_URL", "file:///var/mail/out"}})->mail.url, "file:/var/mail/out");
    EXPECT_THROW(Service({{"MAIL_URL", "smtp://mail.example.com?ca_file=/nowhere/ca.pem"}}), std::runtime_error);
    EXPECT_THROW(Service({{"MAIL_URL", "file:/proc/nothing/here"}}), std::runtime_error);
    EXPECT_THAT(print_config({{"MAIL_URL", "smtp://app:Zebra-1@mail.example.com"}}), Not(HasSubstr("Zebra")));
}

TEST(MailServer, MetricsTellWhatWaitsWasSentAndFailed) {
    const MailServer server(MailServerTls::none);
    Service service(by(server, {{"METRICS_ENABLE", "true"}}));
    const Person ada = service.make_person();
    server.fail(R"({"step": "rcpt", "answer": "550 5.1.1 No", "times": 1})");
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    ASSERT_TRUE(eventually([&] { return service.app().mail_delivery().failed() == 1; }));
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    server.wait_for(1);
    server.fail(R"({"step": "rcpt", "answer": "450 4.2.0 Later"})");
    ASSERT_TRUE(write_mail(service, ada, MailKind::welcome));
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(write_mail(service, ada, MailKind::policy_published,
                               {{"type", "privacy"}, {"version", "1"}, {"url", "https://velvet.example/1"}}));
    ASSERT_TRUE(eventually([&] {
        const auto [ordinary, announcements] = service.app().mail_delivery().waiting();
        return ordinary == 1 && announcements == 2;
    }));
    const std::string page = service.get("/metrics").body;
    EXPECT_THAT(page, HasSubstr("\nconsentry_mails_waiting{queue=\"ordinary\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("\nconsentry_mails_waiting{queue=\"announcements\"} 2\n"));
    EXPECT_THAT(page, HasSubstr("\nconsentry_mails_sent_total 1\n"));
    EXPECT_THAT(page, HasSubstr("\nconsentry_mails_failed_total 1\n"));
}

}  // namespace
}  // namespace consentry::tests
