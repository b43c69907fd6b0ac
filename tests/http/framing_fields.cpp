// Header fields: RFC 9112 section 5, RFC 9110 sections 5, 7.2, 7.6.1 and 10.1.1.
#include "tests/http/framing_table.hpp"

namespace consentry::tests {
namespace {

Framing fine(std::string_view line) { return accepted(with(line), {"POST 0"}); }

void add_names(FramingRows& rows) {
    for (const std::string_view c : {" ", "\t", "\"", "(",  ")", ",", "/", ";",    "<",    "=",        ">",
                                     "?", "@",  "[",  "\\", "]", "{", "}", "\x80", "\xA0", "\xC3\xA9", "\xFF"})
        for (const std::string& name : {"X" + std::string{c} + "Y", std::string{c} + "X", "X" + std::string{c}})
            rows.push_back(refused(with(name + ": z")));
    for (const std::string_view c : {"!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~", "0"})
        rows.push_back(fine("X" + std::string{c} + "Y: z"));
    for (const std::string_view text : {":", ": ", ":z", ": z", " : z", "X", "X z", "X\r\n: z", "X \r\n: z",
                                        "X: z\r\nY", "GET / HTTP/1.1", "{}", "=", "X = z", "X, Y: z", "X Y"})
        rows.push_back(refused(with(text)));
    for (const std::string_view text :
         {"X:",          "X: ",          "X:\t",         "X:z",           "X:  z",         "X:\tz",
          "X: z ",       "X: z\t ",      "X:: z",        "X: :",          "X: a:b",        "X: a, b",
          "X: \"a",      "X: (a",        "X: {\"a\":1}", "X: %0d%0aY: z", "X: \\r\\nY: z", "X: \xC3\xA9",
          "X: \x80\xFF", "X: y\r\nX: z", "X: y\r\nx: y"})
        rows.push_back(fine(text));
    // RFC 9112 section 5.2 deprecates line folding, so readers disagree whether a folded line continues the value or
    // starts a new field.
    for (const std::string_view text :
         {"X: y\r\n z", "X: y\r\n\tz", "X: y\r\n z: a", "X: y\r\n \r\nY: z", "X:\r\n y", "X: y\r\n ", "X: y\r\n\t",
          "X: y\r\n  z\r\n  a", "X: y\r\n Host: b", "X: y\r\n Transfer-Encoding: chunked"})
        rows.push_back(refused(with(text)));
    for (const std::string_view first : {" X: y", "\tX: y", " ", "\t", " Host: a"})
        rows.push_back(refused("GET / HTTP/1.1\r\n" + std::string{first} + "\r\nHost: a\r\n\r\n"));
}

void add_hosts(FramingRows& rows) {
    for (const std::string_view host : {"a", "A.Example", "a.", "a-b.c_d", "xn--e1afmkf", "127.0.0.1", "a:80", "a:",
                                        "a:65535", "[::1]", "[::1]:80", "[2001:db8::1]", "[::ffff:127.0.0.1]:8080"})
        rows.push_back(accepted(with_host("Host: " + std::string{host}), {"GET 0"}));
    for (const std::string_view host : {"",
                                        " ",
                                        "\t",
                                        ":",
                                        ":80",
                                        ".",
                                        "..",
                                        ".a",
                                        "a..b",
                                        "a..",
                                        "a b",
                                        "a\tb",
                                        "a,b",
                                        "a, b",
                                        "a;b",
                                        "a/b",
                                        "a/",
                                        "/",
                                        "a?b",
                                        "a#b",
                                        "a\\b",
                                        "a@b",
                                        "@",
                                        "@a",
                                        "u:p@a",
                                        "a:b",
                                        "a:80b",
                                        "a:80:80",
                                        "a:-1",
                                        "a:+80",
                                        "a: 80",
                                        "a :80",
                                        "a:123456",
                                        "a:80/",
                                        "a:80@b",
                                        "a%00",
                                        "a%2e",
                                        "a%0d%0a",
                                        "%61",
                                        "http://a",
                                        "//a",
                                        "\"a\"",
                                        "'a'",
                                        "(a)",
                                        "<a>",
                                        "{a}",
                                        "a|b",
                                        "a^b",
                                        "a`b",
                                        "a!b",
                                        "a$b",
                                        "a&b",
                                        "a*b",
                                        "*",
                                        "*.a",
                                        "a+b",
                                        "a=b",
                                        "a~b",
                                        "\xC3\xA9",
                                        "a\x80",
                                        "a\xA0",
                                        "\xEF\xBC\x8E",
                                        "::1",
                                        "[::1",
                                        "::1]",
                                        "[::1]a",
                                        "[::1]:",
                                        "a[::1]",
                                        "[::1]:b",
                                        "[g::1]",
                                        "[]",
                                        "[:]",
                                        "[::1%25eth0]",
                                        "[v1.a]",
                                        "[[::1]]",
                                        "[::1]]"}) {
        const bool fine = host == "[::1]:";
        rows.push_back(fine ? accepted(with_host("Host: " + std::string{host}), {"GET 0"})
                            : refused(with_host("Host: " + std::string{host})));
    }
    for (const std::string_view lines :
         {"Host: a\r\nHost: a", "Host: a\r\nHost: b", "Host: a\r\nhost: a", "Host: a\r\nX: y\r\nHOST: b",
          "Host: a\r\nHost:", "Host:\r\nHost: a", "Host: a\r\n Host: b", "Host: a\r\n b", " Host: a", "Host : a",
          "Host\t: a", "Host a", "Host", "Host=a", "X-Host: a", "Hos: a", "Host_: a", "X: Host: a"})
        rows.push_back(refused(with_host(lines)));
    rows.push_back(refused("GET / HTTP/1.1\r\n\r\n"));
    rows.push_back(refused("GET http://a/ HTTP/1.1\r\n\r\n"));
    rows.push_back(refused("GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"));
    for (const std::string_view host : {"", "a b", "a/b", "a\r\nHost: a", "a\r\nHost: b"})
        rows.push_back(refused("GET / HTTP/1.0\r\nHost: " + std::string{host} + "\r\n\r\n"));
}

void add_connections(FramingRows& rows) {
    for (const std::string_view value :
         {"keep-alive", "Keep-Alive", "x", "x, y", "Host", "Content-Length", "te", "Transfer-Encoding", "upgrade"})
        rows.push_back(accepted(with("Content-Length: 3\r\nConnection: " + std::string{value}, "abc"), {"POST 3"}));
    for (const std::string_view value : {"close", "Close", "CLOSE", "close, x", "x, close"})
        rows.push_back(
            accepted_and_closed(with("Content-Length: 3\r\nConnection: " + std::string{value}, "abc"), {"POST 3"}));
    rows.push_back(accepted_and_closed(with("Connection: x\r\nConnection: close"), {"POST 0"}));
    for (const std::string_view value : {"(close)", "\"close\"", "close;x", "close x", "clo/se", "close=1", "\xC3\xA9"})
        rows.push_back(refused(with("Connection: " + std::string{value})));
    for (const std::string_view line : {"Upgrade: websocket", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__",
                                        "Proxy-Connection: keep-alive", "Keep-Alive: timeout=5", "TE: trailers",
                                        "TE: chunked", "Trailer: Content-Length", "Content-Encoding: chunked"})
        rows.push_back(fine(line));
}

void add_expectations(FramingRows& rows) {
    for (const std::string_view value : {"100-continue", "100-Continue"})
        rows.push_back(accepted(with("Content-Length: 3\r\nExpect: " + std::string{value}, "abc"), {"POST 3"}));
    for (const std::string_view value :
         {"", "x", "100", "100-continue, 100-continue", "100-continue;q=1", "\"100-continue\"", "200-ok",
          "100-continue x", "100-continue\r\nExpect: 100-continue", "100-continue\r\nExpect: x"})
        rows.push_back(refused(with("Content-Length: 3\r\nExpect: " + std::string{value}, "abc"), 417));
}

}  // namespace

FramingRows field_framings() {
    FramingRows rows;
    add_names(rows);
    add_hosts(rows);
    add_connections(rows);
    add_expectations(rows);
    return rows;
}

}  // namespace consentry::tests
