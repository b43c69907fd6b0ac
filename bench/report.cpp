#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace consentry::bench {

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

bool Report::attempt(std::string goal, const std::function<void()>& measurement) {
    try {
        measurement();
        return true;
    } catch (const NotInstalled&) {
        throw;
    } catch (const std::exception& error) {
        add({.goal = std::move(goal), .floor = "", .measured = fmt::format("failed: {}", error.what()), .also = false});
        return false;
    }
}

std::optional<bool> Report::Row::met() const {
    if (judged.empty()) return also;
    return also.value_or(true) && std::ranges::all_of(judged, &Judged::met);
}

std::string Report::table() const {
    std::string out =
        table_line({"Goal", "Floor", "Measured", "Ratio: median (min-max)", "Met?"}) + "|---|---|---|---|---|\n";
    for (const Row& row : rows_) {
        const auto met = row.met();
        out += table_line({row.goal, row.floor, row.measured, row.ratio, met ? verdict(*met) : ""});
    }
    return out;
}

std::string Report::curves_list() const {
    std::string out;
    for (const Curve& curve : curves_) {
        if (curve.lines.empty()) continue;
        std::vector<std::string> names{curve.x};
        for (const Curve::Line& line : curve.lines) names.push_back(line.name);
        out += fmt::format("\n### {}\n\n", curve.title) + table_line(names) + '|';
        for (std::size_t i = 0; i < names.size(); ++i) out += "---|";
        out += '\n';
        for (std::size_t i = 0; i < curve.lines.front().points.size(); ++i) {
            std::vector<std::string> cells{fmt::format("{:.0f}", curve.lines.front().points[i].x)};
            for (const Curve::Line& line : curve.lines)
                cells.push_back(fmt::format("{} {}", text(line.points[i].y, 2), curve.unit));
            out += table_line(cells);
        }
    }
    return out.empty() ? out : out + '\n';
}

std::string Report::notes_list() const {
    std::string out;
    for (const std::string& note : notes_) out += fmt::format("- {}\n", note);
    return out;
}

bool Report::all_met() const {
    return std::ranges::all_of(rows_, [](const Row& row) { return row.met().value_or(true); });
}

std::string verdict(bool met) { return met ? "yes" : "**no**"; }

std::string table_line(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) {
        out += ' ';
        for (const char c : cell) {
            if (c == '|') out += '\\';
            out += c == '\n' ? ' ' : c;
        }
        out += " |";
    }
    return out + '\n';
}

}  // namespace consentry::bench
