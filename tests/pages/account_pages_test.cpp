// The pages by which people get an account, and get back into it: sign-up, links of mails, passwords, forced set-up.
#include <gmock/gmock.h>

#include "crypto/totp.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/mailbox.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string path_of(const std::string& link) { return link.substr(link.find('/', link.find("://") + 3)); }

TEST(SignUpPages, ANewcomerSignsUpVerifiesAndLogsIn) {
    Service service;
    Browser browser(service);
    browser.open("/sign-up?return=%2Faccount%3Fnew");
    const Answer signed_up = browser.send(
        "/sign-up",
        {{"email", "Ada@Example.org"}, {"password", right_password}, {"name", ""}, {"return", "/account?new"}});
    EXPECT_EQ(signed_up.status, 303) << signed_up.body;
    EXPECT_EQ(signed_up.headers.at("location"), "/login?step=signed-up&return=%2Faccount%3Fnew");
    EXPECT_THAT(browser.open("/login?step=signed-up").body, HasSubstr("We have sent you an email."));
    const std::string link = path_of(Mailbox(service).wait_for("ada@example.org", "verifyEmail").link());
    EXPECT_TRUE(link.starts_with("/verify-email/")) << link;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(browser.open(link).status, 200) << "opening the link spends nothing";
    EXPECT_EQ(browser.send("/login", {{"email", "ada@example.org"}, {"password", right_password}}).status, 403);
    browser.open(link);
    EXPECT_EQ(browser.send(link, {}).headers.at("location"), "/login?step=verified&return=%2Faccount%3Fnew");
    browser.open(link);
    EXPECT_THAT(browser.send(link, {}).body, HasSubstr("Request a new link")) << "it works once";
    browser.open("/login");
    EXPECT_EQ(browser.send("/login", {{"email", "ada@example.org"}, {"password", right_password}}).status, 303);
    EXPECT_TRUE(browser.is_logged_in());
}

TEST(SignUpPages, WhatIsWrongIsToldBesideTheFields) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/sign-up");
    const Answer weak =
        browser.send("/sign-up", {{"email", "new@example.org"}, {"password", "password1"}, {"name", "Ada"}});
    EXPECT_EQ(weak.status, 422);
    EXPECT_THAT(weak.body, HasSubstr(R"(id="password-error")"));
    EXPECT_THAT(weak.body, HasSubstr(R"(value="Ada")"));
    EXPECT_THAT(weak.body, Not(HasSubstr("password1")));
    const Answer common = browser.send("/sign-up", {{"email", "new@example.org"}, {"password", "Password123"}});
    EXPECT_EQ(common.status, 422);
    EXPECT_THAT(common.body, HasSubstr("too common"));
    const Answer both = browser.send("/sign-up", {{"email", "bad"}, {"password", "Password123"}});
    EXPECT_EQ(both.status, 422);
    EXPECT_THAT(both.body, HasSubstr(R"(id="email-error")"));
    EXPECT_THAT(both.body, HasSubstr("too common")) << "all at once";
    const Answer taken = browser.send("/sign-up", {{"email", person.email}, {"password", std::string(new_password)}});
    EXPECT_EQ(taken.status, 409);
}

TEST(SignUpPages, EveryFieldIsEscaped) {
    Browser browser(suite_service());
    const std::string markup = R"("><script>alert(1)</script>'{{csrf}})";
    for (const char* path : {"/sign-up", "/login", "/forgot-password", "/verify-email"}) {
        browser.open(path);
        const Answer answer = browser.send(path, {{"email", markup}, {"name", markup + "\n"}, {"password", markup}});
        EXPECT_EQ(answer.status, 422) << path;
        EXPECT_THAT(answer.body, Not(HasSubstr("<script"))) << path;
    }
    EXPECT_THAT(browser.open("/verify-email/%22%3E%3Cscript%3E").body, Not(HasSubstr("<script")));
    EXPECT_THAT(browser.open("/login?step=%3Cscript%3E&lang=%3Cscript%3E&return=%3Cscript%3E").body,
                Not(HasSubstr("<script")));
}

TEST(SignUpPages, ANewLinkIsPromisedToEverybody) {
    Service service;
    Browser browser(service);
    sign_up(service, "ada@example.org");
    settle_mails(service);
    service.pass(std::chrono::hours{1});
    for (const char* address : {"ada@example.org", "nobody@example.org"}) {
        browser.open("/verify-email");
        EXPECT_EQ(browser.send("/verify-email", {{"email", address}}).headers.at("location"), "/login?step=link");
    }
    settle_mails(service);
    EXPECT_EQ(mails(service, "ada@example.org", "verifyEmail"), 2U);
    EXPECT_EQ(mails(service, "nobody@example.org"), 0U);
}

