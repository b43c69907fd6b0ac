#include "bench/report.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/whole_file.hpp"
#include "bench/report_chart.hpp"
#include "bench/report_files.hpp"

namespace consentry::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const ReportOrigin origin{.commit = "1a2b3c",
                          .build = "release",
                          .length = "5 rounds of 1500 ms",
                          .time = "2026-01-02 03:04 UTC",
                          .machine = "2 threads of a processor"};

Report::Row met_row() {
    return {.goal = "1 fast",
            .floor = "0.50 x N",
            .measured = "100/s",
            .judged = {at_least({.median = 0.75, .min = 0.5, .max = 1}, 0.5, "x N")}};
}
Report::Row missed_row() {
    return {.goal = "9 small", .floor = "25 MiB", .measured = "30 MiB", .judged = {at_most(only(30), 25, "MiB")}};
}

Report report_of(std::vector<Report::Row> rows) {
    Report out;
    for (Report::Row& row : rows) out.add(std::move(row));
    return out;
}

// Every element ends, in the right order, and no text holds a "<" or an "&" of its own.
void expect_well_formed(const std::string& svg) {
    std::vector<std::string> open;
    for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
        const std::size_t end = svg.find('>', at);
        ASSERT_NE(end, std::string::npos);
        const std::string tag = svg.substr(at + 1, end - at - 1);
        ASSERT_THAT(tag, Not(HasSubstr("<")));
        const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag.front() != '/') {
            if (tag.back() != '/') open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty()) << tag;
        ASSERT_EQ("/" + open.back(), tag);
        open.pop_back();
    }
    EXPECT_TRUE(open.empty());
    for (std::size_t at = svg.find('&'); at != std::string::npos; at = svg.find('&', at + 1))
        EXPECT_TRUE(std::ranges::any_of(std::vector<std::string>{"&amp;", "&lt;", "&gt;", "&quot;"},
                                        [&](const std::string& one) { return svg.substr(at).starts_with(one); }))
            << svg.substr(at, 10);
}

TEST(BenchReport, TheMedianIsJudgedAndWhatIsNoNumberFails) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(at_least({.median = 2, .min = 1, .max = 3}, 2, "").met());
    EXPECT_FALSE(at_least({.median = 1.9, .min = 1, .max = 3}, 2, "").met());
    EXPECT_TRUE(at_most({.median = 2, .min = 1, .max = 3}, 2, "").met());
    EXPECT_FALSE(at_most({.median = 2.1, .min = 1, .max = 3}, 2, "").met());
    EXPECT_FALSE(at_least(only(none), 2, "").met());
    EXPECT_FALSE(at_most(only(none), 2, "").met());
}

TEST(BenchReport, ARowIsMetIfItsFiguresAndTheRestAre) {
    Report::Row row = met_row();
    EXPECT_EQ(row.met(), true);
    row.also = false;
    EXPECT_EQ(row.met(), false);
    row.judged.clear();
    EXPECT_EQ(row.met(), false);
    row.also.reset();
    EXPECT_EQ(row.met(), std::nullopt);
    EXPECT_EQ(missed_row().met(), false);
    EXPECT_TRUE(report_of({met_row(), row}).all_met());
    EXPECT_FALSE(report_of({met_row(), missed_row()}).all_met());
}

TEST(BenchReport, AMeasurementThatFailsIsAMissedGoalAmongTheOthers) {
    Report report;
    EXPECT_TRUE(report.attempt("1, SQLite", [&] { report.add(met_row()); }));
    EXPECT_FALSE(report.attempt("8, SQLite", [&] {
        report.add(met_row());
        throw std::runtime_error("load: refused: 503 busy");
    }));
    EXPECT_TRUE(report.attempt("9, SQLite", [&] { report.add(met_row()); }));
    ASSERT_EQ(report.rows().size(), 4U);
    EXPECT_FALSE(report.all_met());
    EXPECT_THAT(report.table(), HasSubstr("| 8, SQLite |  | failed: load: refused: 503 busy |  | **no** |\n"));
    const std::string svg = chart_of(report, origin);
    expect_well_formed(svg);
    EXPECT_THAT(svg, HasSubstr(">8, SQLite: missed; the table says why</text>"));
}

TEST(BenchReport, AMissingProgramEndsTheRun) {
    Report report;
    EXPECT_THROW(report.attempt("against-nginx, SQLite", [] { throw NotInstalled("nginx is not installed"); }),
                 NotInstalled);
    EXPECT_TRUE(report.rows().empty());
}

