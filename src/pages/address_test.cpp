#include "pages/address.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

ReturnHosts hosts() {
    return ReturnHosts::parse({"app.example.com", "https://wiki.example.com:8443", "http://localhost:8080"}).value();
}

std::string safe(std::string_view text) {
    const auto address = Address::safe_return(text, hosts());
    return address ? address->text() : "refused";
}

TEST(SafeReturn, PathsOfOursAndListedHostsAreTaken) {
    for (const std::string_view path :
         {"/", "/account", "/account?tab=2&x=%20y", "/accept?return=https%3A%2F%2Fapp.example.com%2Fa", "/a/b-c_d.e~f/",
          "/%C3%A9", "/a:b@c", "/account?next=//b&u=https://app.example.com/",
          "/search?text=a%0D%0Ab&path=%2F..%2F%5C&raw=%00"})
        EXPECT_EQ(safe(path), path);
    EXPECT_EQ(safe("https://app.example.com/a?b=c"), "https://app.example.com/a?b=c");
    EXPECT_EQ(safe("https://app.example.com"), "https://app.example.com/");
    EXPECT_EQ(safe("HTTPS://APP.Example.Com:443/A"), "https://app.example.com/A");
    EXPECT_EQ(safe("https://wiki.example.com:8443/x"), "https://wiki.example.com:8443/x");
    EXPECT_EQ(safe("http://localhost:8080/"), "http://localhost:8080/");
}

