#include "report_curves.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report_files.hpp"
#include "report_svg.hpp"

namespace consentry::bench {
namespace {

constexpr double left = picture_margin + 56;
constexpr double plot_width = 420;
constexpr double plot_top = 26;
constexpr double plot_height = 160;
constexpr double legend = left + plot_width + 40;
constexpr double legend_step = 20;
constexpr std::size_t colors = 4;

double highest_of(const Curve& curve) {
    double highest = 0;
    for (const Curve::Line& line : curve.lines)
        for (const Curve::Point& point : line.points)
            if (std::isfinite(point.y.max)) highest = std::max(highest, point.y.max);
    return highest > 0 ? highest : 1;
}

// Places of the picture.
struct Plot {
    double top = 0;
    double highest = 1;
    std::size_t sizes = 1;

    double x(std::size_t index) const {
        if (sizes < 2) return left + plot_width / 2;
        return left + plot_width * static_cast<double>(index) / static_cast<double>(sizes - 1);
    }
    double y(double value) const {
        const double share = std::isfinite(value) ? std::clamp(value / highest, 0.0, 1.0) : 0;
        return top + plot_height * (1 - share);
    }
};

std::string axes_of(const Curve& curve, const Plot& plot) {
    const double bottom = plot.top + plot_height;
    std::string out =
        fmt::format("<path d=\"M{} {}V{}H{}\" class=\"axis\"/>\n", left, plot.top, bottom, left + plot_width + 8);
    for (const double share : {0.0, 0.5, 1.0})
        out += svg_text(picture_margin, plot.y(plot.highest * share) + 4, "quiet", figure(plot.highest * share));
    const auto& points = curve.lines.front().points;
    for (std::size_t i = 0; i < points.size(); ++i)
        out += svg_text(plot.x(i) - 4, bottom + 16, "quiet", fmt::format("{:.0f}", points[i].x));
    return out + svg_text(left, bottom + 32, "quiet", curve.x);
}

// The medians, each with the range of the rounds.
std::string line_of(const Curve::Line& line, const Plot& plot, std::size_t number) {
    std::string path;
    std::string ranges;
    for (std::size_t i = 0; i < line.points.size(); ++i) {
        const Spread& y = line.points[i].y;
        path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', plot.x(i), plot.y(y.median));
        if (y.min < y.max) ranges += fmt::format("M{:.1f} {:.1f}V{:.1f}", plot.x(i), plot.y(y.min), plot.y(y.max));
    }
    return fmt::format("<path d=\"{}{}\" class=\"curve line{}\"/>\n", path, ranges, number % colors);
}

}  // namespace

std::string curve_at(const Curve& curve, double y) {
    std::string out = svg_text(picture_margin, y + 12, "goal", fmt::format("{}, {}", curve.title, curve.unit));
    if (curve.lines.empty()) return out;
    const Plot plot{.top = y + plot_top, .highest = highest_of(curve), .sizes = curve.lines.front().points.size()};
    out += axes_of(curve, plot);
    for (std::size_t i = 0; i < curve.lines.size(); ++i) {
        const double at = plot.top + static_cast<double>(i) * legend_step;
        out += line_of(curve.lines[i], plot, i);
        out += fmt::format("<path d=\"M{} {}H{}\" class=\"curve line{}\"/>\n", legend, at + 8, legend + 24, i % colors);
        out += svg_text(legend + 32, at + 12, "", curve.lines[i].name);
    }
    return out;
}

}  // namespace consentry::bench
