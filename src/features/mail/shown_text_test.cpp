#include "features/mail/shown_text.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

TEST(ShownText, NamesOfDevicesStay) {
    for (const auto* name :
         {"Ada's phone", "Pixel 9 (work)", "Müllers Gerät", "Телефон Ады", "田中の電話", "Điện thoại"})
        EXPECT_EQ(shown_name(name), name);
}

TEST(REC_5, ANameOfADeviceIsNeverAnAddressOrALine) {
    EXPECT_EQ(shown_name("evil.example/login"), "evil example login");
    EXPECT_EQ(shown_name("https://evil.example?a=b#c"), "https evil example a b c");
    EXPECT_EQ(shown_name("ada@evil.example"), "ada evil example");
    EXPECT_EQ(shown_name("phone\r\nBcc: eve@evil.example"), "phone Bcc eve evil example");
    EXPECT_EQ(shown_name("<b onload=x>&amp;\"{homeUrl}"), "b onload x amp homeUrl");
    // Dots and slashes of other scripts are removed, because IDNA treats some of them as dots.
    EXPECT_EQ(shown_name("evil\u3002example"), "evil example");
    EXPECT_EQ(shown_name("evil\uFF0Eexample\uFF0Flogin"), "evil example login");
    EXPECT_EQ(shown_name("evil\uFF61example\u2044login\u2215here"), "evil example login here");
    // Marks that change the writing direction and invisible characters are removed.
    EXPECT_EQ(shown_name("a\u202Eb\u200Bc\u2028d\uFEFFe\u00ADf"), "a b c d e f");
    EXPECT_EQ(shown_name("\xC3\x28"), "");
    EXPECT_EQ(shown_name("\x01\x7F \t"), "");
    EXPECT_EQ(shown_name(std::string(1'000, 'x')), std::string(40, 'x'));
}

TEST(ShownText, BrowsersAndSystemsByTheirNames) {
    EXPECT_EQ(shown_agent("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"), "Firefox, Linux");
    EXPECT_EQ(shown_agent("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                          "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0"),
              "Edge, Windows");
    EXPECT_EQ(shown_agent("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
                          "Gecko) Version/17.5 Mobile/15E148 Safari/604.1"),
              "Safari, iPhone");
    EXPECT_EQ(shown_agent("Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
                          "Chrome/126.0.0.0 Mobile Safari/537.36"),
              "Chrome, Android");
    EXPECT_EQ(shown_agent("curl/8.5.0"), "curl");
    EXPECT_EQ(shown_agent("call https://evil.example now"), "");
}

TEST(ShownText, AddressesOfTheNetworkAndNothingElse) {
    EXPECT_EQ(shown_address("203.0.113.7"), "203.0.113.7");
    EXPECT_EQ(shown_address("2001:db8::1"), "2001:db8::1");
    EXPECT_EQ(shown_address("evil.example"), "");
    EXPECT_EQ(shown_address(""), "");
}

}  // namespace
}  // namespace consentry
