#include "http/steps/accept.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "http/steps/content_coding.hpp"

namespace consentry::http {
namespace {

struct Row {
    std::string_view parameters;
    int weight;
};
constexpr std::array rows{Row{"", 1'000},        Row{";q=1", 1'000},   Row{";q=1.000", 1'000}, Row{";Q=0.5", 500},
                          Row{"; q=0.125", 125}, Row{" ;q=0.001 ", 1}, Row{";q=0", 0},         Row{";Q=0", 0},
                          Row{";q=0.000", 0},    Row{";Q=0.0", 0},     Row{";x=1;q=0", 0},     Row{";q=0;x=1", 0},
                          Row{";xq=0", 1'000},   Row{";x=q=0", 1'000}, Row{";", 1'000},        Row{";q", 1'000},
                          Row{";q=", 0},         Row{";q=x", 0},       Row{";q=2", 0},         Row{";q=1.001", 0},
                          Row{";q=-1", 0},       Row{";q=0.0001", 0},  Row{";q=01", 0},        Row{";q=.5", 0}};

// Each reads the same weight.
TEST(Weights, AreReadAlikeInEveryHeader) {
    for (const auto& [parameters, weight] : rows) {
        SCOPED_TRACE(parameters);
        const auto with = [&](std::string_view name) { return std::string(name).append(parameters); };
        const std::string both = with("a/b") + ", c/d;q=0.3";
        std::string_view rest = both;
        const Weighted first = take_weighted(rest);
        EXPECT_EQ(first.name, "a/b");
        EXPECT_EQ(first.weight, weight);
        const Weighted second = take_weighted(rest);
        EXPECT_EQ(second.name, "c/d");
        EXPECT_EQ(second.weight, 300);
        EXPECT_TRUE(rest.empty());

        const auto asks = [&](std::string_view header, const std::string& value) {
            Request request;
            request.headers.emplace_back(header, value);
            return request;
        };
        EXPECT_EQ(accepts_gzip(asks("Accept-Encoding", with("gzip"))), weight > 0);
        EXPECT_EQ(accepts_gzip(asks("Accept-Encoding", "br, " + with("*"))), weight > 0);
        EXPECT_EQ(prefers_problem(asks("Accept", with("application/problem+json"))), weight > 0);
        EXPECT_EQ(names_html(asks("Accept", with("text/html"))), weight > 0);
    }
}

}  // namespace
}  // namespace consentry::http
