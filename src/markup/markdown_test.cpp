#include "markup/markdown.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/markup_checks.hpp"

namespace consentry::markup {
namespace {

std::string rendered(std::string_view text) { return render_markdown(text).text(); }

TEST(Markdown, APolicyBecomesAPage) {
    EXPECT_EQ(rendered("# Privacy\n\nWe store your *address*.\n\n1. One\n2. Two\n"),
              "<h2>Privacy</h2>\n<p>We store your <em>address</em>.</p>\n<ol>\n<li>One</li>\n<li>Two</li>\n</ol>\n");
    EXPECT_EQ(rendered("Terms of Example\n\nBe kind.\n"), "<p>Terms of Example</p>\n<p>Be kind.</p>\n");
    EXPECT_EQ(rendered(""), "");
}

TEST(Markdown, HeadingsLeaveTheFirstLevelToThePage) {
    EXPECT_EQ(rendered("# a\n\n## b\n\n###### c\n"), "<h2>a</h2>\n<h3>b</h3>\n<h6>c</h6>\n");
    EXPECT_EQ(render_markdown("# a\n\n## b\n", 2).text(), "<h3>a</h3>\n<h4>b</h4>\n");
}

TEST(Markdown, LinksLeadToTheWebAndToMail) {
    EXPECT_EQ(
        rendered("[a](https://x.example/?b=1&c=2 \"t\")"),
        "<p><a href=\"https://x.example/?b=1&amp;c=2\" rel=\"noopener noreferrer nofollow\" title=\"t\">a</a></p>\n");
    EXPECT_EQ(rendered("<ada@example.org>"),
              "<p><a href=\"mailto:ada@example.org\" rel=\"noopener noreferrer nofollow\">ada@example.org</a></p>\n");
    EXPECT_EQ(rendered("[a](/login) [b](//evil.example) [c](ftp://x) [d](data:text/html,x) [e](#f)"),
              "<p>a b c d e</p>\n");
}

TEST(Markdown, AnImageIsALinkToIt) {
    EXPECT_EQ(rendered("![our *logo*](https://x.example/a.png)"),
              "<p><a href=\"https://x.example/a.png\" rel=\"noopener noreferrer nofollow\">our logo</a></p>\n");
    EXPECT_EQ(rendered("![logo](a.png)"), "<p>logo</p>\n");
    EXPECT_EQ(rendered("[![logo](https://x.example/a.png)](https://x.example)"),
              "<p><a href=\"https://x.example\" rel=\"noopener noreferrer nofollow\">logo</a></p>\n");
}

// What has got past other renderers, or would if a part of this one were missing.
TEST(Markdown, HostileTextsStayText) {
    const std::vector<std::string> texts{
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onmouseover=alert(1)>b</b>",
        "<!--><script>alert(1)</script-->",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<?php x ?>",
        "</p></main><h1>Bank</h1>",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](java&#115;cript:alert(1))",
        "[a](javascript&colon;alert(1))",
        "[a](&#x6A;avascript:alert(1))",
        "[a](java\tscript:alert(1))",
        "[a](<java\nscript:alert(1)>)",
        "[a](\x01javascript:alert(1))",
        "[a](vbscript:x) [b](data:text/html;base64,PHNjcmlwdD4=) [c](file:///etc/passwd)",
        "[a](blob:https://x) [b](view-source:https://x) [c](filesystem:https://x)",
        "[a](https&colon;//x) [b](&#104;ttps://x)",
        "<javascript:alert(1)>",
        "<javascript:alert&#40;1)>",
        "[a]: javascript:alert(1)\n\n[a] [b][a]",
        "[a](https://x\" onclick=\"alert(1))",
        "[a](https://x' onclick='alert(1))",
        "[a](<https://x\"><script>alert(1)</script>>)",
        "[a](https://x \"\\\" onclick=\\\"alert(1)\")",
        "[a](https://x '\"><script>alert(1)</script>')",
        "[a](https://x \"&quot; onclick=&quot;alert(1)\")",
        "![\" onerror=\"alert(1)](https://x/y.png)",
        "![<script>](https://x/y.png)",
        "![a](javascript:alert(1))",
        "![![a](https://b)](https://c)",
        "[a ![b [c](https://d)](https://e)](https://f)",
        "[[a](https://b)](https://c)",
        "```\"><script>alert(1)</script>\na\n```",
        "``` x onclick=alert(1)\n</code></pre><script>alert(1)</script>\n```",
        "    <script>alert(1)</script>",
        "`<script>alert(1)</script>`",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&#60;script&#62; &#x3c;img src=x&#x3E;",
        "&#0; &#xD800; &#1114112; &nosuch;",
        std::string("a\0b <scr\0ipt>", 13),
        "\xff\xfe <script>\xc0\xbc",
        "|<script>|a|\n|---|---|\n|[a](javascript:x)|<b>|",
        "- <div>\n  <script>",
        "> <script>\n> alert(1)",
        "999999999. a",
        "# <img src=x>",
        "a  \n<br/onclick=x>",
        "<style>*{}</style><link rel=stylesheet href=//x><base href=//x><meta http-equiv=refresh content=0>",
        "<form action=//x><input name=password><button>",
        "<svg><a xlink:href=javascript:x>",
        "<math href=javascript:x>",
    };
    for (const std::string& text : texts) {
        const std::string html = rendered(text);
        EXPECT_EQ(tests::complaint_about(html), "") << text << "\n" << html;
    }
}

// References to a long address grow with the square of the text, unless the renderer stops them.
TEST(Markdown, NoResultIsOutOfProportion) {
    std::string text = "[a]: https://x.example/" + std::string(20000, 'x') + "\n\n";
    for (int i = 0; i < 20000; ++i) text += "[a] ";
    const std::string html = rendered(text);
    EXPECT_LT(html.size(), 10 * text.size());
    EXPECT_EQ(tests::complaint_about(html), "");
}

// -- the examples of the specification --

struct Example {
    int number = 0;
    std::string section;
    std::string text;
    std::string html;
};

std::vector<Example> examples() {
    std::ifstream file("tests/data/commonmark/spec.txt");
    std::vector<Example> out;
    std::string* into = nullptr;
    std::string section;
    for (std::string line; std::getline(file, line);) {
        if (line == std::string(32, '`') + " example") {
            out.push_back({static_cast<int>(out.size()) + 1, section, {}, {}});
            into = &out.back().text;
        } else if (line == std::string(32, '`')) {
            into = nullptr;
        } else if (into && line == ".") {
            into = &out.back().html;
        } else if (into) {
            *into += std::regex_replace(line, std::regex("→"), "\t") + "\n";
        } else if (line.starts_with('#')) {
            section = line.substr(line.find(' ') + 1);
        }
    }
    return out;
}

// Replaces each match with what `change` makes of it.
template <class Change>
std::string replaced(const std::string& text, const std::string& pattern, Change change) {
    const std::regex expression(pattern);
    std::string out;
    auto rest = text.cbegin();
    for (std::sregex_iterator found(text.begin(), text.end(), expression), end; found != end; ++found) {
        out.append(rest, (*found)[0].first);
        out += change(*found);
        rest = (*found)[0].second;
    }
    return out.append(rest, text.cend());
}

bool leads_to_the_web(const std::string& address) {
    return std::regex_search(address, std::regex("^(https?://|mailto:)", std::regex::icase));
}

std::string link(const std::string& address, const std::string& title, const std::string& content) {
    if (!leads_to_the_web(address)) return content;
    return "<a href=\"" + address + "\" rel=\"noopener noreferrer nofollow\"" + title + ">" + content + "</a>";
}

// The published result with the differences that are ours: levels of headings, links, images, no classes.
std::string expected(std::string html) {
    html = replaced(html, "<(/?)h([1-5])>", [](const std::smatch& found) {
        return "<" + found[1].str() + "h" + std::to_string(std::stoi(found[2].str()) + 1) + ">";
    });
    html = std::regex_replace(html, std::regex("<([hb]r) />"), "<$1>");
    html = std::regex_replace(html, std::regex(" class=\"language-[^\"]*\""), "");
    const std::string image = R"re(<img src="([^"]*)" alt="([^"]*)"( title="[^"]*")? />)re";
    // An image within a link is its text; all others are links.
    html = replaced(html, R"re(<a href="([^"]*)"( title="[^"]*")?>([^]*?)</a>)re", [&](const std::smatch& found) {
        return link(found[1], found[2], std::regex_replace(found[3].str(), std::regex(image), "$2"));
    });
    return replaced(html, image, [](const std::smatch& found) { return link(found[1], found[3], found[2]); });
}

void append_code_point(std::string& out, unsigned long code) {
    if (code == 0 || code > 0x10FFFF) code = 0xFFFD;
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

// As a browser reads it: references to characters may be written in several ways, and blanks beside blocks have no
// meaning.
std::string decoded(std::string html) {
    static const std::map<std::string, std::string> names{
        {"amp", "&"},         {"lt", "\1lt"},        {"gt", "\1gt"},         {"quot", "\""},
        {"nbsp", "\xC2\xA0"}, {"copy", "©"},         {"AElig", "Æ"},         {"Dcaron", "Ď"},
        {"frac34", "¾"},      {"HilbertSpace", "ℋ"}, {"DifferentialD", "ⅆ"}, {"ClockwiseContourIntegral", "∲"},
        {"ngE", "≧̸"},         {"auml", "ä"},         {"ouml", "ö"}};
    html = replaced(html, R"re(&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z0-9]+);)re", [](const std::smatch& found) {
        const std::string name = found[1];
        if (name[0] != '#') return names.contains(name) ? names.at(name) : found[0].str();
        std::string out;
        const bool hex = name[1] == 'x' || name[1] == 'X';
        append_code_point(out, hex ? std::stoul(name.substr(2), nullptr, 16) : std::stoul(name.substr(1)));
        return out;
    });
    return std::regex_replace(html, std::regex(R"(\s*(</?(li|[ou]l|p|h[1-6]|blockquote)>)\s*)"), "$1");
}

TEST(Markdown, TheExamplesOfCommonMark) {
    const std::regex html_tag(R"re(<(/?[A-Za-z][A-Za-z0-9-]*(\s[^>]*)?/?>|[!?]|[A-Za-z-]*$))re");
    std::size_t compared = 0;
    for (const Example& example : examples()) {
        EXPECT_EQ(tests::complaint_about(rendered(example.text)), "") << example.number;
        const bool has_html = example.section == "HTML blocks" || example.section == "Raw HTML" ||
                              std::regex_search(example.text, html_tag);
        if (has_html) continue;
        ++compared;
        EXPECT_EQ(decoded(rendered(example.text)), decoded(expected(example.html)))
            << example.number << " in " << example.section << ":\n"
            << example.text;
    }
    EXPECT_EQ(compared, 565U) << "of the 652 examples; the others have HTML, which stays text here";
}

}  // namespace
}  // namespace consentry::markup
