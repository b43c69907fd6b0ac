#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace consentry::bench {
namespace {

std::string line(const Report::Row& row) {
    return fmt::format("| {} | {} | {} | {} | {} |\n", row.goal, row.floor, row.measured, row.ratio,
                       !row.met   ? ""
                       : *row.met ? "yes"
                                  : "**no**");
}

}  // namespace

Spread spread(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return {median, values.front(), values.back()};
}

Spread ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) ratios.push_back(ours[i] / theirs[i]);
    return spread(std::move(ratios));
}

std::string text(const Spread& spread, int decimals) {
    return fmt::format("{:.{}f} ({:.{}f}-{:.{}f})", spread.median, decimals, spread.min, decimals, spread.max,
                       decimals);
}

std::string count(double number) {
    if (number < 100) return fmt::format("{:.1f}", number);
    std::string out = fmt::format("{}", std::llround(number));
    for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > 0; at -= 3)
        out.insert(static_cast<std::size_t>(at), ",");
    return out;
}

void Report::add(Row row) {
    fmt::print(stderr, "{}: {}\n", row.goal, row.measured);
    rows_.push_back(std::move(row));
}

void Report::print() const {
    fmt::print("| Goal | Floor | Measured | Ratio: median (min-max) | Met? |\n|---|---|---|---|---|\n");
    for (const Row& row : rows_) fmt::print("{}", line(row));
    if (!notes_.empty()) fmt::print("\n");
    for (const std::string& note : notes_) fmt::print("- {}\n", note);
}

bool Report::all_met() const {
    return std::ranges::all_of(rows_, [](const Row& row) { return row.met.value_or(true); });
}

}  // namespace consentry::bench
