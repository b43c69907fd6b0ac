// The results of commands, on standard output: JSON if it was asked for, a table with headings at a terminal, and
// otherwise lines with tabs between the fields, for other programs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace consentry {

struct ResultColumn {
    std::string_view name;     // of the member in JSON, and of the field in lines
    std::string_view heading;  // of the column in tables
    bool is_state = false;     // its words have colors: active is green
};
// One value per column; null means that there is none. Text is shown on one line whatever it contains.
using ResultRow = boost::json::array;

// Many results. Rows are printed as they come, in portions, so that their number does not matter. The columns are
// aligned by the rows that are known when the first portion is printed.
class ResultList {
public:
    ResultList(std::vector<ResultColumn> columns, bool as_json);

    void add(ResultRow row);
    // Prints the rest. Without it, JSON is not complete: a command that fails in between must not look as if it had
    // listed everything.
    void end();

private:
    enum class Form { json, table, lines };
    void print_portion();
    void print_cells(const std::vector<std::string>& cells, bool is_heading) const;

    const std::vector<ResultColumn> columns_;
    const Form form_;
    const bool has_colors_;
    std::vector<ResultRow> portion_;
    std::vector<std::size_t> widths_;  // empty until the first portion is printed
    std::size_t printed_ = 0;
};

// One result with a field for each column: an object in JSON, otherwise a line for each field.
void print_result(std::span<const ResultColumn> columns, const ResultRow& row, bool as_json);

// For results that have a JSON form of their own.
void print_json(const boost::json::value& value);

// Says on standard error what a command has done; prints `result` if JSON was asked for.
void tell_done(std::string_view sentence, const boost::json::object& result, bool as_json);
// Prints the result of a check: the sentence, or in JSON {"valid":true,"text":"..."}.
void print_valid(std::string_view sentence, bool as_json);

}  // namespace consentry