// Two hundred ways to lead a browser, or a check of the address, astray.
TEST(SafeReturn, HostileAddressesAreRefused) {
    std::vector<std::string> hostile;
    // Another host in every spelling that some browser has taken for one.
    for (const std::string_view start : {"//",
                                         "///",
                                         "////",
                                         "/\\",
                                         "\\/",
                                         "\\\\",
                                         "\\",
                                         "/\t/",
                                         "/\n/",
                                         "/\r/",
                                         "\t//",
                                         "\n//",
                                         " //",
                                         "//\t",
                                         "/ /",
                                         "/./",
                                         "/../",
                                         "/.//",
                                         "/..//",
                                         "/;//../",
                                         "/%2f/",
                                         "/%2F",
                                         "/%5c",
                                         "/%5C",
                                         "/%5c/",
                                         "/%09/",
                                         "/%0a/",
                                         "/%0d/",
                                         "/%00/",
                                         "/%2e%2e//",
                                         "/%2E/",
                                         "/a//",
                                         "/a/../..//",
                                         "https:",
                                         "https:/",
                                         "https://",
                                         "https:///",
                                         "https:////",
                                         "https:\\",
                                         "https:\\\\",
                                         "https:/\\",
                                         "https:\\/",
                                         "http://",
                                         "http:",
                                         "http:/",
                                         "ftp://",
                                         "ws://",
                                         "wss://",
                                         "hTTps://",
                                         "https:// ",
                                         "https://\t",
                                         "https://\n",
                                         " https://",
                                         "\thttps://",
                                         "\x01https://",
                                         "\x1fhttps://",
                                         "ht\ntps://",
                                         "https:\t//",
                                         "://",
                                         ":",
                                         "@",
                                         "?//",
                                         "#//",
                                         "/\xe2\x80\x8b/",
                                         "\xef\xbb\xbf//",
                                         "/\xc2\xa0/",
                                         "//\xe3\x80\x82",
                                         "view-source:https://",
                                         "blob:https://",
                                         "filesystem:https://"})
        for (const std::string_view host : {"evil.example", "evil.example/account"})
            hostile.push_back(std::string(start) + std::string(host));
    for (const char* one :
         {// Schemes that run or show something.
          "javascript:alert(1)", "JavaScript:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)",
          "javascript://app.example.com/%0aalert(1)", "data:text/html,x", "data:text/html;base64,PHNjcmlwdD4=",
          "vbscript:x", "file:///etc/passwd", "about:blank", "mailto:a@b.c", "tel:1", "intent://x#Intent;end",
          // A listed host that is not the host.
          "https://app.example.com@evil.example/", "https://app.example.com:x@evil.example/",
          "https://app.example.com%40evil.example/", "https://app.example.com%2f@evil.example/",
          "https://app.example.com\\@evil.example/", "https://app.example.com.evil.example/",
          "https://app.example.comevil.example/", "https://evil.example/app.example.com",
          "https://evil.example?https://app.example.com/", "https://evil.example#https://app.example.com/",
          "https://evil.example;app.example.com/", "https://evil.example\\.app.example.com/",
          "https://evil.example%00.app.example.com/", "https://evil.example%2eapp.example.com/",
          "https://xapp.example.com/", "https://x.app.example.com/", "https://example.com/",
          "https://app.example.com./", "https://.app.example.com/", "https://app..example.com/",
          "https://app.example.com:8443/", "https://app.example.com:/", "https://app.example.com:0443/",
          "https://app.example.com:443:443/", "https://app.example.com:99999/", "https://app.example.com:-1/",
          "https://app.example.com: 443/", "https://user@app.example.com/", "https://user:pass@app.example.com/",
          "https://@app.example.com/", "https://[app.example.com]/", "https://app_example.com/",
          "https://app.example.com\t/", "https://app.example.com\n/", "https://app.example.com /",
          "https://app.ex\xc3\xa4mple.com/",
          ("https://app.example\xe3\x80\x82"
           "com/"),
          "https://\xef\xbd\x81pp.example.com/", "https://app.example.com#x", "http://app.example.com/",
          "http://app.example.com:443/", "http://wiki.example.com:8443/", "https://wiki.example.com/",
          "https://wiki.example.com:8443@evil.example/", "http://localhost/", "https://localhost:8080/",
          "http://localhost:80/", "http://localhost:8080@evil.example/", "http://localhost.:8080/",
          "http://127.0.0.1:8080/", "http://2130706433:8080/", "http://[::1]:8080/", "http://0x7f000001:8080/",
          "http://localhost:8080.evil.example/",
          // A listed host with a path that two readers resolve in two ways.
          "https://app.example.com//evil.example", "https://app.example.com/../x", "https://app.example.com/./x",
          "https://app.example.com/%2e%2e/x", "https://app.example.com/%2fevil.example",
          "https://app.example.com/\\evil.example", "https://app.example.com/a b", "https://app.example.com/%0d%0aX:y",
          // Headers of our own answer, and markup.
          "/\r\nSet-Cookie: a=b", "/%0d%0aSet-Cookie:a=b", "/%0D%0ALocation:x", "/a\nb", "/a\rb", "/%00", "/a%7f",
          "/\"><script>alert(1)</script>", "/'><x", "/<x>", "/a\"b", "/a`b", "/a{b}", "/a|b", "/a^b",
          // Not an address.
          "", " ", "account", "account/x", "?x", "#x", "/account#x", ".", "..", "/.", "/..", "/a/..", "/%", "/%2",
          "/%zz", "/a%", "/\x80", "/\xff", "/\xc3"})
        hostile.emplace_back(one);
    hostile.emplace_back("/a\0b", 4);
    hostile.push_back("/" + std::string(2'048, 'a'));
    EXPECT_GE(hostile.size(), 200U);
    for (const std::string& address : hostile) EXPECT_EQ(safe(address), "refused") << address;
}

// Decoded, a path could be another one; a query cannot.
TEST(SafeReturn, EncodedSeparatorsOfThePathAreRefused) {
    for (const char* path :
         {"/a%2Fb", "/a%2fb", "/a%2E%2E/b", "/.%2e/b", "/a%5Cb", "/a%00", "/a%1f", "/a?b=%2", "/a?%zz"})
        EXPECT_FALSE(has_one_reading(path)) << path;
    EXPECT_TRUE(has_one_reading("/a?b=%2F%2E%5C%00%0A"));
}

TEST(SafeReturn, WithoutListedHostsThereAreOnlyPathsOfOurs) {
    EXPECT_TRUE(Address::safe_return("/account", {}));
    EXPECT_FALSE(Address::safe_return("https://app.example.com/", {}));
}

TEST(ReturnHosts, EntriesThatNameNoHostAreRefused) {
    for (const char* entry : {"", "*", "*.example.com", "app.example.com/path", "https://", "ftp://app.example.com",
                              "app.example.com:0", "user@app.example.com", "app example.com", "-app.example.com"})
        EXPECT_FALSE(ReturnHosts::parse({entry})) << entry;
}

// Its origin becomes part of a security policy.
TEST(ConfiguredUrl, HasOneReadingOrIsRefused) {
    const auto url = ConfiguredUrl::parse("https://Login.Example.com:443/auth?tenant=7");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->origin(), "https://login.example.com");
    EXPECT_EQ(Address(*url).with("state", "a&b").text(), "https://login.example.com/auth?tenant=7&state=a%26b");
    EXPECT_EQ(ConfiguredUrl::parse("https://127.0.0.1:8443")->origin(), "https://127.0.0.1:8443");
    for (const char* text : {"", "/auth", "http://a/b", "https://", "https:///b", "https://a;b/c", "https://a,b/c",
                             "https://*/c", "https://*.a/c", "https://a'b/c", "https://a:x/b", "https://a/b#c",
                             "https://u@a/b", "https://a/b c", "https://a/../b", "https://a/%0d%0aX", "https://a\\b/"})
        EXPECT_FALSE(ConfiguredUrl::parse(text)) << text;
    EXPECT_FALSE(ConfiguredUrl::parse("https://a/" + std::string(300, 'b')));
}

TEST(Address, AValueOfTheQueryIsEncoded) {
    EXPECT_EQ(Address("/login").with("return", "/a?b=c&d").with("x", "ä").text(),
              "/login?return=%2Fa%3Fb%3Dc%26d&x=%C3%A4");
}

}  // namespace
}  // namespace consentry
