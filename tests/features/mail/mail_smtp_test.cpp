// Tests the SMTP client against a real server: what it insists on, and how it interprets failures.
#include <optional>
#include <thread>

#include <gmock/gmock.h>

#include "net/smtp_client.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/mail_server.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Verdict = net::SmtpAnswer::Verdict;

constexpr std::string_view content =
    "From: noreply@example.com\r\nTo: ada@example.org\r\nSubject: Test\r\n"
    "Content-Type: multipart/alternative; boundary=\"=_b\"\r\n\r\n"
    "--=_b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n"
    ".dots\r\n..\r\n.\r\nend\r\n\r\n"
    "--=_b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: "
    "7bit\r\n\r\n<p>x</p>\r\n\r\n--=_b--\r\n";

net::SmtpClient::Options options(const std::string& url) { return {.server = net::parse_smtp_url(url).value()}; }

net::SmtpAnswer send(net::SmtpClient& client, const std::string& to = "ada@example.org") {
    return client.send("noreply@example.com", to, content);
}
net::SmtpAnswer send_by(const std::string& url) {
    net::SmtpClient client(options(url));
    return send(client);
}

TEST(MailSmtp, StarttlsAndLoginAndOneConnectionForAll) {
    const MailServer server(MailServerTls::starttls, "app");
    net::SmtpClient client(options(server.url()));
    for (int i = 0; i < 5; ++i) {
        const auto answer = send(client);
        ASSERT_EQ(answer.verdict, Verdict::accepted) << answer.reason;
    }
    const auto mails = server.mails();
    ASSERT_THAT(mails, SizeIs(5));
    EXPECT_TRUE(mails[0].tls);
    EXPECT_EQ(mails[0].user, "app");
    EXPECT_EQ(mails[0].from, "noreply@example.com");
    EXPECT_EQ(mails[0].to, "ada@example.org");
    EXPECT_EQ(mails[0].mail.text, ".dots\n..\n.\nend\n") << "dots at the beginning of a line arrive as they were";
    EXPECT_EQ(server.connections(), 1U);
}

TEST(MailSmtp, AGreetingLogsInAndSendsNothing) {
    const MailServer server(MailServerTls::starttls, "app");
    EXPECT_EQ(net::SmtpClient(options(server.url())).greet().verdict, Verdict::accepted);
    auto wrong = options(server.url());
    wrong.server.password = "Wrong-Password-1";
    const net::SmtpAnswer refused = net::SmtpClient(wrong).greet();
    EXPECT_EQ(refused.verdict, Verdict::no_service);
    EXPECT_THAT(refused.reason, Not(HasSubstr("Wrong-Password-1")));
    EXPECT_EQ(server.connections(), 2U);
    EXPECT_THAT(server.mails(), IsEmpty());
}

TEST(MailSmtp, TlsFromTheFirstByte) {
    const MailServer server(MailServerTls::implicit, "app");
    EXPECT_EQ(send_by(server.url()).verdict, Verdict::accepted);
    EXPECT_TRUE(server.wait_for(1)[0].tls);
}

TEST(MailSmtp, WithoutTlsOnlyWhereTheSettingSaysSo) {
    const MailServer plain(MailServerTls::none);
    const std::string place = "127.0.0.1:" + std::to_string(plain.port());
    EXPECT_EQ(send_by("smtp://" + place).verdict, Verdict::no_service);
    EXPECT_EQ(send_by("smtp://app:secret@" + place).verdict, Verdict::no_service);
    EXPECT_EQ(send_by("smtps://" + place).verdict, Verdict::no_service);
    EXPECT_THAT(plain.mails(), IsEmpty());
    EXPECT_EQ(send_by("smtp://" + place + "?tls=none").verdict, Verdict::accepted);

    const MailServer strict(MailServerTls::starttls);
    const auto answer = send_by("smtp://127.0.0.1:" + std::to_string(strict.port()) + "?tls=none");
    EXPECT_EQ(answer.verdict, Verdict::no_service) << "it wants TLS: no mail is at fault";
    EXPECT_THAT(strict.mails(), IsEmpty());
}

TEST(MailSmtp, ACertificateThatNobodyTrustsEndsIt) {
    for (const MailServerTls tls : {MailServerTls::starttls, MailServerTls::implicit}) {
        const MailServer server(tls, "app");
        auto wrong = options(server.url());
        wrong.server.ca_file = server.untrusted_ca_file();
        net::SmtpClient stranger(wrong);
        EXPECT_EQ(send(stranger).verdict, Verdict::no_service);
        wrong.server.ca_file.clear();  // uses the system's own certificates
        net::SmtpClient usual(wrong);
        EXPECT_EQ(send(usual).verdict, Verdict::no_service);
        EXPECT_THAT(server.mails(), IsEmpty());
        // A valid certificate, but of another host.
        auto elsewhere = options(server.url());
        elsewhere.server.host = "127.0.0.2";
        net::SmtpClient other(elsewhere);
        EXPECT_EQ(send(other).verdict, Verdict::no_service);
        EXPECT_EQ(send_by(server.url()).verdict, Verdict::accepted);
    }
}

