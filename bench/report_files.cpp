#include "report_files.hpp"

#include <cmath>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "report_chart.hpp"

namespace consentry::bench {
namespace {

std::string figures_of(const Report& report) {
    std::string lines;
    for (const Report::Row& row : report.rows())
        for (const Judged& judged : row.judged)
            lines += table_line({row.goal, judged.unit, figure(judged.value.median), figure(judged.value.min),
                                 figure(judged.value.max), bound_of(judged), verdict(judged.met())});
    if (lines.empty()) return {};
    return "\n## Figures that are judged\n\n![Each figure against its floor or limit](report.svg)\n\n" +
           table_line({"Goal", "Unit", "Median", "Minimum", "Maximum", "Bound", "Met?"}) +
           "|---|---|---|---|---|---|---|\n" + lines;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

std::string figure(double value) {
    if (!std::isfinite(value)) return "none";
    if (value < 0) return "-" + figure(-value);
    if (value < 10) return fmt::format("{:.2f}", value);
    return count(value);
}

std::string bound_of(const Judged& judged) {
    return fmt::format("{} {}", judged.kind == Judged::Bound::floor ? "floor" : "limit", figure(judged.bound));
}

std::string markdown_of(const Report& report, const ReportOrigin& origin) {
    std::string out = fmt::format(
        "# Benchmark of Consentry\n\n- Commit: {}\n- Build type: {}\n- Length: {}\n- Time: {}\n- Machine: {}\n\n",
        origin.commit, origin.build, origin.length, origin.time, origin.machine);
    out += report.rows().empty() ? "Nothing was measured.\n" : report.table();
    out += figures_of(report);
    if (const std::string curves = report.curves_list(); !curves.empty()) out += "\n## Curves\n" + curves;
    if (const std::string notes = report.notes_list(); !notes.empty()) out += "\n## Notes\n\n" + notes;
    return out;
}

void write_report(const std::filesystem::path& folder, const Report& report, const ReportOrigin& origin) {
    write_file(folder / "report.md", markdown_of(report, origin));
    write_file(folder / "report.svg", chart_of(report, origin));
}

}  // namespace consentry::bench
