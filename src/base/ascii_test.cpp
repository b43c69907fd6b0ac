#include "base/ascii.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

TEST(Ascii, CharactersAreControlsPrintableOrNeither) {
    for (const char c : {'\0', '\t', '\n', '\x1f', '\x7f'}) {
        EXPECT_TRUE(is_control(c)) << int{c};
        EXPECT_FALSE(is_printable(c)) << int{c};
    }
    for (const char c : {'!', 'a', '~'}) EXPECT_TRUE(is_visible(c) && is_printable(c) && !is_control(c)) << c;
    EXPECT_TRUE(is_printable(' ') && !is_visible(' ') && !is_control(' '));
    for (const char c : {'\x80', '\xff'}) EXPECT_FALSE(is_control(c) || is_printable(c) || is_visible(c)) << int{c};
}

TEST(Ascii, LettersAloneHaveACase) {
    EXPECT_EQ(upper_letter('a'), 'A');
    EXPECT_EQ(upper_letter('z'), 'Z');
    EXPECT_EQ(lower_letter('Z'), 'z');
    for (const char c : {'`', '{', '@', '[', '0', '\xe4'})
        EXPECT_TRUE(upper_letter(c) == c && lower_letter(c) == c) << c;
}

}  // namespace
}  // namespace consentry
