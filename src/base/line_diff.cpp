#include "base/line_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace consentry {
namespace {

constexpr std::int64_t changes_max = 2'000;
constexpr std::size_t lines_around = 3;

using Lines = std::vector<std::string_view>;

// Lines keep their line end, so that an unterminated last line differs from a terminated one.
Lines lines_of(std::string_view text) {
    Lines out;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        out.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

struct Step {
    char sign;  // ' ' in both texts, '-' only in the old one, '+' only in the new one
    std::string_view line;
};
using Script = std::vector<Step>;

// Myers, "An O(ND) Difference Algorithm and Its Variations", 1986: reach[k] is the furthest position in `a` on diagonal
// k (position in `a` minus position in `b`) with that many changes. Returns the script of a[0..] and b[0..], or nullopt
// beyond the bound.
std::optional<Script> shortest_script(const Lines& a, const Lines& b) {
    const auto a_size = static_cast<std::int64_t>(a.size());
    const auto b_size = static_cast<std::int64_t>(b.size());
    const auto line = [](const Lines& lines, std::int64_t at) { return lines[static_cast<std::size_t>(at)]; };
    const auto max = std::min(a_size + b_size, changes_max);
    std::vector<std::int64_t> reach(static_cast<std::size_t>(2 * max + 3), 0);
    const auto at = [max](std::int64_t k) { return static_cast<std::size_t>(k + max + 1); };
    std::vector<std::vector<std::int64_t>> former;  // reach[-d .. d] before the round with d changes
    const auto came_down = [](std::int64_t k, std::int64_t d, std::int64_t below, std::int64_t above) {
        return k == -d || (k != d && below < above);
    };

    for (std::int64_t d = 0; d <= max; ++d) {
        former.emplace_back(reach.begin() + static_cast<std::ptrdiff_t>(at(-d - 1)),
                            reach.begin() + static_cast<std::ptrdiff_t>(at(d + 1) + 1));
        for (std::int64_t k = -d; k <= d; k += 2) {
            std::int64_t x =
                came_down(k, d, reach[at(k - 1)], reach[at(k + 1)]) ? reach[at(k + 1)] : reach[at(k - 1)] + 1;
            while (x < a_size && x - k < b_size && line(a, x) == line(b, x - k)) ++x;
            reach[at(k)] = x;
            if (x < a_size || x - k < b_size) continue;

            Script backwards;
            std::int64_t y = b_size;
            for (x = a_size; d > 0; --d) {
                const auto& round = former[static_cast<std::size_t>(d)];
                const auto before = [&](std::int64_t diagonal) {
                    return round[static_cast<std::size_t>(diagonal + d + 1)];
                };
                const std::int64_t diagonal = x - y;
                const bool down = came_down(diagonal, d, before(diagonal - 1), before(diagonal + 1));
                const std::int64_t start = down ? before(diagonal + 1) : before(diagonal - 1) + 1;
                for (; x > start; --x, --y) backwards.push_back({' ', line(a, x - 1)});
                backwards.push_back(down ? Step{'+', line(b, --y)} : Step{'-', line(a, --x)});
            }
            for (; x > 0; --x) backwards.push_back({' ', line(a, x - 1)});
            return Script(backwards.rbegin(), backwards.rend());
        }
    }
    return std::nullopt;
}

Script script_of(Lines a, Lines b) {
    const auto [a_differs, b_differs] = std::ranges::mismatch(a, b);
    Script out;
    for (auto same = a.begin(); same != a_differs; ++same) out.push_back({' ', *same});
    a.erase(a.begin(), a_differs);
    b.erase(b.begin(), b_differs);
    Script tail;
    for (; !a.empty() && !b.empty() && a.back() == b.back(); a.pop_back(), b.pop_back())
        tail.push_back({' ', a.back()});

    if (auto middle = shortest_script(a, b)) {
        out.insert(out.end(), middle->begin(), middle->end());
    } else {
        for (const auto line : a) out.push_back({'-', line});
        for (const auto line : b) out.push_back({'+', line});
    }
    out.insert(out.end(), tail.rbegin(), tail.rend());
    return out;
}

// "12" or "12,3"; for an empty range, the line before it.
std::string range(std::size_t lines_before, std::size_t count) {
    if (count == 1) return fmt::format("{}", lines_before + 1);
    return fmt::format("{},{}", count == 0 ? lines_before : lines_before + 1, count);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name_before,
                         std::string_view name_after) {
    const Script script = script_of(lines_of(before), lines_of(after));
    const auto is_change = [](const Step& step) { return step.sign != ' '; };
    std::string out;
    std::size_t at = 0;      // in the script
    std::size_t old_at = 0;  // lines of the old text before it
    std::size_t new_at = 0;
    for (;;) {
        const auto change = std::find_if(script.begin() + static_cast<std::ptrdiff_t>(at), script.end(), is_change);
        if (change == script.end()) return out;
        const auto first = static_cast<std::size_t>(change - script.begin());
        const auto begin = std::max(at, first - std::min(first, lines_around));
        old_at += begin - at;
        new_at += begin - at;
        std::size_t last = first;  // last of the changes that share context lines
        for (std::size_t i = first; i < script.size() && i <= last + 2 * lines_around + 1; ++i)
            if (is_change(script[i])) last = i;
        at = std::min(script.size(), last + lines_around + 1);

        std::string lines;
        std::size_t old_count = 0;
        std::size_t new_count = 0;
        for (std::size_t i = begin; i < at; ++i) {
            old_count += script[i].sign != '+';
            new_count += script[i].sign != '-';
            lines.append(1, script[i].sign).append(script[i].line);
            if (!script[i].line.ends_with('\n')) lines.append("\n\\ No newline at end of file\n");
        }
        if (out.empty()) out = fmt::format("--- {}\n+++ {}\n", name_before, name_after);
        out += fmt::format("@@ -{} +{} @@\n", range(old_at, old_count), range(new_at, new_count));
        out += lines;
        old_at += old_count;
        new_at += new_count;
    }
}

}  // namespace consentry
