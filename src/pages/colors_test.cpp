#include "pages/colors.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

TEST(PageColors, TheDefaultsCanBeRead) {
    const PageColors colors;
    EXPECT_TRUE(PageColors::parse(colors.light + "," + colors.dark));
}

TEST(PageColors, AColorThatIsHardToReadIsRefused) {
    const auto light = PageColors::parse("#ffff00,#8ab8f0");
    ASSERT_FALSE(light);
    EXPECT_EQ(light.error(),
              "#ffff00 has a contrast of 1.1 on the light page and cannot be read well; choose a color with at least "
              "4.5");
    const auto dark = PageColors::parse("#1f5fa8,#223344");
    ASSERT_FALSE(dark);
    EXPECT_NE(dark.error().find("on the dark page"), std::string::npos);
}

TEST(PageColors, WhatIsNoPairOfColorsIsRefused) {
    for (const char* text : {"", "#1f5fa8", "#1f5fa8,", "blue,#8ab8f0", "#1f5fa8,#8ab8f", "#1f5fa8,#8ab8f0,#000000",
                             "#1f5fa8;x,#8ab8f0", "#1f5fag,#8ab8f0"})
        EXPECT_FALSE(PageColors::parse(text)) << text;
}

TEST(PageColors, TextOnAColorIsBlackOrWhite) {
    EXPECT_EQ(PageColors().style(),
              ":root{--accent:#1f5fa8;--on-accent:#ffffff}\n"
              "@media (prefers-color-scheme:dark){:root{--accent:#8ab8f0;--on-accent:#000000}}\n");
}

}  // namespace
}  // namespace consentry