TEST(RecoveryPages, AWeakPasswordIsToldBesideAllElseThatIsWrong) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/forgot-password/no-token");
    const Answer reset = browser.send("/forgot-password/no-token", {{"newPassword", "Password123"}, {"code", "x"}});
    EXPECT_EQ(reset.status, 422);
    EXPECT_THAT(reset.body, HasSubstr(R"(id="code-error")"));
    EXPECT_THAT(reset.body, HasSubstr("too common"));
    browser.open("/login");
    ASSERT_EQ(browser.send("/login", {{"email", person.email}, {"password", person.password}}).status, 303);
    browser.open("/change-password");
    const Answer change = browser.send("/change-password", {{"oldPassword", ""}, {"newPassword", "Password123"}});
    EXPECT_EQ(change.status, 422);
    EXPECT_THAT(change.body, HasSubstr(R"(id="oldPassword-error")"));
    EXPECT_THAT(change.body, HasSubstr("too common"));
}

TEST(RecoveryPages, AForgottenPasswordIsReplacedByTheMailedLink) {
    Service service;
    Person person = service.make_person();
    Browser elsewhere(service);
    elsewhere.log_in(person);
    Browser browser(service);
    browser.open("/forgot-password");
    EXPECT_EQ(browser.send("/forgot-password", {{"email", person.email}}).headers.at("location"), "/login?step=link");
    const std::string link = path_of(Mailbox(service).wait_for(person.email, "forgotPassword").link());
    browser.open(link);
    EXPECT_EQ(browser.send(link, {{"newPassword", "short"}, {"code", ""}, {"backupCode", ""}}).status, 422);
    const Answer done = browser.send(link, {{"newPassword", new_password}, {"code", ""}, {"backupCode", ""}});
    EXPECT_EQ(done.headers.at("location"), "/login?step=password");
    browser.open(link);
    EXPECT_EQ(browser.send(link, {{"newPassword", new_password}}).status, 400) << "the link works once";
    EXPECT_FALSE(elsewhere.is_logged_in()) << "the old sessions are over";
    person.password = new_password;
    browser.log_in(person);
    EXPECT_TRUE(browser.is_logged_in());
}

// The log of what administrators do must not name an account that has done nothing.
TEST(RecoveryPages, WhoeverIsLoggedInToTheBrowserIsNotTheAuthorOfAResetOrALock) {
    Service service;
    const Person ada = service.make_person();
    const Person guest = service.make_person();
    Browser browser(service);
    browser.log_in(guest);
    for (int i = 0; i < 5; ++i) {
        browser.open("/account");
        browser.send("/login", {{"email", ada.email}, {"password", "Wrong-Harbor-42"}});
    }
    browser.open("/forgot-password");
    browser.send("/forgot-password", {{"email", ada.email}});
    const std::string link = path_of(Mailbox(service).wait_for(ada.email, "forgotPassword").link());
    browser.open(link);
    const Answer done = browser.send(link, {{"newPassword", new_password}, {"code", ""}, {"backupCode", ""}});
    EXPECT_EQ(done.headers.at("location"), "/account");
    EXPECT_THAT(browser.open("/account").body, HasSubstr("Your new password is set."));
    const auto entries = [&](const std::string& where) {
        return one(service, "SELECT count(*) FROM activity_log WHERE " + where);
    };
    const std::string id = "'" + ada.id.text() + "'";
    EXPECT_EQ(entries("user_id = " + id + " AND action = 'userReachMaxPasswordAttempt'"), "1");
    EXPECT_EQ(entries("user_id = " + id + " AND action = 'userResetPassword'"), "1");
    EXPECT_EQ(entries("user_id = " + id + " AND created_by = '" + guest.id.text() + "'"), "0");
    EXPECT_EQ(entries("user_id = '" + guest.id.text() + "' AND metadata LIKE '%" + ada.id.text() + "%'"), "0")
        << "a guest could find out who has an account";
    EXPECT_TRUE(browser.is_logged_in());
}

TEST(RecoveryPages, TheSecondFactorIsAskedForAndAWrongOneLeavesTheLinkValid) {
    Service service;
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    forget(service, person.email);
    const std::string link = path_of(Mailbox(service).wait_for(person.email, "forgotPassword").link());
    Browser browser(service);
    browser.open(link);
    EXPECT_EQ(browser.send(link, {{"newPassword", new_password}}).status, 400);
    EXPECT_EQ(browser.send(link, {{"newPassword", new_password}, {"code", "000000"}}).status, 401);
    EXPECT_EQ(browser.send(link, {{"newPassword", new_password}, {"backupCode", person.backup_codes[0]}}).status, 303);
}