TEST(BenchReport, TheTableIsMarkdown) {
    EXPECT_EQ(report_of({met_row(), missed_row(), {.goal = "told", .floor = "", .measured = "a|b\nc"}}).table(),
              "| Goal | Floor | Measured | Ratio: median (min-max) | Met? |\n"
              "|---|---|---|---|---|\n"
              "| 1 fast | 0.50 x N | 100/s |  | yes |\n"
              "| 9 small | 25 MiB | 30 MiB |  | **no** |\n"
              "| told |  | a\\|b c |  |  |\n");
}

TEST(BenchReport, TheMarkdownStatesFiguresAndOrigin) {
    Report report = report_of({met_row(), missed_row()});
    report.note("a note");
    const std::string text = markdown_of(report, origin);
    EXPECT_THAT(text, HasSubstr("- Commit: 1a2b3c\n- Build type: release\n- Length: 5 rounds of 1500 ms\n"
                                "- Time: 2026-01-02 03:04 UTC\n- Machine: 2 threads of a processor\n"));
    EXPECT_THAT(text, HasSubstr("| 1 fast | x N | 0.75 | 0.50 | 1.00 | floor 0.50 | yes |\n"
                                "| 9 small | MiB | 30.0 | 30.0 | 30.0 | limit 25.0 | **no** |\n"));
    EXPECT_THAT(text, HasSubstr("](report.svg)"));
    EXPECT_THAT(text, HasSubstr("\n- a note\n"));
}

TEST(BenchReport, FiguresHaveTheDecimalsThatTellSomething) {
    EXPECT_EQ(figure(0.034), "0.03");
    EXPECT_EQ(figure(34.56), "34.6");
    EXPECT_EQ(figure(123456.7), "123,457");
    EXPECT_EQ(figure(-123.4), "-123");
    EXPECT_EQ(figure(std::numeric_limits<double>::infinity()), "none");
}

TEST(BenchReport, WithoutFiguresThereIsStillAPicture) {
    for (const Report& report : {Report(), report_of({{.goal = "told", .floor = "", .measured = "5/s"}})}) {
        const std::string svg = chart_of(report, origin);
        expect_well_formed(svg);
        EXPECT_THAT(svg, HasSubstr("No figure was judged."));
        EXPECT_THAT(markdown_of(report, origin), Not(HasSubstr("report.svg")));
    }
    EXPECT_THAT(markdown_of(Report(), origin), HasSubstr("Nothing was measured."));
}

TEST(BenchReport, ABarSaysInWordsAndInColorWhetherItIsMet) {
    const std::string svg = chart_of(report_of({met_row(), missed_row()}), origin);
    expect_well_formed(svg);
    EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_THAT(svg, HasSubstr("class=\"met\"/>"));
    EXPECT_THAT(svg, HasSubstr(">0.75 (0.50-1.00) x N; floor 0.50: met</text>"));
    EXPECT_THAT(svg, HasSubstr("class=\"missed\"/>"));
    EXPECT_THAT(svg, HasSubstr(">30.0 MiB; limit 25.0: missed</text>"));
    EXPECT_THAT(svg, HasSubstr("1 of 2 figures are within their bounds."));
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
}

TEST(BenchReport, ThePictureNamesAGoalThatIsMissedDespiteItsFigures) {
    Report::Row row = met_row();
    row.also = false;
    EXPECT_THAT(chart_of(report_of({row}), origin), HasSubstr(">1 fast: missed; the table says why</text>"));
}

TEST(BenchReport, ThePictureLoadsAndRunsNothing) {
    const std::string svg = chart_of(report_of({met_row()}), origin);
    for (const char* foreign : {"<script", "href", "url(", "@import", "@font-face", "<image", "<foreignObject"})
        EXPECT_THAT(svg, Not(HasSubstr(foreign)));
}

TEST(BenchReport, TextIsEscapedInThePicture) {
    Report::Row row = met_row();
    row.goal = "<script>alert('&\"')</script>\x01";
    row.judged.front().unit = "</text>";
    ReportOrigin strange = origin;
    strange.commit = "a<b";
    strange.machine = "\xff & sons";  // is not UTF-8
    const std::string svg = chart_of(report_of({row}), strange);
    expect_well_formed(svg);
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;alert('&amp;&quot;')&lt;/script&gt;\uFFFD"));
    EXPECT_THAT(svg, HasSubstr("Commit a&lt;b,"));
    EXPECT_THAT(svg, HasSubstr("? &amp; sons"));
}