TEST(MailSmtp, AWrongPasswordIsNoMailsFault) {
    const MailServer server(MailServerTls::starttls, "app");
    auto wrong = options(server.url());
    wrong.server.password = "Wrong-Password-1";
    net::SmtpClient client(wrong);
    const auto answer = send(client);
    EXPECT_EQ(answer.verdict, Verdict::no_service);
    EXPECT_THAT(answer.reason, HasSubstr("535"));
    EXPECT_THAT(answer.reason, Not(HasSubstr("Wrong-Password")));
    auto none = options(server.url());
    none.server.user.clear();
    net::SmtpClient nobody(none);
    EXPECT_EQ(send(nobody).verdict, Verdict::no_service);
    EXPECT_THAT(server.mails(), IsEmpty());
}

TEST(MailSmtp, AnAnswerToTheMailIsDistinguishedFromOneToTheConnection) {
    const MailServer server(MailServerTls::none);
    struct Case {
        std::string step;
        std::string answer;
        Verdict verdict;
        std::string reason;
    };
    for (const Case& one : {
             Case{"rcpt", "450 4.2.1 Busy at ada@example.org", Verdict::put_off, "450 4.2.1"},
             Case{"rcpt", "550 5.1.1 No ada@example.org", Verdict::refused, "550 5.1.1"},
             Case{"rcpt", "550 Nobody here", Verdict::refused, "550"},
             Case{"rcpt", "554 5.7.1 Relay access denied", Verdict::put_off, "554 5.7.1"},
             Case{"rcpt", "550 5.1.8 <login@velvet.example>: Sender address rejected: Domain not found",
                  Verdict::no_service, "the server refused the sender: 550 5.1.8"},
             Case{"rcpt", "553 5.1.7 <login@velvet>: Sender address rejected: need fully-qualified address",
                  Verdict::no_service, "the server refused the sender: 553 5.1.7"},
             Case{"rcpt", "450 4.1.8 <login@velvet.example>: Sender address rejected: Domain not found",
                  Verdict::no_service, "the server refused the sender: 450 4.1.8"},
             Case{"data", "550 5.1.8 Domain of the From not found", Verdict::refused, "550 5.1.8"},
             Case{"data", "452 4.3.1 Full", Verdict::put_off, "452 4.3.1"},
             Case{"data", "554 5.7.1 I do not like https://velvet.example/reset/TOKEN", Verdict::refused, "554 5.7.1"},
             Case{"mail", "550 5.7.1 Not with this sender", Verdict::no_service,
                  "the server refused the sender: 550 5.7.1"},
             Case{"rcpt", "421 4.3.2 Going down", Verdict::no_service, ""},
             Case{"rcpt", "530 5.7.0 Log in first", Verdict::no_service, ""},
         }) {
        server.fail(R"({"step": ")" + one.step + R"(", "answer": ")" + one.answer + R"(", "times": 1})");
        net::SmtpClient client(options(server.url()));
        const auto answer = send(client);
        EXPECT_EQ(answer.verdict, one.verdict) << one.answer << ": " << answer.reason;
        if (!one.reason.empty()) EXPECT_EQ(answer.reason, one.reason);
        EXPECT_THAT(answer.reason, Not(HasSubstr("ada@")));
        EXPECT_THAT(answer.reason, Not(HasSubstr("TOKEN")));
        EXPECT_EQ(send(client).verdict, Verdict::accepted) << "the next one, after " << one.answer;
    }
}

TEST(MailSmtp, AKeptConnectionThatTheServerHasEndedIsReplaced) {
    for (const MailServerTls tls : {MailServerTls::none, MailServerTls::starttls, MailServerTls::implicit}) {
        const MailServer server(tls);
        net::SmtpClient client(options(server.url()));
        ASSERT_EQ(send(client).verdict, Verdict::accepted);
        std::size_t connections = 1;
        for (const auto* end :
             {R"({"step": "idle", "answer": "421 4.4.2 Idle", "times": 1})",
              R"({"step": "idle", "answer": "451 4.4.2 Idle", "times": 1})", R"({"step": "idle", "times": 1})"}) {
            server.fail(end);
            const auto answer = send(client);
            EXPECT_EQ(answer.verdict, Verdict::accepted) << end << ": " << answer.reason;
            EXPECT_EQ(server.connections(), ++connections) << end;
            EXPECT_THAT(server.mails(), SizeIs(connections)) << "each mail once, after " << end;
        }
    }
}

TEST(MailSmtp, ANewConnectionThatFailsIsNotTriedTwice) {
    const MailServer server(MailServerTls::none);
    server.fail(R"({"step": "idle", "answer": "421 4.3.2 Going down"})");
    net::SmtpClient client(options(server.url()));
    EXPECT_EQ(send(client).verdict, Verdict::no_service);
    EXPECT_EQ(server.connections(), 1U);
}

