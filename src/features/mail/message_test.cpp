#include "features/mail/message.hpp"

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace consentry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

MessageParts parts() {
    return {.id = *MailId::parse("018bd000-0000-7000-8000-000000000001"),
            .date = from_epoch_ms(1'700'000'010'000),
            .from_name = "Example",
            .from = "noreply@example.com",
            .to = "ada@example.org",
            .kind = "welcome",
            .language = "en",
            .subject = "Welcome",
            .text = "Hello,\n",
            .html = "<p>Hello,</p>\n"};
}

TEST(MailMessage, HeaderAsRfc5322HasIt) {
    const std::string mail = message_of(parts());
    const std::string header = mail.substr(0, mail.find("\r\n\r\n") + 2);
    EXPECT_EQ(header,
              "Date: Tue, 14 Nov 2023 22:13:30 +0000\r\n"
              "From: \"Example\"\r\n <noreply@example.com>\r\n"
              "To: ada@example.org\r\n"
              "Subject: Welcome\r\n"
              "Message-ID: <018bd000-0000-7000-8000-000000000001@example.com>\r\n"
              "Auto-Submitted: auto-generated\r\n"
              "Content-Language: en\r\n"
              "X-Mail-Kind: welcome\r\n"
              "MIME-Version: 1.0\r\n"
              "Content-Type: multipart/alternative;\r\n boundary=\"=_018bd000-0000-7000-8000-000000000001\"\r\n");
}

TEST(MailMessage, EveryLineEndsWithCrLfAndIsShortEnough) {
    MessageParts long_parts = parts();
    for (int i = 0; i < 400; ++i) long_parts.subject += "ありがとう";
    for (int i = 0; i < 400; ++i) long_parts.text += "= ありがとう . ";
    long_parts.html = std::string(5'000, 'x') + "\n.\n..\n";
    std::istringstream lines(message_of(long_parts));
    for (std::string line; std::getline(lines, line, '\n');) {
        ASSERT_TRUE(line.ends_with('\r'));
        EXPECT_LE(line.size(), 79U) << line;
        for (const char c : line) EXPECT_TRUE(c == '\r' || (c >= ' ' && c <= '~'));
    }
}

TEST(MailMessage, AFileKeepsTheLinesOfAnyLanguage) {
    MessageParts for_file = parts();
    for_file.eight_bit = true;
    const std::string link = "http://localhost:3000/verify-email/" + std::string(100, 'T');
    for_file.text = "Grüße,\n" + link + "\n= ありがとう\n";
    for_file.html = std::string(999, 'x') + "ü\n";  // longer than a line may be
    const std::string mail = message_of(for_file);
    EXPECT_THAT(mail, HasSubstr("Content-Transfer-Encoding: 8bit\r\n\r\nGrüße,\r\n" + link + "\r\n= ありがとう\r\n"));
    EXPECT_THAT(mail, HasSubstr("Content-Transfer-Encoding: quoted-printable\r\n\r\nxxx"));
    for_file.eight_bit = false;
    EXPECT_THAT(message_of(for_file), Not(HasSubstr("8bit")));
    for_file.text = "Hello,\n" + link + "\n";
    EXPECT_THAT(message_of(for_file), HasSubstr("Content-Transfer-Encoding: 7bit\r\n\r\nHello,\r\n" + link));
}

TEST(REC_5, NoPartOfAHeaderBeginsAnother) {
    const auto refused = [](auto change) {
        MessageParts bad = parts();
        change(bad);
        EXPECT_THROW(message_of(bad), std::invalid_argument);
    };
    for (const std::string& evil : std::vector<std::string>{"x\r\nBcc: eve@evil.example", "x\nBcc: eve@evil.example",
                                                            "x\rBcc: y", std::string("x\0y", 3)}) {
        refused([&](MessageParts& bad) { bad.subject = evil; });
        refused([&](MessageParts& bad) { bad.from_name = evil; });
        refused([&](MessageParts& bad) { bad.to = "ada@example.org" + evil; });
        refused([&](MessageParts& bad) { bad.from = evil; });
    }
    for (const auto* evil : {"ada@example.org,eve@evil.example", "ada@example.org eve@evil.example", "", "ada",
                             "<ada@example.org>", "ada@example.org@evil.example", "ad\u00e4@example.org"})
        refused([&](MessageParts& bad) { bad.to = evil; });
}

TEST(MailMessage, ANameWithQuotesStaysOneName) {
    MessageParts named = parts();
    named.from_name = R"(A "quoted" \ name, Inc.)";
    EXPECT_THAT(message_of(named), HasSubstr(R"(From: "A \"quoted\" \\ name, Inc.")"
                                             "\r\n <noreply@example.com>\r\n"));
}

}  // namespace
}  // namespace consentry
