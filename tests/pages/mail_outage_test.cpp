// The pages while no mail leaves.
#include <gmock/gmock.h>

#include "tests/support/browser.hpp"
#include "tests/support/mail_server.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;

TEST(MailOutage, PagesPromiseAMailThatComesLater) {
    MailServer server;
    server.halt();
    Service service({{"MAIL_URL", server.url()}});
    const Person ada = service.make_person();
    Browser browser(service);
    browser.open("/sign-up");
    const Answer signed_up = browser.send("/sign-up", {{"email", "bob@example.org"}, {"password", right_password}});
    EXPECT_EQ(signed_up.headers.at("location"), "/login?step=signed-up");
    EXPECT_THAT(browser.open("/login?step=signed-up").body, HasSubstr("We have sent you an email."));
    browser.open("/forgot-password");
    EXPECT_EQ(browser.send("/forgot-password", {{"email", ada.email}}).headers.at("location"), "/login?step=link");
    server.start();
    service.pass(std::chrono::hours{1});
    std::vector<std::string> kinds;
    for (const SmtpMail& mail : server.wait_for(2)) kinds.push_back(mail.to + " " + mail.mail.kind);
    EXPECT_THAT(kinds, ::testing::UnorderedElementsAre("bob@example.org verifyEmail", ada.email + " forgotPassword"));
}

}  // namespace
}  // namespace consentry::tests
