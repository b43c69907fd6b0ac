#include "report_chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report_curves.hpp"
#include "report_svg.hpp"

namespace consentry::bench {
namespace {

constexpr double width = 1000;
constexpr double margin = picture_margin;
constexpr double scale = 200;    // the bound is so far from the beginning of a bar
constexpr double share_max = 2;  // longer bars are cut off here, and marked
constexpr double words = margin + scale * share_max + 24;
constexpr double bar_height = 14;
constexpr double bar_step = 22;

// Colors that also differ to people who cannot tell red from green. Words say the same.
constexpr std::string_view style =
    "<style>text{font-family:system-ui,sans-serif;font-size:12px;fill:#1b1b1b}.title{font-size:18px;font-weight:600}"
    ".goal{font-weight:600}.quiet{fill:#555}.page{fill:#fff}.track{fill:#e7e7e7}.met{fill:#0b6e99}"
    ".missed{fill:#c2410c}.line{stroke:#1b1b1b}"
    "@media(prefers-color-scheme:dark){text{fill:#f0f0f0}.quiet{fill:#b8b8b8}.page{fill:#16181c}.track{fill:#33373d}"
    ".met{fill:#3a9fc9}.missed{fill:#f0783c}.line{stroke:#f0f0f0}}";

// How far from the beginning of the bar.
double length_of(double value, double bound) {
    const double share = value / bound;
    if (std::isnan(share)) return 0;
    return scale * std::clamp(share, 0.0, share_max);
}

std::string label(const Judged& judged) {
    const Spread& of = judged.value;
    const std::string range = of.min < of.max ? fmt::format(" ({}-{})", figure(of.min), figure(of.max)) : "";
    return fmt::format("{}{} {}; {}: {}", figure(of.median), range, judged.unit, bound_of(judged),
                       judged.met() ? "met" : "missed");
}

std::string bar(const Judged& judged, double y) {
    const double length = length_of(judged.value.median, judged.bound);
    const double middle = y + bar_height / 2;
    const double bound = margin + scale;
    std::string out = fmt::format("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" class=\"track\"/>\n", margin,
                                  y, scale * share_max, bar_height);
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"{}\"/>\n", margin, y, length,
                       bar_height, judged.met() ? "met" : "missed");
    if (judged.value.min < judged.value.max)
        out += fmt::format("<path d=\"M{:.1f} {}H{:.1f}\" class=\"line\" stroke-width=\"2\"/>\n",
                           margin + length_of(judged.value.min, judged.bound), middle,
                           margin + length_of(judged.value.max, judged.bound));
    out += fmt::format("<path d=\"M{} {}V{}\" class=\"line\" stroke-width=\"2\" stroke-dasharray=\"4 2\"/>\n", bound,
                       y - 3, y + bar_height + 3);
    if (length >= scale * share_max) out += svg_text(margin + scale * share_max + 4, y + 11, "quiet", "\u2192");
    return out + svg_text(words, y + 11, "", label(judged));
}

// With what else the goal demands, if its bars do not show why it is missed.
std::string heading(const Report::Row& row) {
    const bool bars_met = std::ranges::all_of(row.judged, &Judged::met);
    return bars_met && !row.met().value_or(true) ? row.goal + ": missed; the table says why" : row.goal;
}

}  // namespace

std::string chart_of(const Report& report, const ReportOrigin& origin) {
    std::string bars;
    double y = 104;
    std::size_t figures = 0;
    std::size_t met = 0;
    for (const Report::Row& row : report.rows()) {
        if (row.judged.empty() && row.met().value_or(true)) continue;
        bars += svg_text(margin, y + 12, "goal", heading(row));
        y += 20;
        for (const Judged& judged : row.judged) {
            bars += bar(judged, y);
            y += bar_step;
            ++figures;
            if (judged.met()) ++met;
        }
        y += 10;
    }
    for (const Curve& curve : report.curves()) {
        bars += curve_at(curve, y + 10);
        y += curve_height;
    }
    const std::string summary =
        figures == 0 ? "No figure was judged." : fmt::format("{} of {} figures are within their bounds.", met, figures);
    const double height = y + 14;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
        "aria-labelledby=\"title summary\">\n<title id=\"title\">Benchmark of Consentry</title>\n"
        "<desc id=\"summary\">{2}</desc>\n",
        width, height, svg_escaped(summary));
    out += style;
    out += fmt::format("{}</style>\n", curve_style);
    out += "<rect width=\"100%\" height=\"100%\" class=\"page\"/>\n";
    out += svg_text(margin, 30, "title", "Benchmark of Consentry");
    out +=
        svg_text(margin, 50, "quiet",
                 fmt::format("Commit {}, {} build, {}, {}", origin.commit, origin.build, origin.length, origin.time));
    out += svg_text(margin, 66, "quiet", origin.machine);
    out += svg_text(margin, 86, "",
                    summary + " Bars: median. Solid lines: range over all rounds. Dashed lines: floor or limit.");
    return out + bars + "</svg>\n";
}

}  // namespace consentry::bench
