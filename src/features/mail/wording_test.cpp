#include "features/mail/wording.hpp"

#include <string>

#include <gmock/gmock.h>

namespace consentry {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr TimePoint written_at = from_epoch_ms(1'700'000'010'000);  // 2023-11-14T22:13:30Z

MailSite site() {
    return {.name = "Velvet & Harbor",
            .url = "https://velvet.example",
            .support = "help@velvet.example",
            .verification_url = "https://velvet.example/verify-email",
            .forgot_password_url = "https://velvet.example/forgot-password",
            .verification_lifetime = 7min,
            .forgot_password_lifetime = 9min,
            .temporary_password_lifetime = 72h,
            .set_up_lifetime = 168h};
}

MailFacts all_facts() {
    return {
        {"token", "TOKEN123"},      {"password", "Temp-0987"}, {"provider", "Google"},
        {"address", "203.0.113.7"}, {"device", "Ada's phone"}, {"userAgent", "Mozilla/5.0 (Android 14) Firefox/128.0"},
        {"type", "privacy"},        {"version", "2"},          {"url", "https://velvet.example/privacy/2"}};
}

const Locales& locales() {
    static const Locales all;
    return all;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

TEST(MailWording, EveryKindInEveryLanguageIsWhole) {
    const MailWriter writer(locales(), site());
    for (const auto& [kind, name] : EnumNames<MailKind>::names) {
        for (std::size_t i = 0; i < language_names.size(); ++i) {
            SCOPED_TRACE(std::string(name) + " in " + std::string(language_names[i]));
            const Wording mail = writer.write(kind, static_cast<Language>(i), all_facts(), written_at);
            EXPECT_THAT(mail.subject, Not(HasSubstr("mail.")));
            EXPECT_FALSE(mail.subject.contains('\n'));
            for (const std::string& part : {mail.subject, mail.text}) {
                EXPECT_FALSE(part.empty());
                EXPECT_EQ(part.find_first_of("{}"), std::string::npos) << part;
            }
            EXPECT_THAT(mail.text, Not(HasSubstr("mail.")));
            EXPECT_FALSE(mail.html.contains("{{") || mail.html.contains("{home"));
            EXPECT_THAT(mail.html, HasSubstr("<html lang=\"" + std::string(language_names[i]) + "\">"));
            EXPECT_THAT(mail.html, HasSubstr("Velvet &amp; Harbor"));
            EXPECT_THAT(mail.text, HasSubstr("help@velvet.example"));
            EXPECT_THAT(mail.text, HasSubstr("https://velvet.example\n"));
        }
    }
}

TEST(MailWording, NothingIsFetchedWhenAMailIsRead) {
    const MailWriter writer(locales(), site());
    for (const auto& [kind, name] : EnumNames<MailKind>::names) {
        const std::string html = writer.write(kind, Language::en, all_facts(), written_at).html;
        for (const auto* fetched : {"src=", "<img", "<link", "<script", "url(", "@import", "background="})
            EXPECT_THAT(html, Not(HasSubstr(fetched))) << name;
    }
}

TEST(REC_4, TheLinkIsTheSettingsAddressAndTheTokenAndThereIsNoOther) {
    const MailWriter writer(locales(), site());
    struct Case {
        MailKind kind;
        std::string link;
    };
    for (const Case& one : {Case{MailKind::verify_email, "https://velvet.example/verify-email/TOKEN123"},
                            Case{MailKind::forgot_password, "https://velvet.example/forgot-password/TOKEN123"}}) {
        const Wording mail = writer.write(one.kind, Language::en, all_facts(), written_at);
        EXPECT_THAT(mail.text, HasSubstr(":\n" + one.link + "\n"));
        EXPECT_THAT(mail.html, HasSubstr("href=\"" + one.link + "\""));
        EXPECT_EQ(count(mail.html, "href="), 1U);
        EXPECT_EQ(count(mail.text, "://"), 2U) << "the link, and the site at the end";
        EXPECT_THAT(mail.subject, Not(HasSubstr("TOKEN123")));
    }
    EXPECT_EQ(count(writer.write(MailKind::new_device, Language::en, all_facts(), written_at).html, "href="), 0U);
    EXPECT_THAT(writer.write(MailKind::forgot_password, Language::fr, all_facts(), written_at).text,
                HasSubstr("\u00A0:\nhttps://velvet.example/forgot-password/TOKEN123\n"));
    EXPECT_THAT(writer.write(MailKind::forgot_password, Language::ja, all_facts(), written_at).text,
                HasSubstr("：\nhttps://velvet.example/forgot-password/TOKEN123\n"));
}

TEST(MailWording, LifetimesAreThoseOfTheSettings) {
    const MailWriter writer(locales(), site());
    EXPECT_THAT(writer.write(MailKind::verify_email, Language::en, all_facts(), written_at).text,
                HasSubstr("in 7\u00A0min."));
    EXPECT_THAT(writer.write(MailKind::forgot_password, Language::en, all_facts(), written_at).text,
                HasSubstr("in 9\u00A0min."));
    const Wording temporary = writer.write(MailKind::temporary_password, Language::en, all_facts(), written_at);
    EXPECT_THAT(temporary.text, HasSubstr("2023-11-17 22:13 UTC"));
    EXPECT_THAT(temporary.text, HasSubstr("\n    Temp-0987\n"));
    EXPECT_THAT(temporary.subject, Not(HasSubstr("Temp")));
}

// Regression: with VERIFICATION_EXPIRED_IN_MINUTES=1, the link expired "in 1 minutes".
TEST(MailWording, OneMinuteReadsRight) {
    MailSite brief = site();
    brief.verification_lifetime = brief.forgot_password_lifetime = 1min;
    const MailWriter writer(locales(), brief);
    for (const MailKind kind : {MailKind::verify_email, MailKind::forgot_password})
        for (std::size_t i = 0; i < language_names.size(); ++i) {
            const std::string text = writer.write(kind, static_cast<Language>(i), all_facts(), written_at).text;
            for (const auto* plural : {"minutes", "Minuten", "minutos"})
                EXPECT_THAT(text, Not(HasSubstr(plural))) << language_names[i];
        }
}

// Regression: it said that someone knows the password, even if a mailed link, Google or Apple had led there.
TEST(MailWording, ANoticeOfWrongCodesNamesAllThatLeadsToThem) {
    const MailWriter writer(locales(), site());
    struct Words {
        Language language;
        std::vector<std::string> all;
    };
    for (const MailKind kind : {MailKind::two_factor_failed, MailKind::two_factor_locked})
        for (const Words& words : {Words{Language::en, {"password", "mailbox", "session"}},
                                   Words{Language::de, {"Passwort", "Postfach", "Sitzung"}},
                                   Words{Language::es, {"contraseña", "buzón", "sesion"}},
                                   Words{Language::fr, {"mot de passe", "messagerie", "session"}},
                                   Words{Language::id, {"kata sandi", "kotak surat", "sesi"}},
                                   Words{Language::ja, {"パスワード", "メールボックス", "セッション"}}}) {
            const std::string text = writer.write(kind, words.language, all_facts(), written_at).text;
            for (const std::string& word : words.all) EXPECT_THAT(text, HasSubstr(word));
            for (const auto* provider : {"Google", "Apple"})
                EXPECT_THAT(text, HasSubstr(provider)) << name_of(words.language);
        }
}

TEST(MailWording, ANoticeOfAResetFactorTellsUntilWhenAnotherOneCanBeSetUp) {
    const MailWriter writer(locales(), site());
    for (std::size_t i = 0; i < language_names.size(); ++i)
        EXPECT_THAT(writer.write(MailKind::two_factor_reset, static_cast<Language>(i), {}, written_at).text,
                    HasSubstr("2023-11-21 22:13 UTC"));
}

TEST(MailWording, ANoticeTellsWhenFromWhereAndWithWhat) {
    const MailWriter writer(locales(), site());
    const Wording mail = writer.write(MailKind::new_device, Language::de, all_facts(), written_at);
    EXPECT_THAT(mail.text,
                HasSubstr("Zeitpunkt: 2023-11-14 22:13 UTC\nIP-Adresse: 203.0.113.7\nGerät: Ada's phone (Firefox, "
                          "Android)\n"));
    EXPECT_THAT(mail.html, HasSubstr("<td>203.0.113.7</td>"));
    // Each language writes the colon in its own way.
    EXPECT_THAT(writer.write(MailKind::new_device, Language::fr, all_facts(), written_at).text,
                HasSubstr("\nAdresse IP\u00A0: 203.0.113.7\n"));
    EXPECT_THAT(writer.write(MailKind::new_device, Language::ja, all_facts(), written_at).text,
                HasSubstr("\nIP アドレス：203.0.113.7\n"));
    // A change by an operator's command has no origin to show.
    EXPECT_THAT(writer.write(MailKind::password_changed, Language::de, {}, written_at).text,
                Not(HasSubstr("IP-Adresse")));
}

TEST(REC_5, WhatClientsSayOfThemselvesIsNeitherMarkupNorALink) {
    const MailWriter writer(locales(), site());
    const MailFacts facts{{"device", "<a href=\"https://evil.example\">click</a>\r\n\r\nYour code {token}"},
                          {"userAgent", "Firefox/1 https://evil.example <script>"},
                          {"address", "evil.example"},
                          {"provider", "<b>evil.example"},
                          {"token", "abc"},
                          {"password", "<&\">"},
                          {"type", "cookies"},
                          {"version", "1"},
                          {"url", "https://velvet.example/cookies/1"}};
    for (const auto& [kind, name] : EnumNames<MailKind>::names) {
        const Wording mail = writer.write(kind, Language::en, facts, written_at);
        for (const std::string& part : {mail.subject, mail.text, mail.html}) {
            EXPECT_THAT(part, Not(HasSubstr("evil.example"))) << name;
            EXPECT_THAT(part, Not(HasSubstr("<script>"))) << name;
            EXPECT_THAT(part, Not(HasSubstr("{token}"))) << name;
        }
    }
    EXPECT_THAT(writer.write(MailKind::temporary_password, Language::en, facts, written_at).html,
                HasSubstr("&lt;&amp;&quot;&gt;"));
}

TEST(MailWording, AMailWithoutItsLinkOrSecretIsNotWritten) {
    const MailWriter writer(locales(), site());
    for (const MailKind kind :
         {MailKind::verify_email, MailKind::forgot_password, MailKind::temporary_password, MailKind::policy_published})
        EXPECT_THROW(writer.write(kind, Language::en, {}, written_at), std::runtime_error);
}

}  // namespace
}  // namespace consentry
