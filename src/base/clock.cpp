#include "base/clock.hpp"

#include <algorithm>
#include <ctime>

namespace consentry {

milliseconds SystemClock::since_boot() {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return seconds{time.tv_sec} + milliseconds{time.tv_nsec / 1'000'000};
}

// Written digit by digit, because lists hold several times per row and a format string takes ten times as long.
std::string to_iso8601(TimePoint time) {
    constexpr auto first = std::chrono::sys_days{std::chrono::year{0} / 1 / 1};
    constexpr auto end = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1};
    time = std::clamp(time, TimePoint{first}, TimePoint{end} - milliseconds{1});
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    std::string out = "0000-00-00T00:00:00.000Z";
    const auto put = [&out](std::size_t end_of_digits, std::int64_t value) {
        for (; value > 0; value /= 10) out[--end_of_digits] = static_cast<char>('0' + value % 10);
    };
    put(4, static_cast<int>(date.year()));
    put(7, static_cast<unsigned>(date.month()));
    put(10, static_cast<unsigned>(date.day()));
    put(13, clock.hours().count());
    put(16, clock.minutes().count());
    put(19, clock.seconds().count());
    put(23, clock.subseconds().count());
    return out;
}

std::optional<TimePoint> from_iso8601(std::string_view text) {
    // Consume one of the given marks, or a number of exactly that many digits.
    bool is_good = true;
    const auto mark = [&](std::string_view any_of) {
        const char c = text.empty() ? '\0' : text.front();
        is_good = is_good && any_of.contains(c) && !text.empty();
        if (!text.empty()) text.remove_prefix(1);
        return c;
    };
    const auto digits = [&](std::size_t count) {
        int out = 0;
        for (std::size_t i = 0; i < count; ++i) out = out * 10 + (mark("0123456789") - '0');
        return out;
    };
    const int year = digits(4);
    mark("-");
    const int month = digits(2);
    mark("-");
    const int day = digits(2);
    mark("Tt");
    const int hour = digits(2);
    mark(":");
    const int minute = digits(2);
    mark(":");
    const int second = digits(2);
    int millisecond = 0;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        const std::size_t places = std::min(text.find_first_not_of("0123456789"), text.size());
        if (places < 1 || places > 9) return std::nullopt;
        for (std::size_t i = 0; i < std::max<std::size_t>(places, 3); ++i) {
            const int digit = i < places ? digits(1) : 0;
            if (i < 3) millisecond = millisecond * 10 + digit;
        }
    }
    std::chrono::minutes offset{0};
    const char sign = mark("Zz+-");
    if (sign == '+' || sign == '-') {
        const int hours = digits(2);
        mark(":");
        const int minutes = digits(2);
        if (hours > 23 || minutes > 59) return std::nullopt;
        offset = std::chrono::minutes{(sign == '-' ? -1 : 1) * (hours * 60 + minutes)};
    }
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!is_good || !text.empty() || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} + seconds{second} +
           milliseconds{millisecond} - offset;
}

}  // namespace consentry
