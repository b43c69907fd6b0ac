// Who may open which page and send which form: one row per page, one column per kind of visitor (AUT-1). A page that is
// missing from the table fails the test. Endpoints of the API: tests/features/users/authorization_table_test.cpp.
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "base/percent_encoding.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

namespace who {
enum Kind { stranger, member, revoked, inactive, pending, stale, provisional, dissenting };
}
constexpr std::array visitor_names{"a stranger",
                                   "a member",
                                   "somebody whose session has ended",
                                   "an inactive member",
                                   "somebody who owes the second factor",
                                   "a member who logged in a while ago",
                                   "somebody whose password is temporary",
                                   "a member who has not accepted the policies"};
// The status of each answer, and where it leads.
using Outcomes = std::array<std::string, visitor_names.size()>;

struct Row {
    std::string id;
    std::string method;
    std::string path;
    Outcomes expected;
};

std::string with_return(const std::string& page, const std::string& path) {
    return "303 " + page + "?return=" + percent_encoded(path);
}

// What those are told who may do nothing: to log in, and then to come back. A form without a page of its own is not
// something to come back to.
Outcomes for_those_logged_in(const std::string& admitted, const std::string& log_in, const std::string& set_password) {
    return {log_in, admitted, log_in, "403", log_in, admitted, set_password, admitted};
}
Row signed_in(const std::string& id, const std::string& method, const std::string& path, const std::string& admitted) {
    return {id, method, path,
            for_those_logged_in(admitted, with_return("/login", path), with_return("/change-password", path))};
}
Row button(const std::string& id, const std::string& path, const std::string& admitted) {
    return {id, "POST", path, for_those_logged_in(admitted, "303 /login", "303 /change-password")};
}
Row fresh(const std::string& id, const std::string& method, const std::string& path, const std::string& admitted) {
    Row row = signed_in(id, method, path, admitted);
    row.expected[who::stale] = with_return("/login/confirm", path);
    return row;
}
Row consenting(const std::string& id, const std::string& method, const std::string& path, const std::string& admitted) {
    Row row = signed_in(id, method, path, admitted);
    row.expected[who::dissenting] = with_return("/accept", path);
    return row;
}
// With a temporary password, too.
Row provisional_too(Row row) {
    row.expected[who::provisional] = row.expected[who::member];
    return row;
}
// Who may not act any more can still leave.
Row inactive_too(Row row) {
    row.expected[who::inactive] = row.expected[who::member];
    return row;
}
Row open_to_all(const std::string& id, const std::string& method, const std::string& path, const std::string& outcome) {
    Row row{id, method, path, {}};
    row.expected.fill(outcome);
    return row;
}
// A visitor who is logged in already goes on.
Row before_login(const std::string& id, const std::string& method, const std::string& path,
                 const std::string& outcome) {
    const std::string on = "303 /account";
    return {id, method, path, {outcome, on, outcome, outcome, outcome, on, on, on}};
}
// After the first step of a login.
Row second_step(const std::string& id, const std::string& method, const std::string& path, const std::string& outcome) {
    Row row = before_login(id, method, path, "303 /login");
    row.expected[who::pending] = outcome;
    return row;
}
Row of_dissenters(Row row, const std::string& outcome) {
    row.expected[who::dissenting] = outcome;
    return row;
}

