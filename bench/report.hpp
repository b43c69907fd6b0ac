// What was measured, as a Markdown table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace consentry::bench {

// Of one figure over the rounds.
struct Spread {
    double median = 0;
    double min = 0;
    double max = 0;
};
Spread spread(std::vector<double> values);
inline Spread only(double value) { return {value, value, value}; }  // measured once
// Round by round: both sides were measured in each, one right after the other.
Spread ratio(const std::vector<double>& ours, const std::vector<double>& theirs);

std::string text(const Spread& spread, int decimals);  // "0.52 (0.50-0.55)"
std::string count(double number);                      // 12345 as "12,345"; below 100 with a decimal

// A figure and its bound. The median counts; what is not a number fails.
struct Judged {
    enum class Bound : std::uint8_t { floor, limit };  // to be reached; not to be exceeded

    Spread value;
    Bound kind = Bound::floor;
    double bound = 0;
    std::string unit;  // follows the figure: "ms, p99"

    bool met() const { return kind == Bound::floor ? value.median >= bound : value.median <= bound; }
};
inline Judged at_least(const Spread& value, double floor, std::string unit) {
    return {value, Judged::Bound::floor, floor, std::move(unit)};
}
inline Judged at_most(const Spread& value, double limit, std::string unit) {
    return {value, Judged::Bound::limit, limit, std::move(unit)};
}

// Figures over a size. Told, not judged.
struct Curve {
    struct Point {
        double x = 0;
        Spread y;
    };
    struct Line {
        std::string name;
        std::vector<Point> points = {};
    };
    std::string title;
    std::string x;     // what the size counts; all lines have the same sizes
    std::string unit;  // of the figures
    std::vector<Line> lines;
};

// A measurement needs a program that this machine lacks: a mistake of the run, not a missed goal.
class NotInstalled : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Report {
public:
    struct Row {
        std::string goal;
        std::string floor;
        std::string measured;
        std::string ratio = "";
        std::vector<Judged> judged = {};
        std::optional<bool> also = std::nullopt;  // what else the goal demands, without a figure

        // None: told, not judged.
        std::optional<bool> met() const;
    };
    void add(Row row);  // told on standard error at once, for who waits
    void add(Curve curve) { curves_.push_back(std::move(curve)); }
    // Runs a measurement, which adds to this report. If it fails, adds a row that says why, of a goal that is missed,
    // and returns false: the figures of the other goals stay. NotInstalled passes.
    bool attempt(std::string goal, const std::function<void()>& measurement);
    void note(std::string text) { notes_.push_back(std::move(text)); }
    const std::vector<Row>& rows() const { return rows_; }
    const std::vector<Curve>& curves() const { return curves_; }
    bool all_met() const;

    std::string table() const;        // Markdown
    std::string curves_list() const;  // Markdown, a table each; empty without curves
    std::string notes_list() const;   // Markdown; empty without notes

private:
    std::vector<Row> rows_;
    std::vector<Curve> curves_;
    std::vector<std::string> notes_;
};

// One line of a Markdown table: a cell holds neither the end of a cell nor that of a line.
std::string table_line(const std::vector<std::string>& cells);
std::string verdict(bool met);  // "yes" or "**no**"

}  // namespace consentry::bench
