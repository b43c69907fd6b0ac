// A line on standard error for commands that take long: how much is done, and how long the rest takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace consentry {

// Overwrites its line as the work goes on, at most five times a second. Shows nothing unless standard error is a
// terminal.
class ProgressBar {
public:
    ProgressBar();
    ~ProgressBar();  // removes the line
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    bool is_shown() const { return is_shown_; }
    // `fraction` is the part that is done, from 0 to 1; nullopt or NaN (0 of 0) if unknown. `text` says what is
    // being done.
    void show(std::string_view text, std::optional<double> fraction);
    // The same for `done` of `all`; 0 of 0 counts as done.
    void show(std::string_view text, std::uint64_t done, std::uint64_t all);
    // For the last message of a step, which must not be lost because it came too soon after another.
    void show_now(std::string_view text, std::optional<double> fraction);
    // Removes the line: call it before anything else is written. The next show() puts it back.
    void clear();
    // The time left is estimated from here on.
    void restart();

private:
    using SteadyTime = std::chrono::steady_clock::time_point;
    const bool is_shown_;
    SteadyTime begun_;
    SteadyTime shown_{};
    bool is_visible_ = false;
};

// The line, of at most `columns` cells: "[#####-----]  50 %  1200 rows, 3 s left". Cuts the text if it is too long.
std::string progress_line(std::string_view text, std::optional<double> fraction, std::chrono::duration<double> elapsed,
                          std::size_t columns);

}  // namespace consentry
