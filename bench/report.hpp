// What was measured, as a Markdown table.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace consentry::bench {

// Of one figure over the rounds.
struct Spread {
    double median = 0;
    double min = 0;
    double max = 0;
};
Spread spread(std::vector<double> values);
// Round by round: both sides were measured in each, one right after the other.
Spread ratio(const std::vector<double>& ours, const std::vector<double>& theirs);

std::string text(const Spread& spread, int decimals);  // "0.52 (0.50-0.55)"
std::string count(double number);                      // 12345 as "12,345"; below 100 with a decimal

class Report {
public:
    struct Row {
        std::string goal;
        std::string floor;
        std::string measured;
        std::string ratio = "";
        std::optional<bool> met = std::nullopt;  // none: told, not judged
    };
    void add(Row row);  // told on standard error at once, for who waits
    void note(std::string text) { notes_.push_back(std::move(text)); }
    void print() const;
    bool all_met() const;

private:
    std::vector<Row> rows_;
    std::vector<std::string> notes_;
};

}  // namespace consentry::bench
