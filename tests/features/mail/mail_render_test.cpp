// Tests that another program, Python's own email parser, reads the mails as intended.
#include <fstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "features/mail/message.hpp"
#include "features/mail/wording.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

// Prints one line of JSON for each file: what Python's parser reads, including any defects.
constexpr const char* reader = R"(
import email, email.header, email.policy, json, sys
for name in sys.argv[1:]:
    with open(name, 'rb') as file:
        raw = file.read()
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    defects = [str(d) for part in mail.walk() for d in part.defects]
    defects += [str(d) for value in mail.values() for d in value.defects]
    if max(map(len, raw.split(b'\r\n'))) > 998 or b'\n' in raw.replace(b'\r\n', b''):
        defects.append('lines')
    parts = [part.get_content_type() for part in mail.iter_parts()]
    print(json.dumps({
        'defects': defects, 'subject': mail['subject'], 'to': mail['to'], 'headers': mail.keys(),
        'name': str(email.header.make_header(email.header.decode_header(email.message_from_bytes(raw)['from']))),
        'from': mail['from'].addresses[0].addr_spec,
        'date': int(mail['date'].datetime.timestamp()), 'id': mail['message-id'], 'parts': parts,
        'text': mail.get_body(('plain',)).get_content().replace('\r\n', '\n'),
        'html': mail.get_body(('html',)).get_content().replace('\r\n', '\n')}))
)";

TEST(MailRendering, AnotherProgramReadsWhatWasWritten) {
    const Locales locales;
    const std::string name =
        "Größe, \"Töchter\" & 日本 Ünternehmung mit einem sehr langen Namen, der nicht in ein Wort passt";
    const MailWriter writer(locales, {.name = name,
                                      .url = "https://velvet.example",
                                      .support = "help@velvet.example",
                                      .verification_url = "https://velvet.example/verify-email",
                                      .forgot_password_url = "https://velvet.example/forgot-password",
                                      .verification_lifetime = 5min,
                                      .forgot_password_lifetime = 5min,
                                      .temporary_password_lifetime = 72h,
                                      .set_up_lifetime = 168h});
    const MailFacts facts{
        {"token", std::string(100, 'T')}, {"password", "a=b.c=20"}, {"provider", "Apple"},
        {"address", "2001:db8::7"},       {"device", "田中の電話"}, {"userAgent", "Firefox/1 (Linux)"},
        {"type", "termsOfService"},       {"version", "12"},        {"url", "https://velvet.example/a=b"}};
    constexpr TimePoint date = from_epoch_ms(1'700'000'010'000);

    const TempFolder folder;
    std::vector<std::string> words{"/usr/bin/python3", "-c", reader};
    std::vector<std::pair<MessageParts, std::string>> sent;
    const std::size_t of_each_kind = 2 * language_names.size();
    for (const auto& [kind, kind_name] : EnumNames<MailKind>::names) {
        for (std::size_t n = 0; n < of_each_kind; ++n) {
            const std::size_t i = n / 2;
            const bool eight_bit = n % 2 == 1;
            const Wording wording = writer.write(kind, static_cast<Language>(i), facts, date);
            const std::string file = folder / (std::string(kind_name) + "." + std::string(language_names[i]) +
                                               (eight_bit ? ".8bit" : ".quoted"));
            sent.emplace_back(MessageParts{.id = MailId::make(date),
                                           .date = date,
                                           .from_name = name,
                                           .from = "noreply@velvet.example",
                                           .to = "ada@example.org",
                                           .kind = std::string(kind_name),
                                           .language = std::string(language_names[i]),
                                           .subject = wording.subject,
                                           .text = wording.text,
                                           .html = wording.html,
                                           .eight_bit = eight_bit},
                              file);
            std::ofstream(file, std::ios::binary) << message_of(sent.back().first);
            words.push_back(file);
        }
    }

    std::istringstream lines(output_of(words));
    std::size_t read = 0;
    for (std::string line; std::getline(lines, line); ++read) {
        const auto mail = boost::json::parse(line).as_object();
        const auto& [parts, file] = sent.at(read);
        SCOPED_TRACE(file);
        EXPECT_TRUE(mail.at("defects").as_array().empty()) << mail.at("defects");
        EXPECT_EQ(mail.at("subject"), boost::json::value(parts.subject));
        EXPECT_EQ(mail.at("name"), boost::json::value(name + " <noreply@velvet.example>"));
        EXPECT_EQ(mail.at("from"), boost::json::value("noreply@velvet.example"));
        EXPECT_EQ(mail.at("to"), boost::json::value("ada@example.org"));
        EXPECT_EQ(mail.at("date").as_int64(), epoch_seconds(date));
        EXPECT_EQ(mail.at("id"), boost::json::value("<" + parts.id.text() + "@velvet.example>"));
        EXPECT_EQ(mail.at("parts"), boost::json::value((boost::json::array{"text/plain", "text/html"})));
        EXPECT_EQ(mail.at("headers").as_array().size(), 10U);
        EXPECT_EQ(mail.at("text"), boost::json::value(parts.text));
        EXPECT_EQ(mail.at("html"), boost::json::value(parts.html));
    }
    EXPECT_EQ(read, sent.size());
}

}  // namespace
}  // namespace consentry::tests