TEST(MailSmtp, ADroppedAnUnansweredAndAMissingServerAreNoService) {
    MailServer server(MailServerTls::none);
    server.fail(R"({"step": "drop", "times": 1})");
    EXPECT_EQ(send_by(server.url()).verdict, Verdict::no_service);
    EXPECT_THAT(server.mails(), IsEmpty());

    server.fail(R"({"step": "mute"})");
    auto impatient = options(server.url());
    impatient.timeout = 300ms;
    impatient.answer_timeout = 300ms;
    net::SmtpClient unheard(impatient);
    EXPECT_EQ(send(unheard).verdict, Verdict::no_service);
    server.work_again();
    net::SmtpClient client(options(server.url()));
    EXPECT_EQ(send(client).verdict, Verdict::accepted);

    server.halt();
    EXPECT_EQ(send_by(server.url()).verdict, Verdict::no_service);
    EXPECT_EQ(send(client).verdict, Verdict::no_service) << "the kept connection is dead";
    server.start();
    EXPECT_EQ(send(client).verdict, Verdict::accepted);
    EXPECT_EQ(send_by("smtp://no-such-host.invalid").verdict, Verdict::no_service);
}

// RFC 5321, section 4.5.3.2.6: ten minutes. A server that checks the content of a mail may well need more than thirty
// seconds; a client that gives up earlier sends it again and again.
TEST(MailSmtp, AfterTheLastByteTheServerMayTakeLongerThanBefore) {
    const MailServer thorough(MailServerTls::none);
    const MailServer deaf(MailServerTls::none);
    thorough.fail(R"({"step": "hold"})");
    deaf.fail(R"({"step": "deaf"})");
    const auto by = [](const MailServer& server) {
        auto impatient = options(server.url());
        impatient.timeout = 2s;
        impatient.answer_timeout = 60s;
        return impatient;
    };
    net::SmtpAnswer answer;
    std::jthread waiting([&] {
        net::SmtpClient client(by(thorough));
        answer = send(client);
    });
    thorough.wait_for(1);
    // Begins later with the same limit. Once it gives up, the limit is over for the first one as well.
    net::SmtpClient unheard(by(deaf));
    const net::SmtpAnswer none = send(unheard);
    EXPECT_EQ(none.verdict, Verdict::no_service);
    EXPECT_EQ(none.reason, "the server did not respond within 2 s");
    thorough.work_again();
    waiting.join();
    EXPECT_EQ(answer.verdict, Verdict::accepted) << answer.reason;
    EXPECT_THAT(thorough.mails(), SizeIs(1));
}

TEST(MailSmtp, ARefusalCountsAlthoughTheServerThenHangsAtTheFarewell) {
    const MailServer server(MailServerTls::none);
    auto impatient = options(server.url());
    impatient.timeout = 1s;
    impatient.parting = 50ms;
    server.fail(R"({"step": "rcpt", "answer": "550 5.1.1 No such user", "then": "quit"})");
    net::SmtpClient client(impatient);
    const net::SmtpAnswer answer = send(client);
    EXPECT_EQ(answer.verdict, Verdict::refused) << answer.reason;
    EXPECT_EQ(answer.reason, "550 5.1.1");
}

TEST(MailSmtp, ToldToStopItWaitsOnlyForAMailThatIsBeingRead) {
    const MailServer server(MailServerTls::none);
    server.fail(R"({"step": "mute"})");
    auto patient = options(server.url());
    patient.parting = 50ms;
    const auto begin = std::chrono::steady_clock::now();
    {
        net::SmtpClient client(patient);
        std::stop_source stop;
        const std::jthread other([&] {
            eventually([&] { return server.connections() > 0; });
            stop.request_stop();
        });
        EXPECT_EQ(client.send("noreply@example.com", "ada@example.org", content, stop.get_token()).verdict,
                  Verdict::no_service);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s)
        << "not the ten minutes of a mail, nor the 120 s of a farewell";
}

TEST(MailSmtp, AServerThatHangsAtTheFarewellHoldsUpNobody) {
    const MailServer server(MailServerTls::none);
    auto patient = options(server.url());
    patient.parting = 50ms;
    std::optional<net::SmtpClient> client(patient);
    ASSERT_EQ(send(*client).verdict, Verdict::accepted);
    server.fail(R"({"step": "quit"})");
    const auto begin = std::chrono::steady_clock::now();
    client.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s) << "libcurl itself waits for 120 s";
}

TEST(REC_5, AnEnvelopeTakesOneAddress) {
    const MailServer server(MailServerTls::none);
    net::SmtpClient client(options(server.url()));
    for (const auto* evil : {"ada@example.org>\r\nRCPT TO:<eve@evil.example", "ada@example.org eve@evil.example",
                             "ada@example.org>,<eve@evil.example", "", "\u00e4@example.org"})
        EXPECT_THROW(send(client, evil), std::invalid_argument) << evil;
    EXPECT_THAT(server.mails(), IsEmpty());
}

}  // namespace
}  // namespace consentry::tests