// Forms are sent with the token of the visitor's own page and no other field. Where they are admitted, most of them
// therefore lack something.
const std::vector<Row>& table() {
    static const std::vector<Row> rows{
        open_to_all("homePage", "GET", "/", "200"),
        before_login("loginPage", "GET", "/login", "200"),
        before_login("loginForm", "POST", "/login", "422"),
        second_step("verifyPage", "GET", "/login/verify", "200"),
        second_step("verifyForm", "POST", "/login/verify", "422"),
        // The second step is due with the factor that this visitor has.
        second_step("setUpPage", "GET", "/login/set-up", "303 /login/verify"),
        second_step("setUpForm", "POST", "/login/set-up", "303 /login/verify"),
        before_login("continueWithGoogleForm", "POST", "/login/google",
                     "303 https://accounts.google.com/o/oauth2/v2/auth"),
        before_login("continueWithAppleForm", "POST", "/login/apple", "303 https://appleid.apple.com/auth/authorize"),
        // No visitor has been at a provider.
        open_to_all("continueWithGoogleCallback", "POST", "/login/google/callback", "303 /login?step=over&with=google"),
        open_to_all("continueWithAppleCallback", "POST", "/login/apple/callback", "303 /login?step=over&with=apple"),
        inactive_too(provisional_too(button("logoutForm", "/logout", "303 /"))),
        signed_in("confirmPage", "GET", "/login/confirm", "200"),
        signed_in("confirmForm", "POST", "/login/confirm", "422"),
        // These concern the hosts of applications, of which there are none.
        signed_in("handOverPage", "GET", "/login/hand-over", "404"),
        open_to_all("guardedHostStart", "GET", "/.consentry/start", "404"),
        open_to_all("guardedHostCallback", "GET", "/.consentry/callback", "404"),
        open_to_all("guardedHostForbidden", "GET", "/.consentry/forbidden", "403"),
        before_login("signUpPage", "GET", "/sign-up", "200"),
        before_login("signUpForm", "POST", "/sign-up", "422"),
        open_to_all("sendVerificationPage", "GET", "/verify-email", "200"),
        open_to_all("sendVerificationForm", "POST", "/verify-email", "422"),
        // What these two demand is the token in the path.
        open_to_all("verifyEmailPage", "GET", "/verify-email/x", "200"),
        open_to_all("verifyEmailForm", "POST", "/verify-email/x", "400"),
        open_to_all("forgotPasswordPage", "GET", "/forgot-password", "200"),
        open_to_all("forgotPasswordForm", "POST", "/forgot-password", "422"),
        open_to_all("resetPasswordPage", "GET", "/forgot-password/x", "200"),
        open_to_all("resetPasswordForm", "POST", "/forgot-password/x", "422"),
        provisional_too(signed_in("changePasswordPage", "GET", "/change-password", "200")),
        provisional_too(signed_in("changePasswordForm", "POST", "/change-password", "422")),
        // Who has accepted everything goes on.
        of_dissenters(signed_in("acceptPage", "GET", "/accept", "303 /account"), "200"),
        of_dissenters(signed_in("acceptForm", "POST", "/accept", "303 /account"), "422"),
        open_to_all("policyPage", "GET", "/policies/termsOfService/1", "200"),
        consenting("accountPage", "GET", "/account", "200"),
        consenting("accountProfilePage", "GET", "/account/profile", "200"),
        consenting("accountProfileForm", "POST", "/account/profile", "303 /account"),
        signed_in("accountDataPage", "GET", "/account/data", "200"),
        signed_in("accountDataForm", "POST", "/account/data", "422"),
        button("accountExportForm", "/account/data/export", "200"),
        before_login("accountDeletedPage", "GET", "/account/deleted", "200"),
        signed_in("accountSessionsPage", "GET", "/account/sessions", "200"),
        button("accountSessionEndForm", "/account/sessions/end", "422"),
        button("accountSessionsEndForm", "/account/sessions/end-others", "303 /account/sessions"),
        signed_in("accountConsentsPage", "GET", "/account/consents", "200"),
        button("accountWithdrawForm", "/account/consents/withdraw", "422"),
        button("accountConsentRecordForm", "/account/consents/record", "422"),
        button("accountConsentReceiptForm", "/account/consents/receipt", "422"),
        button("accountConsentProofForm", "/account/consents/proof", "422"),
        signed_in("accountTwoFactorPage", "GET", "/account/two-factor", "200"),
        fresh("accountTwoFactorStartPage", "GET", "/account/two-factor/start", "200"),
        fresh("accountTwoFactorStartForm", "POST", "/account/two-factor/start", "303 /account/two-factor/confirm"),
        // None of these members has a second factor, or has begun to set one up.
        signed_in("accountTwoFactorConfirmPage", "GET", "/account/two-factor/confirm", "303 /account/two-factor"),
        signed_in("accountTwoFactorConfirmForm", "POST", "/account/two-factor/confirm", "303 /account/two-factor"),
        fresh("accountBackupCodesPage", "GET", "/account/two-factor/codes", "303 /account/two-factor"),
        fresh("accountBackupCodesForm", "POST", "/account/two-factor/codes", "303 /account/two-factor"),
        signed_in("accountTwoFactorOffPage", "GET", "/account/two-factor/off", "303 /account/two-factor"),
        signed_in("accountTwoFactorOffForm", "POST", "/account/two-factor/off", "303 /account/two-factor"),
    };
    return rows;
}

std::string outcome_of(const Answer& answer) {
    std::string out = std::to_string(answer.status);
    const auto found = answer.headers.find("location");
    if (found == answer.headers.end()) return out;
    // An identity provider gets a new number each time.
    return out + " " +
           (found->second.starts_with('/') ? found->second : found->second.substr(0, found->second.find('?')));
}

