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

TEST(HostPort, AnAddressStandsInBrackets) {
    EXPECT_EQ(without_brackets("[2001:db8::1]"), "2001:db8::1");
    EXPECT_EQ(without_brackets("[]"), "");
    EXPECT_EQ(without_brackets("example.com"), "example.com");
    EXPECT_EQ(without_brackets("[2001:db8::1"), "[2001:db8::1");
}

}  // namespace
}  // namespace consentry
