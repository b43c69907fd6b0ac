// The chunked transfer coding: RFC 9112 section 7.1.
#include "tests/http/framing_table.hpp"

namespace consentry::tests {
namespace {

std::string chunk(std::string_view size_line) { return chunked(std::string{size_line} + "\r\nabc\r\n0\r\n\r\n"); }
std::string trailer(std::string_view section) {
    return chunked("3\r\nabc\r\n0\r\n" + std::string{section} + "\r\n\r\n");
}

void add_sizes(FramingRows& rows) {
    for (const std::string_view size : {"",
                                        " ",
                                        "+3",
                                        "-3",
                                        "-0",
                                        "0x3",
                                        "0X3",
                                        "x3",
                                        "3h",
                                        "3x",
                                        "g",
                                        "3g",
                                        "3 ",
                                        "3\t",
                                        " 3",
                                        "\t3",
                                        "3,",
                                        ",3",
                                        "3.0",
                                        "3_",
                                        "_3",
                                        "\"3\"",
                                        "(3)",
                                        "3:",
                                        "3=",
                                        "3\\",
                                        "3 3",
                                        "\xD9\xA3",
                                        "\xEF\xBC\x93",
                                        "3\xA0",
                                        "000000003",
                                        "00000000000000003",
                                        "100000003",
                                        "10000000000000003",
                                        "1000000000000000000000003",
                                        "FFFFFFFFFFFFFFFF",
                                        "FFFFFFFFFFFFFFFD",
                                        "7FFFFFFFFFFFFFFF",
                                        "-FFFFFFFFFFFFFFFD"})
        rows.push_back(refused(chunk(size)));
    for (const std::string_view size : {"80000003", "7FFFFFFF", "FFFFFFFD", "100001"})
        rows.push_back(refused(chunk(size), 413));
    for (const std::string_view size : {"3", "03", "00000003"}) rows.push_back(accepted(chunk(size), {"POST 3"}));
    rows.push_back(accepted(chunked("a\r\n0123456789\r\n0\r\n\r\n"), {"POST 10"}));
    rows.push_back(accepted(chunked("A\r\n0123456789\r\n0\r\n\r\n"), {"POST 10"}));
    rows.push_back(accepted(chunked("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n"), {"POST 3"}));
    rows.push_back(accepted(chunked("3\r\nabc\r\n00\r\n\r\n"), {"POST 3"}));
    rows.push_back(accepted(chunked("0\r\n\r\n"), {"POST 0"}));
}

// *( ";" name [ "=" value ] ) without white space. RFC 9112 permits white space there only for old senders.
void add_extensions(FramingRows& rows) {
    for (const std::string_view extension : {";a", ";a=b", ";a=b;c=d", ";a;b;c", ";a=\"b\"", ";a=\"b;c\"", ";a=\"b c\"",
                                             ";a=\"\\\"\"", ";a=\"\"", ";a=\"b\";c=d", ";!#$%&'*+-.^_`|~=1"})
        rows.push_back(accepted(chunk("3" + std::string{extension}), {"POST 3"}));
    rows.push_back(accepted(chunked("3\r\nabc\r\n0;last=1\r\n\r\n"), {"POST 3"}));
    for (const std::string_view extension :
         {";",      ";;",        ";a;",         ";;a",    ";=b",       ";a=",       ";a=;b",    ";a==b",   ";a=b=c",
          "; a",    ";a ",       ";a =b",       ";a= b",  " ;a",       "\t;a",      ";\ta",     ";a b",    ";a,b",
          ";a=b,c", ";a=(b)",    ";(a)",        ";a=\"b", ";a=\"b\"c", ";a=b\"c\"", ";\"a\"=b", ";a=\"\\", ";a/b",
          ";a:b",   ";\xC3\xA9", ";a=\xC3\xA9", ":a=b",   ",a=b",      "&a=b",      "/a",       "#a"})
        rows.push_back(refused(chunk("3" + std::string{extension})));
    rows.push_back(refused(chunk("3;a=\"\r\n\"")));
    rows.push_back(refused(chunk("3;a=\"\n\"")));
    rows.push_back(refused(chunk("3;a\n")));
    rows.push_back(refused(chunk("3;" + std::string(5000, 'e'))));
    rows.push_back(refused(chunked("3\r\nabc\r\n0;\r\n\r\n")));
}

void add_data(FramingRows& rows) {
    for (const std::string_view body : {"3\r\nabcd\r\n0\r\n\r\n",
                                        "3\r\nab\r\n0\r\n\r\n",
                                        "3\r\nabc0\r\n\r\n",
                                        "3\r\nabc\n0\r\n\r\n",
                                        "3\r\nabc\r0\r\n\r\n",
                                        "3\r\nabc\r\r\n0\r\n\r\n",
                                        "3\r\nabc\n\r\n0\r\n\r\n",
                                        "3\r\nabc \r\n0\r\n\r\n",
                                        "3\r\nabc\r\n\r\n0\r\n\r\n",
                                        "3\nabc\r\n0\r\n\r\n",
                                        "3\rabc\r\n0\r\n\r\n",
                                        "3\r\r\nabc\r\n0\r\n\r\n",
                                        "\r\n3\r\nabc\r\n0\r\n\r\n",
                                        "3\r\nabc\r\n0\n\r\n",
                                        "3\r\nabc\r\n0\r\n\n",
                                        "3\r\nabc\r\n0\n\n",
                                        "3\r\nabc\r\n0\r\r\n",
                                        "3\r\nabc\r\n0\r\n\r\r\n",
                                        "3\r\nabc\r\n 0\r\n\r\n",
                                        "3\r\nabc\r\n0 \r\n\r\n",
                                        "3\r\nabc\r\n-0\r\n\r\n",
                                        "3\r\nabc\r\n0x0\r\n\r\n",
                                        "3\r\nabc\r\n\r\n\r\n",
                                        "abc",
                                        "{\"a\":1}",
                                        "\n0\r\n\r\n",
                                        "0\r\n0\r\n\r\n",
                                        "0\r\nabc\r\n\r\n",
                                        "3;a\nabc\r\n0\r\n\r\n",
                                        "3\r\nabc\r\n000000000\r\n\r\n"})
        rows.push_back(refused(chunked(body)));
    // The first data bytes are hexadecimal digits, so they spell a size. That many bytes never arrive.
    for (const std::string_view body : {"3abc\r\n0\r\n\r\n", "abc\r\n"}) rows.push_back(refused(chunked(body), 408));
}

void add_trailers(FramingRows& rows) {
    for (const std::string_view section : {"T: v", "T:v", "T:", "T: \t v \t", "T: v\r\nU: w", "T: \xC3\xA9", "T: a:b"})
        rows.push_back(accepted(trailer(section), {"POST 3"}));
    // Fields that may not appear in trailers are dropped like all others (RFC 9110 section 6.5.1) and do not affect
    // framing.
    for (const std::string_view section : {"Host: b", "Authorization: Bearer x", "Connection: keep-alive", "Expect: x"})
        rows.push_back(accepted(trailer(section), {"POST 3"}));
    rows.push_back(accepted(trailer("Connection: close"), {"POST 3"},
                            {{Reader::node, "RFC 9110 section 6.5.1: a trailer is not merged into the head"}}));
    for (const std::string_view section :
         {"T", "T v", "two words: v", "T : v", "T\t: v", " T: v", "\tT: v", ": v", ":", "T: v\r\n folded",
          "T: v\r\n\tfolded", "T: v\nU: w", "T: v\rU: w", "T(: v", "\"T\": v", "T\xC3\xA9: v", "T: v\r\r\nU: w",
          "GET /victim HTTP/1.1", "GET /victim HTTP/1.1\r\nHost: a"})
        rows.push_back(refused(trailer(section)));
    rows.push_back(refused(trailer("T: " + std::string(5000, 't'))));
    rows.push_back(refused(chunked("3\r\nabc\r\n0\r\nT: v\n\r\n")));
    rows.push_back(refused(chunked("3\r\nabc\r\n0\r\nT: v\r\n\n")));
}

}  // namespace

FramingRows chunk_framings() {
    FramingRows rows;
    add_sizes(rows);
    add_extensions(rows);
    add_data(rows);
    add_trailers(rows);
    return rows;
}

}  // namespace consentry::tests
