#include "base/json_values.hpp"

#include <string>

#include <gtest/gtest.h>

namespace consentry {
namespace {

namespace json = boost::json;

TEST(JsonValues, AnEmptyOptionalIsNull) {
    EXPECT_EQ(json_or_null(std::optional<std::string>("a")), json::value("a"));
    EXPECT_EQ(json_or_null(std::optional<std::string>()), json::value(nullptr));
    EXPECT_EQ(json_or_null(std::optional<std::int64_t>(0)), json::value(0));
}

TEST(JsonValues, OnlyStringsAreText) {
    const json::object object{{"text", "a"}, {"empty", ""}, {"number", 1}, {"null", nullptr}};
    EXPECT_EQ(text_member(object, "text"), "a");
    EXPECT_EQ(text_member(object, "empty"), "");
    EXPECT_EQ(text_or_empty(object, "text"), "a");
    for (const auto* name : {"number", "null", "missing"}) {
        EXPECT_EQ(text_member(object, name), std::nullopt) << name;
        EXPECT_EQ(text_or_empty(object, name), "") << name;
    }
}

TEST(JsonValues, OnlyObjectsAreObjects) {
    const json::object object{{"inner", {{"a", 1}}}, {"array", json::array{}}, {"text", "{}"}};
    ASSERT_NE(object_member(object, "inner"), nullptr);
    EXPECT_EQ(object_member(object, "inner")->at("a"), 1);
    for (const auto* name : {"array", "text", "missing"}) EXPECT_EQ(object_member(object, name), nullptr) << name;
}

}  // namespace
}  // namespace consentry
