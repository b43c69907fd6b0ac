// Request lines: RFC 9112 section 3.
#include "tests/http/framing_table.hpp"

namespace consentry::tests {
namespace {

using enum Reader;

std::string line(std::string_view text) { return std::string{text} + "\r\nHost: a\r\n\r\n"; }

void add_methods(FramingRows& rows) {
    for (const std::string_view c : {"\"", "(", ")", ",",  "/", ":", ";", "<",    "=",        ">",
                                     "?",  "@", "[", "\\", "]", "{", "}", "\x80", "\xC3\xA9", "\xFF"})
        rows.push_back(refused(line("GE" + std::string{c} + "T / HTTP/1.1")));
    for (const std::string_view text : {"",
                                        "/ HTTP/1.1",
                                        " / HTTP/1.1",
                                        "GET",
                                        "GET ",
                                        "GET /",
                                        "GET / ",
                                        "GET  / HTTP/1.1",
                                        "GET /  HTTP/1.1",
                                        "GET\t/ HTTP/1.1",
                                        "GET /\tHTTP/1.1",
                                        " GET / HTTP/1.1",
                                        "\tGET / HTTP/1.1",
                                        "GET / HTTP/1.1 ",
                                        "GET / HTTP/1.1\t",
                                        "GET / x HTTP/1.1",
                                        "GET / HTTP/1.1 x",
                                        "GET / HTTP/1.1 HTTP/1.1",
                                        "GET HTTP/1.1",
                                        "G ET / HTTP/1.1",
                                        "GET /a /b HTTP/1.1",
                                        "HTTP/1.1 200 OK",
                                        "HTTP/1.1 GET /",
                                        "Host: a"})
        rows.push_back(refused(line(text)));
    // Methods that Consentry does not support, including CONNECT, TRACE and invented words. The application answers 405
    // with the supported methods (RFC 9110 section 15.5.6), and the reader reads nothing more.
    for (const std::string_view text :
         {"TRACE /", "FOO /", "get /", "Get /", "GETGET /", "M-SEARCH /", "PROPFIND /", "PRI /", "PURGE /", "SOURCE /",
          "QUERY /", "DEBUG /", "!#$%&'*+-.^_`|~ /", "0 /", "CONNECT a:80", "CONNECT a.example:443", "CONNECT [::1]:80",
          "CONNECT /", "CONNECT http://a/"})
        rows.push_back(refused(line(std::string{text} + " HTTP/1.1"), 405));
    for (const std::string_view target : {"a", "a:", ":80", "a:b", "u@a:80", "a:80/", "*", "a:80:80", "?a:80", ""})
        rows.push_back(refused(line("CONNECT " + std::string{target} + " HTTP/1.1")));
}

void add_versions(FramingRows& rows) {
    for (const std::string_view version : {"HTTP/1.1.1", "HTTP/ 1.1",
                                           "HTTP /1.1",  "HTTP/1 .1",
                                           "HTTP/1. 1",  "http/1.1",
                                           "Http/1.1",   "HTP/1.1",
                                           "HTTP/1",     "HTTP/1.",
                                           "HTTP/.1",    "HTTP/11",
                                           "HTTP/-1.1",  "HTTP/+1.1",
                                           "HTTP/1.01",  "HTTP/1.10",
                                           "HTTP/01.1",  "HTTP/1.1a",
                                           "HTTP/x.y",   "HTTP/1,1",
                                           "HTTP/1:1",   "HTTP1.1",
                                           "HTTP//1.1",  "HTTP\\1.1",
                                           "XHTTP/1.1",  "HTTPS/1.1",
                                           "ICE/1.0",    "RTSP/1.0",
                                           "SIP/2.0",    "HTTP",
                                           "HTTP/",      "/1.1",
                                           "1.1",        "H",
                                           "HTTP/1.1/",  "HTTP/1.1\\",
                                           "HTTP/1.1;",  "HTTP/\xEF\xBC\x91.1"})
        rows.push_back(refused(line("GET / " + std::string{version})));
    for (const std::string_view version :
         {"HTTP/0.0", "HTTP/0.9", "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/2.1", "HTTP/3.0", "HTTP/9.9"})
        rows.push_back(refused(line("GET / " + std::string{version}), 505));
    rows.push_back(refused("GET /\r\n"));
    rows.push_back(refused("GET /\r\n\r\n"));
    rows.push_back(refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505));
    rows.push_back(accepted_and_closed(line("GET / HTTP/1.0"), {"GET 0"}));
    rows.push_back(accepted_and_closed("GET / HTTP/1.0\r\n\r\n", {"GET 0"}));
    rows.push_back(accepted("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", {"GET 0"}));
    rows.push_back(accepted("POST / HTTP/1.0\r\nConnection: Keep-Alive\r\nContent-Length: 3\r\n\r\nabc", {"POST 3"}));
}

void add_targets(FramingRows& rows) {
    for (const std::string_view target : {"/",
                                          "//",
                                          "//a",
                                          "/a//b",
                                          "/?",
                                          "/??",
                                          "/a?b?c",
                                          "/a?/b",
                                          "/a;b",
                                          "/a=b&c",
                                          "/:80",
                                          "/@",
                                          "/%41",
                                          "/%2F",
                                          "/a%20b",
                                          "/a/./b",
                                          "/a/../b",
                                          "/!$&'()*+,;=:@-._~",
                                          "/?%",
                                          "/a?http://b/",
                                          "/http://a/",
                                          "http://a",
                                          "http://a/",
                                          "http://a/b",
                                          "http://a?b",
                                          "http://a:80/",
                                          "http://a:/",
                                          "HTTP://A/",
                                          "https://a/",
                                          "http://127.0.0.1/",
                                          "http://[::1]/",
                                          "http://[::1]:80/",
                                          "http://a.example/b?c=http://d/",
                                          "http://other.example/"})
        rows.push_back(accepted(to(target), {"GET 0"}));
    for (const std::string_view target : {"a",
                                          "a/b",
                                          "?a",
                                          "?",
                                          ".",
                                          "..",
                                          "./",
                                          "../",
                                          "%2F",
                                          "*",
                                          "**",
                                          "*a",
                                          "*?",
                                          "/#",
                                          "/#a",
                                          "/a#",
                                          "#",
                                          "#/",
                                          "a:80",
                                          "a.example:80",
                                          "[::1]:80",
                                          "http:",
                                          "http:/",
                                          "http:/a",
                                          "http:a",
                                          "http//a",
                                          "http://",
                                          "http:///",
                                          "http:///a",
                                          "http://:80/",
                                          "http://?",
                                          "http://#",
                                          "http://u@a/",
                                          "http://u:p@a/",
                                          "http://@a/",
                                          "http://a:b/",
                                          "http://a:123456/",
                                          "http://a:-1/",
                                          "http://a:80:80/",
                                          "http://a\\b/",
                                          "http://a#b",
                                          "http://a/#b",
                                          "http://a,b/",
                                          "http://[::1/",
                                          "http://::1]/",
                                          "http://[]/",
                                          "http://[g]/",
                                          "http://[::1]a/",
                                          "http://a..b/",
                                          "http://\xC3\xA9/",
                                          "http://%61/",
                                          "://a/",
                                          "//a b",
                                          "ftp://a/",
                                          "ws://a/",
                                          "file:///a",
                                          "urn:a",
                                          "mailto:a@b",
                                          "javascript://a/",
                                          "httpx://a/",
                                          "xhttp://a/",
                                          "/\xC3\xA9",
                                          "/\x80",
                                          "/\xFF",
                                          "/%",
                                          "/%1",
                                          "/%g1",
                                          "/%1g",
                                          "/%%",
                                          "/a%",
                                          "/%u0041",
                                          "/%00",
                                          "/a%00b",
                                          "http://a/%"})
        rows.push_back(refused(to(target)));
    // nginx resolves dot segments and refuses paths that lead above the root. Consentry compares paths as sent, and no
    // endpoint has dot segments.
    constexpr std::string_view dots =
        "RFC 3986 section 5.2.4: dots above the root are dropped; the path is well-formed";
    for (const std::string_view target : {"/..", "/../", "/../a", "/a/../../b", "/%2e%2e/", "http://a/../"})
        rows.push_back(accepted(to(target), {"GET 0"}, {{nginx, dots}}));
    rows.push_back(accepted(line("OPTIONS * HTTP/1.1"), {"OPTIONS 0"},
                            {{nginx, "RFC 9112 section 3.2.4: the asterisk-form is for OPTIONS"}}));
    for (const std::string_view method : {"GET", "POST", "HEAD", "DELETE", "TRACE", "CONNECT", "options"})
        rows.push_back(refused(line(std::string{method} + " * HTTP/1.1")));
    rows.push_back(refused(to("/" + std::string(8192, 'a')), 414));
    rows.push_back(accepted(to("/" + std::string(8000, 'a')), {"GET 0"}));
}

}  // namespace

FramingRows line_framings() {
    FramingRows rows;
    add_methods(rows);
    add_versions(rows);
    add_targets(rows);
    return rows;
}

}  // namespace consentry::tests
