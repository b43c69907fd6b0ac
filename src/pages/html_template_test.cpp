#include "pages/html_template.hpp"

#include <map>

#include <gtest/gtest.h>

namespace consentry {
namespace {

const std::vector<std::string> names{"a", "b", "list", "email", "link"};

const Locales& locales() {
    static const Locales all;
    return all;
}

HtmlTemplate read(std::map<std::string, std::string> files) {
    return {{locales(), [files = std::move(files)](std::string_view file) { return files.at(std::string(file)); }},
            "page.html",
            names};
}

std::string rendered(const std::string& text, const View& view, std::map<std::string, std::string> more = {}) {
    more["page.html"] = text;
    return read(std::move(more)).render(Language::en, view).text();
}

std::string fault_of(const std::string& text, std::map<std::string, std::string> more = {}) {
    more["page.html"] = text;
    try {
        read(std::move(more));
    } catch (const TemplateFault& fault) {
        return fault.what();
    }
    return "none";
}

constexpr std::string_view markup = R"(<b onclick="x">&amp;'{{b}}{{#b}}</b>)";

TEST(HtmlTemplate, TextIsEscapedWhereverItStands) {
    View view;
    view.text("a", markup);
    EXPECT_EQ(rendered("<p>{{a}}</p>", view), "<p>&lt;b onclick=&quot;x&quot;&gt;&amp;amp;'{{b}}{{#b}}&lt;/b&gt;</p>");
    EXPECT_EQ(rendered("<p title=\"{{a}}\"></p>", view),
              "<p title=\"&lt;b onclick=&quot;x&quot;&gt;&amp;amp;'{{b}}{{#b}}&lt;/b&gt;\"></p>");
    view.text("a", std::string_view("x\0y\x1b\r\nz", 7));
    EXPECT_EQ(rendered("{{a}}", view), "x\uFFFDy\uFFFD\nz");
}

TEST(HtmlTemplate, OnlyHtmlIsShownAsItIs) {
    View view;
    Html html(HtmlLiteral("<b>"));
    html += Html::of_text("<i>");
    html += "</b>";
    view.html("a", std::move(html));
    EXPECT_EQ(rendered("<p>{{a}}</p>", view), "<p><b>&lt;i&gt;</b></p>");
    EXPECT_EQ(rendered("<p title=\"{{a}}\"></p>", view), "<p title=\"\"></p>") << "an attribute holds no markup";
}

TEST(HtmlTemplate, SectionsShowWhatIsTrueOrNotEmpty) {
    const std::string page = "{{#a}}yes{{/a}}{{^a}}no{{/a}}";
    EXPECT_EQ(rendered(page, View()), "no");
    EXPECT_EQ(rendered(page, std::move(View().text("a", ""))), "no");
    EXPECT_EQ(rendered(page, std::move(View().text("a", "x"))), "yes");
    EXPECT_EQ(rendered(page, std::move(View().flag("a", true))), "yes");
    EXPECT_EQ(rendered(page, std::move(View().flag("a", false))), "no");
    EXPECT_EQ(rendered(page, std::move(View().list("a", {}))), "no");
    View list;
    list.text("b", "outer").list("list", {View().text("a", "1"), View().text("a", "2").text("b", "inner")});
    EXPECT_EQ(rendered("{{#list}}<i>{{a}} {{b}}</i>{{/list}}", list), "<i>1 outer</i><i>2 inner</i>");
    EXPECT_EQ(rendered("<p {{#b}}title=\"{{b}}\" {{/b}}></p>", list), "<p title=\"outer\" ></p>");
}

TEST(HtmlTemplate, AddressesAreHarmless) {
    const auto href = [](std::string_view address) {
        return rendered("<a href=\"{{link}}\">x</a>", std::move(View().text("link", address)));
    };
    EXPECT_EQ(href("/a?b=c&d"), "<a href=\"/a?b=c&amp;d\">x</a>");
    EXPECT_EQ(href("https://app.example.com/"), "<a href=\"https://app.example.com/\">x</a>");
    EXPECT_EQ(href("http://localhost:8080/"), "<a href=\"http://localhost:8080/\">x</a>") << "a guarded host";
    for (const char* bad : {"javascript:alert(1)", "JAVASCRIPT:x", " /a", "//evil.example", "/\\evil.example",
                            "data:text/html,x", "\tjavascript:x", "http:a", "ftp://a"})
        EXPECT_EQ(href(bad), "<a href=\"#\">x</a>") << bad;
    EXPECT_EQ(rendered("<a href=\"/x?y={{link}}\">x</a>", std::move(View().text("link", "a&b=\"c\" d"))),
              "<a href=\"/x?y=a%26b%3D%22c%22%20d\">x</a>");
}

TEST(HtmlTemplate, MessagesAreOfTheLanguageAndEscaped) {
    View view;
    view.text("email", "<ada>");
    EXPECT_EQ(rendered("<p>{{@account.signedIn}}</p>", view), "<p>You are logged in as &lt;ada&gt;.</p>");
    EXPECT_EQ(read({{"page.html", "{{@layout.logIn}}"}}).render(Language::de, View()).text(), "Anmelden");
}

TEST(HtmlTemplate, OtherTemplatesAreTakenIn) {
    EXPECT_EQ(rendered("<p>{{>b.html}}</p>", std::move(View().text("a", "&")), {{"b.html", "<i>{{a}}</i>"}}),
              "<p><i>&amp;</i></p>");
    EXPECT_EQ(rendered("x{{! no <one> sees this }}y<!-- {a} --><!DOCTYPE html>", View()),
              "xy<!-- {a} --><!DOCTYPE html>");
}

TEST(HtmlTemplate, FaultsNameFileAndLine) {
    const std::vector<std::pair<std::string, std::string>> faults{
        {"<p>\n{{unknown}}", "page.html, line 2: the page has no value unknown"},
        {"{{#a}}\n\nx", "page.html, line 3: {{#a}} has no end"},
        {"x{{/a}}", "page.html, line 1: {{/a}} ends a section that was not begun here"},
        {"{{#a}}{{#b}}{{/a}}{{/b}}", "page.html, line 1: {{/a}} ends a section that was not begun here"},
        {"{{a", "page.html, line 1: a mark has no end: }} is missing"},
        {"{{}}", "page.html, line 1: a mark is empty"},
        {"{{{a}}}", "page.html, line 1: {{{a}} is not known; text is always escaped"},
        {"{{&a}}", "page.html, line 1: {{&a}} is not known; text is always escaped"},
        {"{{ a }}", "page.html, line 1: {{ a }} is not known; text is always escaped"},
        {"{{@no.such}}", "page.html, line 1: there is no message pages.no.such"},
        {"{{>none.html}}", "none.html, line 1: there is no such template"},
        {"<p {{a}}></p>", "page.html, line 1: a value may appear only in text or in a quoted attribute"},
        {"<{{a}}>", "page.html, line 1: a value may appear only in text or in a quoted attribute"},
        {"<!-- {{a}} -->", "page.html, line 1: a value may appear only in text or in a quoted attribute"},
        {"<p title={{a}}></p>", "page.html, line 1: a value may appear only in text or in a quoted attribute"},
        {"<p title='{{a}}'></p>", "page.html, line 1: the value of an attribute must be in double quotation marks"},
        {"<p onclick=\"{{a}}\"></p>",
         "page.html, line 1: the security policy of the pages forbids the attribute onclick"},
        {"<p OnClick=\"x()\"></p>",
         "page.html, line 1: the security policy of the pages forbids the attribute onclick"},
        {"<p style=\"color:red\"></p>",
         "page.html, line 1: the security policy of the pages forbids the attribute style"},
        {"<p onerror></p>", "page.html, line 1: the security policy of the pages forbids the attribute onerror"},
        {"<iframe srcdoc=\"{{a}}\">", "page.html, line 1: the security policy of the pages forbids the element iframe"},
        {"<SCRIPT>x</script>", "page.html, line 1: the security policy of the pages forbids the element script"},
        {"<style>x</style>", "page.html, line 1: the security policy of the pages forbids the element style"},
        {"1 < 2", "page.html, line 1: a '<' that begins no tag must be written &lt;"},
        {"<p title=\"x", "page.html, line 1: the file ends within a tag"},
        {"<p {{#a}}title=\"{{/a}}\">",
         "page.html, line 1: the section a must end where it began: in text, or in the same tag"},
        {"<p title=\"{{>b.html}}\">", "page.html, line 1: another template may be included only in text"},
        {"<p>\n\n<script>", "page.html, line 3: the security policy of the pages forbids the element script"},
        {"<p>\n\n<script\n>", "page.html, line 3: the security policy of the pages forbids the element script"},
        {"{{a}}\n<p style=\"x\">\n</p>\n",
         "page.html, line 2: the security policy of the pages forbids the attribute style"},
        {"{{! a\nb }}<p\nonclick=\"x\">",
         "page.html, line 3: the security policy of the pages forbids the attribute onclick"},
        {"<p>\n<p title=\"a\nb\" lang=\nde>",
         "page.html, line 3: the value of an attribute must be in double quotation marks"},
        {"\n{{#a}}\n1 < 2\n{{/a}}", "page.html, line 3: a '<' that begins no tag must be written &lt;"},
        {"<p>\n<p\n\"x\">", "page.html, line 3: an attribute begins with a letter"},
        {"<p>\r\n</p>\r\n\r\n<i>{{unknown}}</i>", "page.html, line 4: the page has no value unknown"},
    };
    for (const auto& [text, fault] : faults) EXPECT_EQ(fault_of(text), fault) << text;
    EXPECT_EQ(fault_of("\n{{>b.html}}", {{"b.html", "<p>\n<i\nid='x'>"}}),
              "b.html, line 3: the value of an attribute must be in double quotation marks");
    EXPECT_EQ(fault_of("{{>page.html}}"), "page.html, line 1: the templates include one another without end");
}

TEST(HtmlTemplate, AViewHoldsOnlyWhatWasDeclared) {
    EXPECT_THROW(rendered("x", std::move(View().text("unknown", "x"))), std::logic_error);
    EXPECT_THROW(rendered("x", std::move(View().list("list", {View().text("unknown", "x")}))), std::logic_error);
}

}  // namespace
}  // namespace consentry
