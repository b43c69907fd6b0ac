// What must hold for every HTML that is rendered from a text of another person. Tests and the fuzz target share it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace consentry::tests {

namespace detail {

inline bool is_plain_tag(std::string_view name) {
    constexpr std::array<std::string_view, 14> names{"p",  "em", "strong", "code", "pre", "blockquote", "ul",
                                                     "ol", "li", "h2",     "h3",   "h4",  "h5",         "h6"};
    return std::ranges::find(names, name) != names.end();
}

// Takes `name="value"` from the front of the tag.
inline bool take_attribute(std::string_view& tag, std::string_view name, std::string_view& value) {
    if (!tag.starts_with(std::string(name) + "=\"")) return false;
    tag.remove_prefix(name.size() + 2);
    const auto end = tag.find('"');
    if (end == std::string_view::npos) return false;
    value = tag.substr(0, end);
    tag.remove_prefix(end + 1);
    return true;
}

inline bool is_safe_address(std::string_view address) {
    std::string start(address.substr(0, 8));
    std::ranges::transform(start, start.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    return (start.starts_with("http://") || start.starts_with("https://") || start.starts_with("mailto:")) &&
           std::ranges::all_of(address, [](char c) { return c > ' ' && c < 127 && c != '<' && c != '>' && c != '\''; });
}

inline bool is_link(std::string_view tag) {
    constexpr std::string_view start = "a ";
    constexpr std::string_view relation = " rel=\"noopener noreferrer nofollow\"";
    std::string_view value;
    tag.remove_prefix(start.size());
    if (!take_attribute(tag, "href", value) || !is_safe_address(value)) return false;
    if (!tag.starts_with(relation)) return false;
    tag.remove_prefix(relation.size());
    if (tag.empty()) return true;
    tag.remove_prefix(1);
    return take_attribute(tag, "title", value) && tag.empty();
}

inline bool is_numbered_list(std::string_view tag) {
    std::string_view value;
    tag.remove_prefix(std::string_view("ol ").size());
    return take_attribute(tag, "start", value) && tag.empty() && !value.empty() &&
           std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace detail

// Returns what is wrong with the HTML, or nothing: only the elements that Markdown knows, without attributes except
// those of links and numbered lists, each closed in its order.
inline std::string complaint_about(std::string_view html) {
    std::vector<std::string> open;
    for (auto place = html.find_first_of("<>"); place != std::string_view::npos; place = html.find_first_of("<>")) {
        const auto end = html.find('>', place);
        if (html[place] == '>' || end == std::string_view::npos) return "a bracket that is no tag";
        const std::string_view tag = html.substr(place + 1, end - place - 1);
        html.remove_prefix(end + 1);
        if (tag == "hr" || tag == "br") continue;
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1))
                return "</" + std::string(tag.substr(1)) + "> closes nothing";
            open.pop_back();
        } else if (detail::is_plain_tag(tag)) {
            open.emplace_back(tag);
        } else if (tag.starts_with("a ") && detail::is_link(tag)) {
            if (std::ranges::find(open, "a") != open.end()) return "a link in a link";
            open.emplace_back("a");
        } else if (tag.starts_with("ol ") && detail::is_numbered_list(tag)) {
            open.emplace_back("ol");
        } else {
            return "<" + std::string(tag) + ">";
        }
    }
    return open.empty() ? "" : "<" + open.back() + "> stays open";
}

}  // namespace consentry::tests
