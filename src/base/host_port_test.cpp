#include "base/host_port.hpp"

#include <string>

#include <gtest/gtest.h>

namespace consentry {
namespace {

std::string parts_of(std::string_view text) {
    const auto parts = split_host_port(text);
    if (!parts) return "none";
    return std::string(parts->host) + (parts->port ? " | " + std::string(*parts->port) : "");
}

TEST(HostPort, ThePortFollowsTheHost) {
    EXPECT_EQ(parts_of("example.com"), "example.com");
    EXPECT_EQ(parts_of("example.com:443"), "example.com | 443");
    EXPECT_EQ(parts_of("[2001:db8::1]"), "[2001:db8::1]");
    EXPECT_EQ(parts_of("[2001:db8::1]:443"), "[2001:db8::1] | 443");
    EXPECT_EQ(parts_of(""), "");
}

// The caller refuses the host or the port.
TEST(HostPort, WhatIsInvalidStaysInItsPart) {
    EXPECT_EQ(parts_of("example.com:"), "example.com | ");
    EXPECT_EQ(parts_of(":443"), " | 443");
    EXPECT_EQ(parts_of("example.com:1:2"), "example.com | 1:2");
    EXPECT_EQ(parts_of("2001:db8::1"), "2001 | db8::1");
    EXPECT_EQ(parts_of("[]:443"), "[] | 443");
}

TEST(HostPort, BracketsAreClosedAndOnlyAPortFollows) {
    for (const char* text : {"[", "[2001:db8::1", "[2001:db8::1]443", "[2001:db8::1]]", "[2001:db8::1].example.com"})
        EXPECT_EQ(parts_of(text), "none") << text;
}

TEST(HostPort, APortIsANumberOfTwoBytesAndNotZero) {
    EXPECT_EQ(parse_port("1"), 1);
    EXPECT_EQ(parse_port("65535"), 65535);
    EXPECT_EQ(parse_port("0443"), 443);
    for (const char* text : {"", "0", "65536", "99999", "4294967739", "-1", "443 ", "https"})
        EXPECT_EQ(parse_port(text), std::nullopt) << text;
}

TEST(HostPort, AUrlHasNoPortOrOneThatExists) {
    for (const char* url :
         {"https://example.com", "https://example.com/a:0", "https://example.com?x=:0", "http://[::1]/",
          "https://[2001:db8::1]:443/", "https://user:0@example.com:65535#x:0", "mailto:a@b"})
        EXPECT_TRUE(has_possible_port(url)) << url;
    for (const char* url :
         {"https://example.com:", "https://example.com:/a", "https://example.com:0", "http://[::1]:0",
          "https://example.com:65536?x", "https://u:1@example.com:66123/a", "https://example.com:1:2", "https://[::1"})
        EXPECT_FALSE(has_possible_port(url)) << url;
}

TEST(HostPort, AnAddressStandsInBrackets) {
    EXPECT_EQ(without_brackets("[2001:db8::1]"), "2001:db8::1");
    EXPECT_EQ(without_brackets("[]"), "");
    EXPECT_EQ(without_brackets("example.com"), "example.com");
    EXPECT_EQ(without_brackets("[2001:db8::1"), "[2001:db8::1");
}

}  // namespace
}  // namespace consentry
