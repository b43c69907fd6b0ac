// The files that a run leaves behind.
#pragma once

#include <filesystem>
#include <string>

#include "report.hpp"

namespace consentry::bench {

// Where the figures come from, in words.
struct ReportOrigin {
    std::string commit;  // as git names it
    std::string build;   // the type: "release"
    std::string length;  // of the measurements: "5 rounds of 1,500 ms"
    std::string time;    // of the end, in UTC
    std::string machine;
};

std::string markdown_of(const Report& report, const ReportOrigin& origin);
// A figure with as many decimals as tell something; "none" for what is not a number.
std::string figure(double value);
// "floor 0.50" or "limit 25.0".
std::string bound_of(const Judged& judged);

// Writes report.md and report.svg into the folder, which exists. Throws std::runtime_error with the name of a file that
// cannot be written.
void write_report(const std::filesystem::path& folder, const Report& report, const ReportOrigin& origin);

}  // namespace consentry::bench
