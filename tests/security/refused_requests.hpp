// Requests that two readers might understand differently, that break the syntax, or that pass a limit; and the answer
// to each. One line per case: a new one is added here and nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace consentry::test {

using namespace std::string_literals;

struct Refused {
    std::string request;
    unsigned status = 400;
};

// A head around one line of interest, with a body that a mistaken reader would take for the next request.
inline std::string with(std::string_view line, std::string_view body = "") {
    return "POST /victim HTTP/1.1\r\nHost: example.com\r\n" + std::string{line} + "\r\n\r\n" + std::string{body};
}
inline std::string with_host(std::string_view line) {
    return "GET /victim HTTP/1.1\r\n" + std::string{line} + "\r\n\r\n";
}
inline std::string to(std::string_view target) { return "GET " + std::string{target} + " HTTP/1.1\r\nHost: a\r\n\r\n"; }
inline std::string chunked(std::string_view body) { return with("Transfer-Encoding: chunked", body); }

inline std::vector<Refused> refused_requests() {
    return {
        // Two readings of the length.
        {with("Content-Length: 3\r\nTransfer-Encoding: chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked\r\nContent-Length: 3", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked\r\nContent-Length: 0", "0\r\n\r\n")},
        {with("Content-Length: 3\r\nContent-Length: 4", "abc")},
        {with("Content-Length: 3\r\nContent-Length: 3", "abc")},
        {with("Content-Length: 3\r\ncontent-length: 3", "abc")},
        {with("Content-Length: 3\r\nX: y\r\nContent-Length: 3", "abc")},
        {with("Content-Length: 0\r\nContent-Length: 3", "abc")},
        {with("Content-Length: 5,5", "abcde")},
        {with("Content-Length: 5, 5", "abcde")},
        {with("Content-Length: 5,6", "abcde")},
        {with("Content-Length: ,5", "abcde")},
        {with("Content-Length: 5,", "abcde")},
        {with("Content-Length: +5", "abcde")},
        {with("Content-Length: -5", "abcde")},
        {with("Content-Length: 0x5", "abcde")},
        {with("Content-Length: 5x", "abcde")},
        {with("Content-Length: 5 5", "abcde")},
        {with("Content-Length: 5;", "abcde")},
        {with("Content-Length: \"5\"", "abcde")},
        {with("Content-Length: 5.0", "abcde")},
        {with("Content-Length: 5e0", "abcde")},
        {with("Content-Length: 1_0", "abcdeabcde")},
        {with("Content-Length:")},
        {with("Content-Length: abc")},
        {with("Content-Length: \xD9\xA5", "abcde")},
        {with("Content-Length: 99999999999999999999999999")},
        {with("Content-Length : 3", "abc")},
        {with("Content-Length\t: 3", "abc")},
        {with(" Content-Length: 3", "abc")},
        {with("Content-Length\x0B: 3", "abc")},
        {with("Content-Length: \x0B"
              "3",
              "abc")},
        {with("Content-Length: 3\x0C", "abc")},
        {with("Content_Length: 3\r\nContent-Length: 3\r\nContent-Length: 3", "abc")},
        {with("Transfer-Encoding: xchunked", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunkedx", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked, chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked,", "0\r\n\r\n")},
        {with("Transfer-Encoding: ,chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked;q=1", "0\r\n\r\n")},
        {with("Transfer-Encoding: gzip, chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked, gzip", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked, identity", "0\r\n\r\n")},
        {with("Transfer-Encoding: identity", "0\r\n\r\n")},
        {with("Transfer-Encoding: identity, chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding: gzip", "0\r\n\r\n")},
        {with("Transfer-Encoding:", "0\r\n\r\n")},
        {with("Transfer-Encoding: \"chunked\"", "0\r\n\r\n")},
        {with("Transfer-Encoding: \x0B"
              "chunked",
              "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked\x0B", "0\r\n\r\n")},
        {with("Transfer-Encoding: chun\0ked"s, "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n")},
        {with("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding : chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding\r\n : chunked", "0\r\n\r\n")},
        {with("Transfer-Encoding:\r\n chunked", "0\r\n\r\n")},
        {with("X: y\nTransfer-Encoding: chunked", "0\r\n\r\n")},
        {with("X: y\rTransfer-Encoding: chunked", "0\r\n\r\n")},
        {"POST /victim HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        // Chunks.
        {chunked("x\r\n")},
        {chunked("5\nhello\r\n0\r\n\r\n")},
        {chunked("5\r\nhello0\r\n\r\n")},
        {chunked("5\r\nhello!\r\n0\r\n\r\n")},
        {chunked("5\r\nhello\n0\r\n\r\n")},
        {chunked("-1\r\nhello\r\n0\r\n\r\n")},
        {chunked("0x5\r\nhello\r\n0\r\n\r\n")},
        {chunked(" 5\r\nhello\r\n0\r\n\r\n")},
        {chunked("5 \r\nhello\r\n0\r\n\r\n")},
        {chunked("00000000000000005\r\nhello\r\n0\r\n\r\n")},
        {chunked("FFFFFFFFFFFFFFFFF\r\n")},
        {chunked("10000000000000005\r\nhello\r\n0\r\n\r\n")},
        {chunked("\r\n0\r\n\r\n")},
        {chunked(";a=b\r\n0\r\n\r\n")},
        {chunked("5;a\nb\r\nhello\r\n0\r\n\r\n")},
        {chunked("5;a\0b\r\nhello\r\n0\r\n\r\n"s)},
        {chunked("5;" + std::string(5000, 'e') + "\r\nhello\r\n0\r\n\r\n")},
        {chunked("0\r\n folded: trailer\r\n\r\n")},
        {chunked("0\r\nbad trailer: x\r\n\r\n")},
        {chunked("0\r\na: b\nc: d\r\n\r\n")},
        {chunked("0\r\na: " + std::string(5000, 't') + "\r\n\r\n")},
        {chunked("0\r\n\n")},
        // Line ends, folds, control characters.
        {"GET /victim HTTP/1.1\nHost: a\n\n"},
        {"GET /victim HTTP/1.1\r\nHost: a\n\r\n"},
        {"GET /victim HTTP/1.1\r\nHost: a\r\n\n"},
        {"GET /victim HTTP/1.1\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1.1\rHost: a\r\n\r\n"},
        {"GET /victim HTTP/1.1\r\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1.1\r\nHost: a\r\r\n\r\n"},
        {"\nGET /victim HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"\r\n\r\nGET /victim HTTP/1.1\r\nHost: a\r\n\r\n"},
        {" GET /victim HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"\0GET /victim HTTP/1.1\r\nHost: a\r\n\r\n"s},
        {with("X: a\0b"s)},
        {with("X: a\x01"
              "b")},
        {with("X: a\x08"
              "b")},
        {with("X: a\x1B[0m")},
        {with("X: a\x7F"
              "b")},
        {with("X: a\r b")},
        {with("X: a\r\n b")},
        {with("X: a\r\n\tb")},
        {"GET /victim HTTP/1.1\r\n Host: a\r\n\r\n"},
        {"GET /victim HTTP/1.1\r\n\tX: y\r\nHost: a\r\n\r\n"},
        // Header names.
        {with(": no name")},
        {with("no colon")},
        {with("two words: x")},
        {with("X : x")},
        {with("X\t: x")},
        {with("X\0: x"s)},
        {with("X(: x")},
        {with("X\xC3\xA9: x")},
        {with("\"X\": x")},
        {with("X/Y: x")},
        {with("@: x")},
        // Host.
        {"GET /victim HTTP/1.1\r\n\r\n"},
        {with_host("X: y")},
        {with_host("Host:")},
        {with_host("Host: a\r\nHost: a")},
        {with_host("Host: a\r\nHost: b")},
        {with_host("Host: a\r\nhost: a")},
        {with_host("Host: a, b")},
        {with_host("Host: a b")},
        {with_host("Host: a/b")},
        {with_host("Host: user@a")},
        {with_host("Host: a:b")},
        {with_host("Host: a:80:80")},
        {with_host("Host: a:123456")},
        {with_host("Host: :80")},
        {with_host("Host: [::1")},
        {with_host("Host: [::1]x")},
        {with_host("Host: [g::1]")},
        {with_host("Host: []")},
        {with_host("Host: a%0d%0aX: y")},
        {with_host("Host: a?b")},
        {with_host("Host: a#b")},
        {with_host("Host: a\\b")},
        {with_host("Host: \xC3\xA9.example")},
        {with_host("Host: http://a")},
        {with_host("Host : a")},
        {"GET /victim HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"},
        {"GET /victim HTTP/1.0\r\nHost: a b\r\n\r\n"},
        // Targets.
        {to("victim")},
        {to("*")},
        {to("a:80")},

        {to("ftp://a/victim")},
        {to("http:/victim")},
        {to("http:///victim")},
        {to("http://user@a/victim")},
        {to("http://a b/victim")},
        {to("http://a:x/victim")},
        {to("javascript://a/victim")},
        {to("/victim#fragment")},
        {to("/a b")},
        {to("/a\tb")},
        {to("/a\x01"
            "b")},
        {to("/a\x7F"
            "b")},
        {to("/a\xC3\xA9")},
        {to("/a\0b"s)},
        {to("")},
        {to(" /victim")},
        {"CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"},
        {"OPTIONS a HTTP/1.1\r\nHost: a\r\n\r\n"},
        // Request lines and versions.
        {"GET /victim\r\n\r\n"},
        {"GET /victim \r\nHost: a\r\n\r\n"},
        {"GET\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1.1 \r\nHost: a\r\n\r\n"},
        {"GET /victim  HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"GET\t/victim HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1.1 extra\r\nHost: a\r\n\r\n"},
        {"GET /victim http/1.1\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1.\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/11\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1.10\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/01.1\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1,1\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTPS/1.1\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/1.1X: y\r\nHost: a\r\n\r\n"},
        {"G@T /victim HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"(GET) /victim HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"GET /victim HTTP/0.9\r\nHost: a\r\n\r\n", 505},
        {"GET /victim HTTP/1.2\r\nHost: a\r\n\r\n", 505},
        {"GET /victim HTTP/2.0\r\nHost: a\r\n\r\n", 505},
        {"GET /victim HTTP/9.9\r\nHost: a\r\n\r\n", 505},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"GET /one HTTP/1.1\r\nHost: a\r\nGET /victim HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03"s},
        {"\r\n\r\n"},
        // Connection and Expect.
        {with("Connection: close\x01")},
        {with("Connection: (close)")},
        {with("Content-Length: 3\r\nExpect: 200-ok", "abc"), 417},
        {with("Content-Length: 3\r\nExpect: 100-continue, x", "abc"), 417},
        {with("Content-Length: 3\r\nExpect: 100-continue\r\nExpect: 100-continue", "abc"), 417},
        // Limits.
        {to("/" + std::string(9000, 'a')), 414},
        {to("/" + std::string(20000, 'a')), 414},
        {with("X: " + std::string(20000, 'x')), 431},
        {with("Content-Length: 1048577"), 413},
        {with("Content-Length: 18446744073709551615"), 413},
        {with("Content-Type: application/json\r\nContent-Length: 512001"), 413},
        {with("Content-Type: Application/Problem+JSON; charset=utf-8\r\nContent-Length: 512001"), 413},
        {chunked("100001\r\n"), 413},
        {chunked("FFFFFFFF\r\n"), 413},
    };
}

}  // namespace consentry::test
