#include "pages/accept_language.hpp"

#include <array>

#include <gtest/gtest.h>

namespace consentry {
namespace {

constexpr std::array all{Language::en, Language::id, Language::es, Language::fr, Language::de, Language::ja};

TEST(PageLanguage, TheHighestWeightDecidesThenTheOrder) {
    EXPECT_EQ(preferred_language("de", all), Language::de);
    EXPECT_EQ(preferred_language("de-DE,en;q=0.7", all), Language::de);
    EXPECT_EQ(preferred_language("en;q=0.7, ja", all), Language::ja);
    EXPECT_EQ(preferred_language("nl, fr-CA;q=0.5, *;q=0.1", all), Language::fr);
    EXPECT_EQ(preferred_language("ES-419", all), Language::es);
    EXPECT_EQ(preferred_language("fr, de", all), Language::fr);
}

TEST(PageLanguage, WhatNamesNoneOfOurLanguagesDecidesNothing) {
    for (const char* header : {"", "*", "nl", "x-klingon", "de;q=0", "de;q=x", ",,,", ";q=1", "deutsch"})
        EXPECT_EQ(preferred_language(header, all), std::nullopt) << header;
    EXPECT_EQ(preferred_language("de", std::array{Language::en}), std::nullopt);
}

}  // namespace
}  // namespace consentry