TEST(BenchReport, FarAndImpossibleFiguresStayInThePicture) {
    const std::string svg =
        chart_of(report_of({{.goal = "far", .floor = "", .measured = "", .judged = {at_least(only(1e9), 1, "x")}},
                            {.goal = "none",
                             .floor = "",
                             .measured = "",
                             .judged = {at_least(only(std::numeric_limits<double>::quiet_NaN()), 1, "x"),
                                        at_most(only(-5), 40, "MiB more"), at_most(only(0), 0, "errors")}}}),
                 origin);
    expect_well_formed(svg);
    EXPECT_THAT(svg, HasSubstr("width=\"400.0\""));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
    EXPECT_THAT(svg, Not(HasSubstr("width=\"-")));
    EXPECT_THAT(svg, HasSubstr(">none x; floor 1.00: missed</text>"));
}

Report with_curve() {
    Report report = report_of({met_row()});
    report.add(Curve{.title = "Cost by accounts",
                     .x = "accounts",
                     .unit = "us",
                     .lines = {{"reads <all>", {{1'000, {.median = 10, .min = 9, .max = 12}}, {10'000, only(20)}}},
                               {"writes", {{1'000, only(40)}, {10'000, only(40)}}}}});
    return report;
}

TEST(BenchReport, ACurveIsATableAndAPicture) {
    EXPECT_THAT(markdown_of(with_curve(), origin),
                HasSubstr("\n## Curves\n\n### Cost by accounts\n\n| accounts | reads <all> | writes |\n|---|---|---|\n"
                          "| 1000 | 10.00 (9.00-12.00) us | 40.00 (40.00-40.00) us |\n"
                          "| 10000 | 20.00 (20.00-20.00) us | 40.00 (40.00-40.00) us |\n"));
    const std::string svg = chart_of(with_curve(), origin);
    expect_well_formed(svg);
    EXPECT_THAT(svg, HasSubstr(">Cost by accounts, us</text>"));
    EXPECT_THAT(svg, HasSubstr(">reads &lt;all&gt;</text>"));
    EXPECT_THAT(svg, HasSubstr(">10000</text>"));
    EXPECT_THAT(svg, HasSubstr("class=\"curve line1\""));
}

// The highest figure is at the top: at half its height, a point is in the middle.
TEST(BenchReport, CurvesShareAScaleThatBeginsAtZero) {
    const std::string svg = chart_of(with_curve(), origin);
    const auto path_of = [&](std::string_view line) {
        const std::size_t end = svg.find(fmt::format("\" class=\"curve {}\"", line));
        const std::size_t begin = svg.rfind("d=\"", end) + 3;
        return svg.substr(begin, end - begin);
    };
    double left = 0;
    double top = 0;
    double right = 0;
    double second = 0;
    ASSERT_EQ(std::sscanf(path_of("line1").c_str(), "M%lf %lfL%lf %lf", &left, &top, &right, &second), 4);
    EXPECT_EQ(top, second);
    double lower = 0;
    double middle = 0;
    ASSERT_EQ(std::sscanf(path_of("line0").c_str(), "M%lf %lfL%lf %lf", &left, &lower, &right, &middle), 4);
    EXPECT_DOUBLE_EQ(lower - top, 1.5 * (middle - top));
}

TEST(BenchReport, ACurveWithoutNumbersStaysInThePicture) {
    Report report;
    const double none = std::numeric_limits<double>::quiet_NaN();
    report.add(Curve{.title = "none", .x = "accounts", .unit = "us", .lines = {{"one", {{1, only(none)}}}}});
    report.add(Curve{.title = "empty", .x = "accounts", .unit = "us", .lines = {}});
    const std::string svg = chart_of(report, origin);
    expect_well_formed(svg);
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(markdown_of(report, origin), HasSubstr("### none"));
}

TEST(BenchReport, TheFilesAreWrittenOrTheirNameIsTold) {
    const auto folder = std::filesystem::temp_directory_path() / "consentry-bench-report-test";
    std::filesystem::remove_all(folder);
    try {
        write_report(folder, report_of({met_row()}), origin);
        ADD_FAILURE() << "the folder does not exist";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("report.md"));
    }
    std::filesystem::create_directories(folder);
    write_report(folder, report_of({met_row()}), origin);
    for (const char* name : {"report.md", "report.svg"})
        EXPECT_THAT(read_whole_file(folder / name).value(), HasSubstr("1 fast")) << name;
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace consentry::bench