// A service that has every page, and policies to be accepted.
class PagePermissions : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        service_ = std::make_unique<Service>(Environment{{"AUTH_SOCIAL_GOOGLE_CLIENT_ID", "google-web"},
                                                         {"AUTH_SOCIAL_GOOGLE_CLIENT_SECRET", "a secret"},
                                                         {"AUTH_SOCIAL_APPLE_SIGN_IN_CLIENT_ID", "apple-web"}});
        const PolicyDesk desk(*service_);
        for (const char* type : {"termsOfService", "privacy"}) desk.published(type, 1, {{"en", "Rules."}});
    }
    static void TearDownTestSuite() { service_.reset(); }
    static Service& service() { return *service_; }

    // A visitor who has accepted the policies and logged in.
    static Person make_member() {
        Person person = service().make_person();
        const std::string token = service().tokens_of(person).access;
        for (const char* type : {"termsOfService", "privacy"}) EXPECT_EQ(accept(service(), token, type).status, 200U);
        return person;
    }
    static Browser browser_of(const Person& person) {
        Browser browser(service());
        EXPECT_EQ(browser.log_in(person).status, 303U);
        browser.open("/change-password");  // has a form for everybody who is logged in
        return browser;
    }
    static void change(const Person& person, const std::string& what) {
        service().sql("UPDATE users SET " + what + " WHERE id = '" + person.id.text() + "'");
    }

    // New ones for each page, so that what one of them does there concerns no other.
    static std::vector<Browser> visitors() {
        std::vector<Browser> out(visitor_names.size(), Browser(service()));
        out[who::stale] = browser_of(make_member());
        service().pass(std::chrono::minutes{5});
        out[who::stranger].open("/login");
        out[who::member] = browser_of(make_member());
        const Person left = make_member();
        out[who::revoked] = browser_of(left);
        Browser elsewhere = browser_of(left);
        elsewhere.send("/account/sessions/end-others", {});
        const Person dormant = make_member();
        out[who::inactive] = browser_of(dormant);
        change(dormant, "status = 'inactive'");
        Person careful = make_member();
        service().turn_two_factor_on(careful);
        out[who::pending].log_in(careful);
        out[who::pending].open("/login/verify");
        const Person helped = make_member();
        out[who::provisional] = browser_of(helped);
        change(helped, "must_change_password = TRUE");
        out[who::dissenting] = browser_of(service().make_person());
        return out;
    }

private:
    static std::unique_ptr<Service> service_;
};
std::unique_ptr<Service> PagePermissions::service_;

class PagePermissionTable : public PagePermissions, public ::testing::WithParamInterface<std::size_t> {};

bool is_file(const http::Operation& page) { return page.id.starts_with("pagesFile"); }

TEST_F(PagePermissions, AUT_1_TheTableHoldsEveryPage) {
    std::set<std::string> declared;
    for (const auto& page : service().app().router().pages())
        if (!is_file(*page)) declared.insert(page->id);
    std::set<std::string> written;
    for (const Row& row : table()) EXPECT_TRUE(written.insert(row.id).second) << row.id;
    EXPECT_EQ(written, declared) << "write down who may open the new page";
    for (const Row& row : table()) {
        const auto match =
            service().app().router().find(row.method == "GET" ? http::Method::get : http::Method::post, row.path);
        ASSERT_NE(match.operation, nullptr) << row.path;
        EXPECT_EQ(match.operation->id, row.id);
    }
}

// Style sheet and images, which every page shows.
TEST_F(PagePermissions, AUT_1_FilesOfThePagesAreOpenToAll) {
    std::size_t files = 0;
    auto all = visitors();
    for (const auto& page : service().app().router().pages())
        if (is_file(*page))
            for (std::size_t i = 0; i < all.size(); ++i) {
                ++files;
                EXPECT_EQ(outcome_of(all[i].open(page->paths.front())), "200")
                    << page->paths.front() << " for " << visitor_names[i];
            }
    EXPECT_GT(files, 0U);
}

TEST_P(PagePermissionTable, AUT_1) {
    const Row& row = table().at(GetParam());
    auto all = visitors();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Answer answer = row.method == "GET" ? all[i].open(row.path) : all[i].send(row.path, {});
        EXPECT_EQ(outcome_of(answer), row.expected[i]) << row.id << " for " << visitor_names[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Pages, PagePermissionTable, ::testing::Range(std::size_t{0}, table().size()),
                         [](const auto& parameter) { return table().at(parameter.param).id; });

}  // namespace
}  // namespace consentry::tests
