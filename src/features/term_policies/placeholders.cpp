#include "features/term_policies/placeholders.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace consentry {
namespace {

constexpr std::size_t shown_max = 64;  // bytes

struct Braces {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view inside;
    bool are_two = false;  // on either side; Handlebars also has three
};

// The next `{{…}}`. If several openings precede one end, the last one counts: "{{ and {{companyName}}".
std::optional<Braces> next_braces(std::string_view text, std::size_t from) {
    const auto open = text.find("{{", from);
    if (open == std::string_view::npos) return std::nullopt;
    const auto close = text.find("}}", open + 2);
    if (close == std::string_view::npos) return std::nullopt;
    const auto inside = text.rfind("{{", close - 1) + 2;
    auto begin = inside - 2;
    while (begin > open && text[begin - 1] == '{') --begin;
    const auto end = std::min(text.find_first_not_of('}', close), text.size());
    return Braces{.begin = begin,
                  .end = end,
                  .inside = trim(text.substr(inside, close - inside)),
                  .are_two = inside - begin == 2 && end - close == 2};
}

bool is_name(std::string_view text) {
    return !text.empty() && is_letter(text.front()) &&
           std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

std::string on_one_line(std::string_view text) {
    std::string out(cut_at_character(text, shown_max));
    std::ranges::replace_if(out, is_control, ' ');
    return out.size() < text.size() ? out + "…" : out;
}

}  // namespace

std::string fill_placeholders(std::string_view text, const FindValue& find, std::size_t bytes_max) {
    std::string out;
    std::size_t done = 0;
    for (auto found = next_braces(text, 0); found && out.size() <= bytes_max; found = next_braces(text, found->end)) {
        const std::string* const value = found->are_two && is_name(found->inside) ? find(found->inside) : nullptr;
        if (value == nullptr) continue;
        out.append(text.substr(done, found->begin - done)).append(*value);
        done = found->end;
    }
    return out.append(text.substr(done));
}

std::vector<std::string> unfilled_in(std::string_view text) {
    std::vector<std::string> out;
    std::set<std::string_view> seen;
    for (auto found = next_braces(text, 0); found && out.size() < unfilled_max; found = next_braces(text, found->end))
        if (seen.insert(found->inside).second) out.push_back(on_one_line(found->inside));
    return out;
}

}  // namespace consentry
