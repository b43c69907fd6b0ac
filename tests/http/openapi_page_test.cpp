// The page /docs loads nothing from other servers, and its files are compressed and cached correctly.
#include <regex>

#include <gtest/gtest.h>

#include "tests/support/gunzip.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {
namespace {

const std::vector<std::string> files{"/docs",
                                     "/docs/json",
                                     "/docs/json?aliases=true",
                                     "/docs/assets/docs.css",
                                     "/docs/assets/docs.js",
                                     "/docs/assets/document.js",
                                     "/docs/assets/requests.js",
                                     "/docs/assets/views.js",
                                     "/favicon.ico"};

TEST(WEB_7, ThePageLoadsOnlyWhatThisServiceHas) {
    const Service& service = suite_service();
    const Answer page = service.get("/docs");
    EXPECT_EQ(page.status, 200U);
    EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
    const std::string policy = page.headers.at("content-security-policy");
    for (const char* rule : {"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                             "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"})
        EXPECT_TRUE(policy.contains(rule)) << rule;
    EXPECT_FALSE(policy.contains("unsafe")) << policy;
    EXPECT_EQ(service.get("/docs/").body, page.body);
    const std::regex address("(?:src|href)=\"(/[^\"]*)\"");
    std::size_t loaded = 0;
    for (std::sregex_iterator found(page.body.begin(), page.body.end(), address), end; found != end; ++found, ++loaded)
        EXPECT_EQ(service.get((*found)[1].str()).status, 200U) << (*found)[1];
    EXPECT_EQ(loaded, 7U);
    // Inline code would require a weaker policy.
    EXPECT_FALSE(std::regex_search(page.body, std::regex("<script>|<style| style=| on[a-z]+=")));
    // All other paths keep the policy that permits nothing.
    EXPECT_TRUE(
        service.get("/docs/json").headers.at("content-security-policy").starts_with("default-src 'none'; frame"));
}

TEST(WEB_7, BothCodingsAreTheSameFile) {
    const Service& service = suite_service();
    for (const std::string& path : files) {
        SCOPED_TRACE(path);
        const Answer plain = service.get(path);
        const Answer packed = service.get(path, {{"Accept-Encoding", "br, gzip"}});
        ASSERT_EQ(plain.status, 200U);
        ASSERT_EQ(packed.status, 200U);
        EXPECT_FALSE(plain.headers.contains("content-encoding"));
        EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
        EXPECT_EQ(gunzip(packed.body, std::size_t{8} << 20), plain.body);
        EXPECT_EQ(packed.headers.at("content-type"), plain.headers.at("content-type"));
        EXPECT_NE(packed.headers.at("etag"), plain.headers.at("etag"));
        EXPECT_EQ(packed.headers.at("vary"), "Accept-Encoding");
    }
}

TEST(WEB_7, WhatDidNotChangeIsNotSentAgain) {
    const Service& service = suite_service();
    for (const std::string& path : files) {
        SCOPED_TRACE(path);
        const std::string tag = service.get(path).headers.at("etag");
        EXPECT_TRUE(tag.starts_with('"')) << tag;
        const Answer same = service.get(path, {{"If-None-Match", tag}});
        EXPECT_EQ(same.status, 304U);
        EXPECT_TRUE(same.body.empty());
        EXPECT_EQ(service.get(path, {{"If-None-Match", "\"other\""}}).status, 200U);
        // A different content coding is a different representation.
        EXPECT_EQ(service.get(path, {{"If-None-Match", tag}, {"Accept-Encoding", "gzip"}}).status, 200U);
    }
}

}  // namespace
}  // namespace consentry::tests
