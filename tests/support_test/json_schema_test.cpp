#include "tests/support/json_schema.hpp"

#include <latch>
#include <thread>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace consentry::tests {
namespace {

// ThreadSanitizer checks this more strictly: constructing std::regex on two threads at once is a race within libstdc++.
TEST(SchemaChecker, MakesAPatternOnceForAllThreads) {
    constexpr std::size_t threads = 4;
    std::array<const std::regex*, threads> made{};
    std::latch begin{threads};
    {
        std::vector<std::jthread> running;
        for (std::size_t i = 0; i < threads; ++i)
            running.emplace_back([&, i] {
                begin.arrive_and_wait();
                made[i] = &SchemaChecker::compiled("^[a-z]{3}\\d+$");
            });
    }
    for (const auto* one : made) EXPECT_EQ(one, made[0]);
    EXPECT_TRUE(std::regex_search("abc12", *made[0]));
}

TEST(SchemaChecker, HoldsValuesAgainstPatterns) {
    const auto schema = boost::json::parse(R"({"type":"string","pattern":"^[a-z]{3}$","maxLength":3})");
    const SchemaChecker checker(schema);
    EXPECT_TRUE(checker.complaints("abc", schema.as_object()).empty());
    EXPECT_EQ(checker.complaints("ABC", schema.as_object()).size(), 1U);
    EXPECT_EQ(checker.complaints("abcd", schema.as_object()).size(), 2U);
}

}  // namespace
}  // namespace consentry::tests
