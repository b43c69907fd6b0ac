#include "base/user_agent.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

std::string shown(const std::optional<std::string>& text) { return text.value_or("-"); }

// Format: browser name version major | OS name version | engine name version | architecture | type vendor model
std::string all_of(std::string_view text) {
    const UserAgent agent = parse_user_agent(text);
    return shown(agent.browser.name) + " " + shown(agent.browser.version) + " " + shown(agent.browser.major) + " | " +
           shown(agent.os.name) + " " + shown(agent.os.version) + " | " + shown(agent.engine.name) + " " +
           shown(agent.engine.version) + " | " + shown(agent.cpu.architecture) + " | " + shown(agent.device.type) +
           " " + shown(agent.device.vendor) + " " + shown(agent.device.model);
}

TEST(UserAgent, WhatBrowsersSay) {
    EXPECT_EQ(all_of("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
              "Firefox 128.0 128 | Linux - | Gecko 128.0 | amd64 | - - -");
    EXPECT_EQ(all_of("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                     "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.87"),
              "Edge 126.0.2592.87 126 | Windows 10.0 | Blink 126.0.0.0 | amd64 | - - -");
    EXPECT_EQ(all_of("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                     "Version/17.5 Safari/605.1.15"),
              "Safari 17.5 17 | macOS 10.15.7 | WebKit 605.1.15 | - | - - -");
    EXPECT_EQ(all_of("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                     "Version/17.5 Mobile/15E148 Safari/604.1"),
              "Safari 17.5 17 | iOS 17.5 | WebKit 605.1.15 | - | mobile Apple iPhone");
    EXPECT_EQ(all_of("Mozilla/5.0 (iPad; CPU OS 16_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                     "CriOS/114.0.5735.99 Mobile/15E148 Safari/604.1"),
              "Chrome 114.0.5735.99 114 | iOS 16.1 | WebKit 605.1.15 | - | tablet Apple iPad");
    EXPECT_EQ(all_of("Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A.240205) AppleWebKit/537.36 (KHTML, like "
                     "Gecko) Chrome/126.0.0.0 Mobile Safari/537.36"),
              "Chrome 126.0.0.0 126 | Android 14 | Blink 126.0.0.0 | - | mobile Google Pixel 8");
    EXPECT_EQ(all_of("Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
                     "Safari/537.36"),
              "Chrome 124.0.0.0 124 | Android 10 | Blink 124.0.0.0 | - | tablet - -");
    EXPECT_EQ(all_of("Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0"),
              "Firefox 127.0 127 | Android 14 | Gecko 127.0 | - | mobile - -");
    EXPECT_EQ(all_of("curl/8.5.0"), "curl 8.5.0 8 | - - | - - | - | - - -");
    EXPECT_EQ(parse_user_agent("curl/8.5.0").browser.type, "cli");
    EXPECT_EQ(parse_user_agent("okhttp/4.12.0").browser.type, "library");
}

TEST(UserAgent, WhatNobodyKnowsAndWhatIsCutShort) {
    for (const char* text : {"", " ", "x", "Mozilla/5.0", "<script>", "(((", "rv:", "Version"})
        EXPECT_EQ(all_of(text), "- - - | - - | - - | - | - - -") << text;
    for (const char* text : {"Chrome/", "Firefox/x", "Edg/...", "Android ", "Android ;", "Mac OS X ", "Android 1; "})
        EXPECT_EQ(parse_user_agent(text).browser.major.has_value(), false) << text;
    EXPECT_EQ(parse_user_agent("Android 9; " + std::string(10'000, 'm')).device.model, std::string(10'000, 'm'));
}

}  // namespace
}  // namespace consentry
