#include "base/line_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace consentry {
namespace {

std::string diff(std::string_view before, std::string_view after) { return unified_diff(before, after, "a", "b"); }

// Applies the diff as `patch` does: takes the kept and added lines of each hunk, and copies the old lines between
// hunks.
std::string patched(const std::string& before, const std::string& diff) {
    const auto lines_of = [](const std::string& text) {
        std::vector<std::string> out;
        for (std::size_t at = 0; at < text.size();) {
            const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
            out.push_back(text.substr(at, end - at));
            at = end;
        }
        return out;
    };
    const auto old = lines_of(before);
    std::size_t next = 0;
    std::string out;
    char sign = ' ';
    for (const std::string& line : lines_of(diff)) {
        if (line.starts_with("--- ") || line.starts_with("+++ ")) continue;
        if (line.starts_with("@@ -")) {
            const auto first = std::stoul(line.substr(4));
            const bool none = line.substr(4, line.find(' ', 4) - 4).ends_with(",0");
            for (; next < first - (none ? 0 : 1); ++next) out += old.at(next);
        } else if (line.starts_with("\\")) {
            if (sign != '-') out.pop_back();
        } else {
            const std::string text = line.substr(1);
            sign = line.front();
            if (sign != '+') {
                const std::string& was = old.at(next++);
                EXPECT_TRUE(was == text || was + "\n" == text) << line;
            }
            if (sign != '-') out += text;
        }
    }
    for (; next < old.size(); ++next) out += old.at(next);
    return out;
}

TEST(LineDiff, OfTheSameTextIsEmpty) {
    EXPECT_EQ(diff("", ""), "");
    EXPECT_EQ(diff("one\ntwo\n", "one\ntwo\n"), "");
    EXPECT_EQ(diff("one", "one"), "");
}

TEST(LineDiff, ShowsThreeLinesAroundEachChange) {
    EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
              "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    EXPECT_EQ(diff("1\n2\n3\n4\n", "0\n1\n2\n3\n4\n"), "--- a\n+++ b\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n");
    EXPECT_EQ(diff("1\n2\n3\n4\n", "1\n2\n3\n"), "--- a\n+++ b\n@@ -1,4 +1,3 @@\n 1\n 2\n 3\n-4\n");
}

TEST(LineDiff, ChangesThatAreNearShareAHunkAndThoseFarApartDoNot) {
    const std::string before = "a\n1\n2\n3\n4\n5\n6\nb\n";
    EXPECT_EQ(diff(before, "A\n1\n2\n3\n4\n5\n6\nB\n"),
              "--- a\n+++ b\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
    EXPECT_EQ(diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n"),
              "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST(LineDiff, OfNothingNamesTheLineBefore) {
    EXPECT_EQ(diff("", "one\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+one\n");
    EXPECT_EQ(diff("one\ntwo\n", ""), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-one\n-two\n");
}

TEST(LineDiff, AMissingLineEndIsADifference) {
    EXPECT_EQ(diff("one\n", "one"), "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+one\n\\ No newline at end of file\n");
}

TEST(LineDiff, ChangesNoMoreLinesThanItMust) {
    // The example of Myers' paper needs five changes.
    const std::string out = diff("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");
    std::size_t counted = 0;
    for (std::size_t at = out.find("@@\n") + 2; at != std::string::npos; at = out.find('\n', at + 1))
        counted += at + 1 < out.size() && (out[at + 1] == '-' || out[at + 1] == '+');
    EXPECT_EQ(counted, 5U) << out;
}

TEST(LineDiff, LeadsFromAnyTextToAnyOther) {
    // Knuth's MMIX generator yields reproducible texts.
    std::uint64_t state = 7;
    const auto draw = [&state] { return (state = state * 6364136223846793005U + 1442695040888963407U) >> 33U; };
    const auto text = [&draw] {
        std::string out;
        for (auto lines = draw() % 40; lines > 0; --lines)
            out += std::string(1, static_cast<char>('a' + draw() % 4)) + "\n";
        if (!out.empty() && draw() % 4 == 0) out.pop_back();
        return out;
    };
    for (int i = 0; i < 2'000; ++i) {
        const std::string before = text();
        const std::string after = text();
        ASSERT_EQ(patched(before, diff(before, after)), after) << before << "---\n" << after;
    }
}

TEST(LineDiff, OfHugeTextsIsBounded) {
    std::string before;
    std::string after;
    for (int i = 0; i < 100'000; ++i) {
        before += "a" + std::to_string(i) + "\n";
        after += "b" + std::to_string(i) + "\n";
    }
    EXPECT_EQ(patched(before, diff(before, after)), after);
    EXPECT_EQ(patched(before, diff(before, before + after)), before + after);
}

}  // namespace
}  // namespace consentry
