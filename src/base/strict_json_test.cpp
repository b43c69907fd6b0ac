#include "base/strict_json.hpp"

#include <filesystem>
#include <map>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/whole_file.hpp"
#include "tests/support/test_data.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

TEST(INP_1, PublicParsingSuite) {
    const fs::path suite = tests::test_data("json-parsing");
    if (!fs::exists(suite)) GTEST_SKIP() << tests::no_test_data;
    std::map<char, int> run;
    // These texts contain duplicate names, which RFC 8259 allows a parser to reject. This parser rejects them.
    const std::vector<std::string> duplicates{"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"};
    for (const auto& file : fs::directory_iterator(suite)) {
        const std::string name = file.path().filename();
        if (!name.ends_with(".json")) continue;
        const bool accepted = parse_strict_json(read_whole_file(file.path()).value()).has_value();
        const bool duplicated = std::ranges::find(duplicates, name) != duplicates.end();
        ++run[name[0]];
        if (name[0] == 'y') EXPECT_EQ(accepted, !duplicated) << name;
        if (name[0] == 'n') EXPECT_FALSE(accepted) << name;
        // The suite leaves these cases to the implementation. The parser accepts only numbers within the range of a
        // double.
        if (name[0] == 'i') {
            const bool number_that_fits =
                name == "i_number_double_huge_neg_exp.json" || name == "i_number_real_underflow.json" ||
                name == "i_number_too_big_neg_int.json" || name == "i_number_too_big_pos_int.json" ||
                name == "i_number_very_big_negative_int.json";
            EXPECT_EQ(accepted, number_that_fits) << name;
        }
    }
    EXPECT_EQ(run['y'], 95);
    EXPECT_EQ(run['n'], 188);
    EXPECT_EQ(run['i'], 35);
}

TEST(INP_1, DuplicateNamesAreRefusedAtEveryDepth) {
    EXPECT_FALSE(parse_strict_json(R"({"a":1,"a":2})"));
    EXPECT_FALSE(parse_strict_json(R"({"a":1,"\u0061":2})"));
    EXPECT_FALSE(parse_strict_json(R"({"x":[{"b":{"c":1,"c":{"d":1}}}]})"));
    EXPECT_TRUE(parse_strict_json(R"({"a":{"a":1},"b":{"a":1}})"));
}

TEST(INP_2, DepthAndMembersAreBounded) {
    EXPECT_TRUE(parse_strict_json(std::string(32, '[') + std::string(32, ']')));
    EXPECT_FALSE(parse_strict_json(std::string(33, '[') + std::string(33, ']')));
    EXPECT_FALSE(parse_strict_json(std::string(500'000, '[')));
    std::string many = "[0";
    for (int i = 1; i < 1'000; ++i) many += ",0";
    EXPECT_FALSE(parse_strict_json(many + ",0]"));
    std::string fewer = "[0";
    for (int i = 1; i < 900; ++i) fewer += ",0";
    EXPECT_TRUE(parse_strict_json(fewer + "]"));
    EXPECT_FALSE(parse_strict_json("1e400"));
    EXPECT_TRUE(parse_strict_json("-0"));
}

TEST(JsonString, EscapesWhatMustBeEscaped) {
    std::string out;
    append_json_string(out, "a\"b\\c\nd\x01\xc3\xa9");
    EXPECT_EQ(out, "\"a\\\"b\\\\c\\nd\\u0001\xc3\xa9\"");
    out.clear();
    append_json_escape(out, 0x202E);
    EXPECT_EQ(out, "\\u202e");
}

}  // namespace
}  // namespace consentry
