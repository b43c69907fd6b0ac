#include "http/form.hpp"

#include <gtest/gtest.h>

namespace consentry::http {
namespace {

TEST(Form, FieldsAreDecodedInTheirOrder) {
    const auto fields = read_form("email=ada%40example.org&password=a+b%26%3D%2B&empty=&a%5B%5D=%E3%81%82&a%5B%5D=2");
    ASSERT_TRUE(fields);
    const std::vector<std::pair<std::string, std::string>> wanted{
        {"email", "ada@example.org"}, {"password", "a b&=+"}, {"empty", ""}, {"a[]", "あ"}, {"a[]", "2"}};
    ASSERT_EQ(fields->size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ((*fields)[i].name, wanted[i].first);
        EXPECT_EQ((*fields)[i].value, wanted[i].second);
    }
    EXPECT_TRUE(read_form("")->empty());
}

TEST(Form, WhatTwoReadersMightReadDifferentlyIsRefused) {
    for (const std::string_view body :
         {"a",     "=",   "=b",    "&",        "a=b&",        "&a=b",  "a=b&&c=d", "a=b=c", "a=%",        "a=%2",
          "a=%zz", "%=b", "a=%ff", "a=%c0%80", "a=%ed%a0%80", "a=%00", "a=b c",    "a=b\n", "a=\xc3\xa4", "a=b\x7f"})
        EXPECT_FALSE(read_form(body)) << body;
    EXPECT_EQ(read_form("a=b;c")->front().value, "b;c") << "a semicolon separates nothing";
    EXPECT_FALSE(read_form(std::string_view("a=\0", 3)));
}

TEST(Form, TheNumberOfFieldsIsBounded) {
    std::string body = "a=1";
    for (std::size_t i = 1; i < form_fields_max; ++i) body += "&a=1";
    EXPECT_EQ(read_form(body)->size(), form_fields_max);
    EXPECT_FALSE(read_form(body + "&a=1"));
}

}  // namespace
}  // namespace consentry::http
