#include "app/terminal/progress_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "app/terminal/terminal.hpp"
#include "base/standard_error.hpp"
#include "base/utf8.hpp"

namespace consentry {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds between{200};
constexpr std::size_t bar_cells = 24;
// An estimate after less time or work than this would jump about.
constexpr double elapsed_min = 1;
constexpr double fraction_min = 0.01;

std::string duration_text(double duration) {
    const auto in_seconds = static_cast<std::int64_t>(std::ceil(duration));
    if (in_seconds < 60) return fmt::format("{} s", in_seconds);
    if (in_seconds < 3600) return fmt::format("{} min {} s", in_seconds / 60, in_seconds % 60);
    return fmt::format("{} h {} min", in_seconds / 3600, in_seconds % 3600 / 60);
}

std::string cut(std::string_view text, std::size_t cells) {
    while (cells_of(text) > cells) text = cut_at_character(text, text.size() - 1);
    return std::string(text);
}

}  // namespace

std::string progress_line(std::string_view text, std::optional<double> fraction, std::chrono::duration<double> elapsed,
                          std::size_t columns) {
    if (!fraction || std::isnan(*fraction)) return cut(text, columns);
    const double done = std::clamp(*fraction, 0.0, 1.0);
    const auto full = static_cast<std::size_t>(done * static_cast<double>(bar_cells));
    std::string out =
        fmt::format("[{:#<{}}{:-<{}}] {:3.0f} %  {}", "", full, "", bar_cells - full, std::floor(done * 100), text);
    if (elapsed.count() >= elapsed_min && done >= fraction_min && done < 1)
        out += fmt::format(", {} left", duration_text(elapsed.count() * (1 - done) / done));
    return cut(out, columns);
}

ProgressBar::ProgressBar() : is_shown_(is_terminal(stderr)), begun_(steady_clock::now()) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(std::string_view text, std::optional<double> fraction) {
    if (is_shown_ && steady_clock::now() - shown_ >= between) show_now(text, fraction);
}

void ProgressBar::show(std::string_view text, std::uint64_t done, std::uint64_t all) {
    show(text, all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all));
}

void ProgressBar::show_now(std::string_view text, std::optional<double> fraction) {
    if (!is_shown_) return;
    shown_ = steady_clock::now();
    // The last column stays free: a terminal may go on to the next line once it is used.
    say("\r\x1b[K{}", progress_line(on_one_line(text), fraction, shown_ - begun_, terminal_columns(stderr) - 1));
    std::fflush(stderr);
    is_visible_ = true;
}

void ProgressBar::clear() {
    if (is_visible_) say("\r\x1b[K");
    is_visible_ = false;
}

void ProgressBar::restart() { begun_ = steady_clock::now(); }

}  // namespace consentry
