// Whatever is typed or sent, it never becomes markup: every field of every form that a page shows.
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "base/percent_encoding.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Each would put an element or an attribute "zq" into the page, if it came through.
const std::vector<std::string> hostile{R"("><zq>)",
                                       R"('><zq>)",
                                       R"(" zq=")",
                                       "<zq",
                                       "<zq/onload=x>",
                                       "</title><zq>",
                                       "</textarea><zq>",
                                       "--><zq>",
                                       "<!--<zq>",
                                       "]]><zq>",
                                       "{{csrf}}<zq>",
                                       "{{#return}}<zq>",
                                       "<<zq>>",
                                       "&lt;zq&gt;<zq",
                                       "\xEF\xBC\x9Czq\xEF\xBC\x9E<zq>",
                                       "+ADw-zq+AD4-<zq",
                                       "\"\n><zq>",
                                       "<zq\t>",
                                       "&#60;zq&#62;<zq>",
                                       "\xE2\x80\xA8<zq>",
                                       "<ZQ>",
                                       "</option><zq>",
                                       "javascript:<zq>",
                                       "data:text/html,<zq>"};

void expect_no_markup(const std::string& body, const std::string& which) {
    std::string lower = body;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    EXPECT_THAT(lower, Not(HasSubstr("<zq"))) << which;
    EXPECT_THAT(lower, Not(HasSubstr("\" zq="))) << which;
}

std::string attribute(std::string_view tag, const std::string& name) {
    const std::string mark = " " + name + "=\"";
    const auto at = tag.find(mark);
    if (at == std::string_view::npos) return {};
    const auto from = at + mark.size();
    return std::string(tag.substr(from, tag.find('"', from) - from));
}

// Adds the forms of a page: where they lead, and the names of their fields.
void read_forms(std::string_view page, std::map<std::string, std::set<std::string>>& forms) {
    std::set<std::string>* form = nullptr;
    for (auto at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
        const std::string_view tag = page.substr(at, page.find('>', at) - at);
        if (tag.starts_with("<form")) form = &forms[attribute(tag, "action")];
        if (tag.starts_with("</form")) form = nullptr;
        const std::string name = attribute(tag, "name");
        if (form != nullptr && !name.empty() && name != "csrf") form->insert(name);
    }
}

TEST(Markup, IsTextInEveryFieldOfEveryForm) {
    Service service;
    PolicyDesk desk(service);
    desk.published("marketing", 1, {{"en", "Letters."}});
    const Person person = service.make_person();
    std::map<std::string, std::set<std::string>> forms;
    Browser visitor(service);
    Browser member(service);
    member.log_in(person);
    for (Browser* browser : {&visitor, &member}) {
        for (const auto& page : service.app().router().pages())
            if (page->method == http::Method::get && !page->paths.front().contains(':'))
                read_forms(browser->open(page->paths.front() + "?return=%2Faccount").body, forms);
        for (const char* path : {"/verify-email/x", "/forgot-password/x", "/accept?policies=marketing"})
            read_forms(browser->open(path).body, forms);
    }
    EXPECT_GE(forms.size(), 14U);
    std::size_t fields = 0;
    for (const auto& [action, names] : forms)
        for (const std::string& name : names) {
            ++fields;
            for (const std::string& value : hostile) {
                Browser& browser = action.starts_with("/account") || action == "/accept" ? member : visitor;
                if (&browser == &member && !member.is_logged_in()) member.log_in(person);
                browser.open("/");
                Browser::Fields sent;
                for (const std::string& other : names) sent.emplace_back(other, other == name ? value : "");
                expect_no_markup(browser.send(action, sent).body, action + " " + name + " " + value);
            }
        }
    EXPECT_GE(fields, 20U);
}

// The address of a page with `value` in its path and in every query that a page reads.
std::string with_value_everywhere(std::string path, const std::string& value) {
    const std::string encoded = percent_encoded(value);
    if (const auto colon = path.find(':'); colon != std::string::npos)
        path.replace(colon, path.find('/', colon) - colon, encoded);
    for (const char* name : {"return", "lang", "step", "with", "policies", "changes", "done", "text"})
        path.append(path.contains('?') ? "&" : "?").append(name).append("=").append(encoded);
    return path;
}

TEST(Markup, IsTextInEveryQueryAndPath) {
    Service& service = suite_service();
    Browser visitor(service);
    Browser member(service);
    member.log_in(service.make_person());
    for (Browser* browser : {&visitor, &member}) {
        // Many pages redirect one of the two.
        std::size_t shown = 0;
        for (const auto& page : service.app().router().pages())
            if (page->method == http::Method::get)
                for (const std::string& value : {hostile[0], hostile[2], hostile[5]}) {
                    const std::string path = with_value_everywhere(page->paths.front(), value);
                    const auto answer = browser->open(path);
                    shown += answer.status == 200 && !answer.body.empty() ? 1 : 0;
                    expect_no_markup(answer.body, path);
                }
        EXPECT_GE(shown, 20U) << (browser == &visitor ? "visitor" : "member");
    }
}

// What is stored and shown again, to its owner or to another person.
TEST(Markup, IsTextWhereItWasStored) {
    Service& service = suite_service();
    const Person person = service.make_person();
    Browser browser(service);
    browser.open("/login");
    browser.send("/login", {{"email", person.email}, {"password", person.password}},
                 {{"User-Agent", "<zq>\" zq=\" Firefox/<zq>"}});
    const std::string list = browser.open("/account/sessions").body;
    EXPECT_THAT(list, HasSubstr("127.0.0.1"));
    expect_no_markup(list, "/account/sessions");
    browser.open("/account/profile");
    EXPECT_EQ(browser.send("/account/profile", {{"name", "<zq>\" zq=\""}}).status, 303);
    const std::string profile = browser.open("/account/profile").body;
    EXPECT_THAT(profile, HasSubstr("&lt;zq&gt;&quot; zq=&quot;"));
    expect_no_markup(profile, "/account/profile");
}

}  // namespace
}  // namespace consentry::tests