// What programs that read the page aloud go by.
TEST(AccountPages, ARefusalAboutOneFieldIsTiedToIt) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/sign-up");
    const Answer taken = browser.send("/sign-up", {{"email", person.email}, {"password", new_password}});
    EXPECT_EQ(taken.status, 409);
    EXPECT_THAT(taken.body, HasSubstr(R"(aria-invalid="true" aria-describedby="email-error")"));
    EXPECT_THAT(taken.body, HasSubstr(R"(<p class="fault" role="alert"><a href="#email">)"));
    browser.log_in(person);
    browser.open("/change-password");
    const Answer wrong =
        browser.send("/change-password", {{"oldPassword", "Wrong-Harbor-42"}, {"newPassword", new_password}});
    EXPECT_EQ(wrong.status, 400);
    EXPECT_THAT(wrong.body, HasSubstr(R"(<a href="#oldPassword">The current password is incorrect.</a>)"));
    EXPECT_THAT(wrong.body, HasSubstr(R"(aria-describedby="oldPassword-error")"));
    browser.open("/account/data");
    const std::string refused = browser.send("/account/data", {{"email", "else@example.org"}}).body;
    EXPECT_LT(refused.find("role=\"alert\""), refused.find("<h2>")) << "in sight at once";
}

TEST(RecoveryPages, WhoIsLoggedInLearnsThatALinkIsOnItsWay) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.log_in(person);
    for (const char* form : {"/forgot-password", "/verify-email"}) {
        browser.open(form);
        EXPECT_EQ(browser.send(form, {{"email", person.email}}).headers.at("location"), "/account") << form;
        EXPECT_THAT(browser.open("/account").body, HasSubstr("an email with a link is on its way")) << form;
    }
}

TEST(RecoveryPages, ATemporaryPasswordIsReplacedBeforeAnythingElse) {
    Service service;
    const Person admin = service.make_person(Role::admin);
    Person person = service.make_person();
    const std::string path = "/api/admin/user/update/" + person.id.text() + "/password";
    ASSERT_EQ(service.call("PUT", path, {}, bearer(service.tokens_of(admin).access)).status, 200);
    person.password = Mailbox(service).wait_for(person.email, "temporaryPassword").secret();
    Browser browser(service);
    browser.open("/login");
    EXPECT_EQ(browser.log_in(person).headers.at("location"), "/change-password");
    EXPECT_EQ(browser.open("/account").headers.at("location"), "/change-password?return=%2Faccount");
    EXPECT_THAT(browser.open("/change-password").body, HasSubstr("You logged in with a temporary password."));
    EXPECT_EQ(
        browser.send("/change-password", {{"oldPassword", person.password}, {"newPassword", person.password}}).status,
        422);
    const Answer done =
        browser.send("/change-password", {{"oldPassword", person.password}, {"newPassword", new_password}});
    EXPECT_EQ(done.headers.at("location"), "/login?step=password") << done.body;
    EXPECT_FALSE(browser.is_logged_in());
    person.password = new_password;
    browser.log_in(person);
    EXPECT_TRUE(browser.is_logged_in());
}

TEST(SetUpPages, AForcedSetUpShowsCodeSecretAndBackupCodesOnce) {
    Service service;
    const Person admin = service.make_person(Role::admin);
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    ASSERT_EQ(service
                  .patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {},
                         bearer(service.tokens_of(admin).access))
                  .status,
              200);
    Browser browser(service);
    EXPECT_EQ(browser.log_in(person).headers.at("location"), "/login/set-up");
    const Answer page = browser.open("/login/set-up");
    EXPECT_THAT(page.body, HasSubstr("<svg"));
    EXPECT_THAT(page.body, HasSubstr("href=\"otpauth://totp/"));
    const std::string mark = R"(<code class="secret">)";
    const auto begin = page.body.find(mark) + mark.size();
    person.secret = page.body.substr(begin, page.body.find('<', begin) - begin);
    EXPECT_EQ(person.secret.size(), 32U);
    EXPECT_EQ(browser.open("/login/verify").status, 200);
    browser.open("/login/set-up");
    EXPECT_EQ(browser.send("/login/set-up", {{"code", "000000"}}).status, 401);
    const Answer codes = browser.send("/login/set-up", {{"code", service.next_code(person)}});
    EXPECT_EQ(codes.status, 200) << codes.body;
    EXPECT_THAT(codes.body, HasSubstr("Your backup codes"));
    EXPECT_THAT(codes.body, Not(HasSubstr(person.secret)));
    browser.open("/login/verify");
    EXPECT_EQ(browser.send("/login/verify", {{"code", service.next_code(person)}}).status, 303);
    EXPECT_TRUE(browser.is_logged_in());
    Browser other(service);
    EXPECT_EQ(other.open("/login/set-up").headers.at("location"), "/login");
}

}  // namespace
}  // namespace consentry::tests
