#include "features/term_policies/diff_page.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/html.hpp"
#include "base/line_diff.hpp"
#include "base/text.hpp"
#include "crypto/digest.hpp"

namespace consentry {
namespace {

// Pages are kept: if this changes, is_diff_page() must know the former one.
constexpr std::string_view style =
    ":root{color-scheme:light dark;--text:#1a1a1a;--page:#fff;--old:#ffe3e0;--old-edge:#b3261e;--new:#dff5e1;"
    "--new-edge:#1b6e2a}"
    "@media (prefers-color-scheme:dark){:root{--text:#ececec;--page:#161616;--old:#4a1d1a;--old-edge:#f2b8b5;"
    "--new:#163d1c;--new-edge:#a6e3ae}}"
    "body{margin:0 auto;max-width:60rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;color:var(--text);"
    "background:var(--page)}"
    "h1{font-size:1.25rem}"
    "p,del,ins{display:block;margin:0;padding:0 .5rem;border-left:.25rem solid transparent;white-space:pre-wrap;"
    "overflow-wrap:anywhere}"
    "del{background:var(--old);border-color:var(--old-edge)}"
    "ins{background:var(--new);border-color:var(--new-edge);text-decoration:none}"
    "hr{border:0;border-top:1px dashed;margin:1rem 0}"
    ".label{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}";

// An element for a line of a unified diff. `mark` is its first character.
Html element_of(const DiffPage& page, char mark, std::string_view line) {
    Html out;
    const auto add = [&](HtmlLiteral begin, const std::string& label, HtmlLiteral end) {
        out += begin;
        if (!label.empty()) {
            out += "<span class=\"label\">";
            out += Html::of_text(label);
            out += ": </span>";
        }
        out += Html::of_text(line);
        out += end;
    };
    switch (mark) {
        case '-':
            add("<del>", page.removed, "\n</del>\n");
            break;
        case '+':
            add("<ins>", page.added, "\n</ins>\n");
            break;
        case '@':
            out += "<hr>\n";
            break;
        case ' ':
            add("<p>", {}, "\n</p>\n");
            break;
        default:
            break;  // the remark that a text does not end with a line end
    }
    return out;
}

// What html_escaped() made of it.
std::string unescaped(std::string_view html) {
    constexpr std::array<std::pair<std::string_view, char>, 4> names{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}}};
    std::string out;
    while (!html.empty()) {
        const auto name = std::ranges::find_if(names, [&](const auto& one) { return html.starts_with(one.first); });
        out.push_back(name == names.end() ? html.front() : name->second);
        html.remove_prefix(name == names.end() ? 1 : name->first.size());
    }
    return out;
}

// The first text between `begin` and `end`; empty if there is none.
std::string label_in(std::string_view page, std::string_view begin, std::string_view end) {
    const auto from = page.find(begin);
    if (from == std::string_view::npos) return {};
    page.remove_prefix(from + begin.size());
    return unescaped(page.substr(0, page.find(end)));
}

}  // namespace

Html diff_lines(const DiffPage& page, std::string_view before, std::string_view after) {
    Html out;
    const std::string differences = unified_diff(before, after, "before", "after");
    std::string_view rest = differences;
    for (int number = 0; !rest.empty(); ++number) {
        const std::string_view line = take_part(rest, '\n');
        if (number < 2 || line.empty()) continue;  // the names
        if (number == 2) continue;                 // the first range, which nothing precedes
        out += element_of(page, line.front(), line.substr(1));
    }
    if (!out.empty()) return out;
    out += "<p>";
    out += Html::of_text(page.same);
    out += "</p>\n";
    return out;
}

std::string diff_page(const DiffPage& page, std::string_view before, std::string_view after) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{0}\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{1}</title>\n"
        "<style>{2}</style>\n</head>\n<body>\n<main>\n<h1>{1}</h1>\n{3}</main>\n</body>\n</html>\n",
        name_of(page.language), Html::of_text(page.title).text(), style, diff_lines(page, before, after).text());
}

bool is_diff_page(std::string_view page, Language language, std::string_view before, std::string_view after) {
    const DiffPage labels{.title = label_in(page, "<title>", "</title>"),
                          .same = label_in(page, "</h1>\n<p>", "</p>\n</main>"),
                          .removed = label_in(page, "<del><span class=\"label\">", ": </span>"),
                          .added = label_in(page, "<ins><span class=\"label\">", ": </span>"),
                          .language = language};
    return diff_page(labels, before, after) == page;
}

DiffPage labeled_page(const Locales& locales, Language language, std::string_view policy, std::int64_t from,
                      std::int64_t to) {
    return {.title = locales.text(language, "termPolicy.diff.title",
                                  {{"policy", locales.text(language, policy)}, {"from", from}, {"to", to}}),
            .same = std::string(locales.text(language, "termPolicy.diff.same")),
            .removed = std::string(locales.text(language, "termPolicy.diff.removed")),
            .added = std::string(locales.text(language, "termPolicy.diff.added")),
            .language = language};
}

std::string diff_page_policy() {
    return fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "sandbox",
        to_base64(crypto::sha256(style)));
}

}  // namespace consentry
