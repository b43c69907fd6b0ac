#include "app/terminal/results.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/terminal/terminal.hpp"
#include "base/standard_error.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

constexpr std::size_t portion_max = 200;
constexpr std::size_t gap = 2;

std::string text_of(const json::value& value) {
    if (value.is_null()) return "-";
    if (value.is_bool()) return value.as_bool() ? "yes" : "no";
    if (value.is_string()) return on_one_line(value.as_string());
    if (value.is_array()) {
        std::string out;
        for (const json::value& one : value.as_array()) out += (out.empty() ? "" : ",") + text_of(one);
        return out.empty() ? "-" : out;
    }
    return json::serialize(value);
}

Color color_of(std::string_view state) {
    constexpr std::array states{
        std::pair{std::string_view{"active"}, Color::green},
        std::pair{std::string_view{"on"}, Color::green},
        std::pair{std::string_view{"live"}, Color::green},
        std::pair{std::string_view{"latest"}, Color::green},
        std::pair{std::string_view{"ok"}, Color::green},
        std::pair{std::string_view{"inactive"}, Color::yellow},
        std::pair{std::string_view{"warning"}, Color::yellow},
        std::pair{std::string_view{"draft"}, Color::yellow},
        std::pair{std::string_view{"not-yet"}, Color::yellow},
        std::pair{std::string_view{"setup-required"}, Color::yellow},
        std::pair{std::string_view{"blocked"}, Color::red},
        std::pair{std::string_view{"over"}, Color::red},
        std::pair{std::string_view{"error"}, Color::red},
    };
    const auto* const found = std::ranges::find(states, state, [](const auto& one) { return one.first; });
    return found == states.end() ? Color::none : found->second;
}

json::object object_of(std::span<const ResultColumn> columns, const ResultRow& row) {
    json::object out;
    for (std::size_t i = 0; i < columns.size(); ++i) out[columns[i].name] = row[i];
    return out;
}

}  // namespace

ResultList::ResultList(std::vector<ResultColumn> columns, bool as_json)
    : columns_(std::move(columns)),
      form_(as_json               ? Form::json
            : is_terminal(stdout) ? Form::table
                                  : Form::lines),
      has_colors_(shows_colors(stdout)) {}

void ResultList::add(ResultRow row) {
    portion_.push_back(std::move(row));
    if (portion_.size() >= portion_max) print_portion();
}

void ResultList::end() {
    print_portion();
    if (form_ == Form::json) fmt::print("{}]\n", printed_ == 0 ? "[" : "\n");
}

void ResultList::print_cells(const std::vector<std::string>& cells, bool is_heading) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool is_last = i + 1 == cells.size();
        if (form_ == Form::lines) {
            line += cells[i] + (is_last ? "" : "\t");
            continue;
        }
        const Color color = is_heading ? Color::bold : columns_[i].is_state ? color_of(cells[i]) : Color::none;
        line += has_colors_ ? colored(cells[i], color) : cells[i];
        if (is_last) continue;
        const std::size_t cells_used = cells_of(cells[i]);
        line.append(std::max(widths_[i], cells_used) - cells_used + gap, ' ');
    }
    fmt::print("{}\n", line);
}

void ResultList::print_portion() {
    const std::vector<ResultRow> rows = std::exchange(portion_, {});
    if (form_ == Form::json) {
        for (const ResultRow& row : rows)
            fmt::print("{}{}", printed_++ == 0 ? "[\n" : ",\n", json::serialize(object_of(columns_, row)));
        return;
    }
    std::vector<std::vector<std::string>> cells;
    for (const ResultRow& row : rows) {
        auto& texts = cells.emplace_back();
        for (std::size_t i = 0; i < columns_.size(); ++i) texts.push_back(text_of(row[i]));
    }
    if (form_ == Form::table && widths_.empty() && !cells.empty()) {
        std::vector<std::string> headings;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            std::size_t width = cells_of(columns_[i].heading);
            for (const auto& texts : cells) width = std::max(width, cells_of(texts[i]));
            widths_.push_back(width);
            headings.emplace_back(columns_[i].heading);
        }
        print_cells(headings, true);
    }
    for (const auto& texts : cells) print_cells(texts, false);
}

void print_result(std::span<const ResultColumn> columns, const ResultRow& row, bool as_json) {
    if (as_json) return print_json(object_of(columns, row));
    const bool for_people = is_terminal(stdout);
    const bool has_colors = shows_colors(stdout);
    std::size_t width = 0;
    for (const ResultColumn& column : columns) width = std::max(width, cells_of(column.heading));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const ResultColumn& column = columns[i];
        std::string text = text_of(row[i]);
        if (!for_people) {
            fmt::print("{}\t{}\n", column.name, text);
            continue;
        }
        if (has_colors && column.is_state) text = colored(text, color_of(text));
        const std::string heading = has_colors ? colored(column.heading, Color::bold) : std::string(column.heading);
        fmt::print("{}{:{}}{}\n", heading, "", width - cells_of(column.heading) + gap, text);
    }
}

void print_json(const json::value& value) { fmt::print("{}\n", json::serialize(value)); }

void tell_done(std::string_view sentence, const json::object& result, bool as_json) {
    say("{}\n", sentence);
    if (as_json) print_json(result);
}

void print_valid(std::string_view sentence, bool as_json) {
    if (as_json)
        print_json(json::object{{"valid", true}, {"text", sentence}});
    else
        fmt::print("{}\n", sentence);
}

}  // namespace consentry
