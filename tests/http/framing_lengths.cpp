// Where a body ends: RFC 9112 section 6. A length consists of digits only, and chunked is the only transfer coding.
#include "tests/http/framing_table.hpp"

namespace consentry::tests {
namespace {

void add_content_lengths(FramingRows& rows) {
    for (const std::string_view value : {"",
                                         "+3",
                                         "+0",
                                         "-0",
                                         "-3",
                                         "0x3",
                                         "0X3",
                                         "3h",
                                         "03h",
                                         "0b11",
                                         "0o3",
                                         "3.",
                                         "3.0",
                                         ".3",
                                         "3e0",
                                         "3E0",
                                         "3L",
                                         "3u",
                                         "3 3",
                                         "3\t3",
                                         "3,3",
                                         "3, 3",
                                         "3 ,3",
                                         "3,",
                                         ",3",
                                         ",",
                                         ",,",
                                         "3;",
                                         "3;q=1",
                                         "3=",
                                         "\"3\"",
                                         "'3'",
                                         "(3)",
                                         "3/3",
                                         "3:3",
                                         "3|3",
                                         "3%33",
                                         "%33",
                                         "1_0",
                                         "1'000",
                                         "1,000",
                                         "three",
                                         "NaN",
                                         "Infinity",
                                         "null",
                                         "true",
                                         "*",
                                         "bytes 3",
                                         "3 bytes",
                                         "\xD9\xA3",
                                         "\xEF\xBC\x93",
                                         "\xB3",
                                         "\xC2\xA0"
                                         "3",
                                         "18446744073709551616",
                                         "18446744073709551619",
                                         "340282366920938463463374607431768211459",
                                         "-18446744073709551613"})
        rows.push_back(refused(with("Content-Length: " + std::string{value}, "abc")));
    // Lengths that overflow narrower integers than the reader's.
    for (const std::string_view value :
         {"4294967299", "2147483651", "9223372036854775807", "9223372036854775811", "18446744073709551615"})
        rows.push_back(refused(with("Content-Length: " + std::string{value}, "abc"), 413));
    for (const std::string_view value : {"3", "03", "003", "0000000003", " 3", "3 ", "   3   "})
        rows.push_back(accepted(with("Content-Length:" + std::string{value}, "abc"), {"POST 3"}));
    // White space that some readers treat as part of the value.
    for (const std::string_view value : {"\t3", "3\t", " \t3", "\t 3", "3\t ", "3 \t", "  \t 3 \t "})
        rows.push_back(refused(with("Content-Length:" + std::string{value}, "abc")));
    for (const std::string_view name : {"content-length", "CONTENT-LENGTH", "cOnTeNt-LeNgTh"})
        rows.push_back(accepted(with(std::string{name} + ": 3", "abc"), {"POST 3"}));
    // A different field name, so the request has no length and no body.
    for (const std::string_view name : {"Content_Length", "ContentLength", "Content-Lengt", "XContent-Length",
                                        "Content-Length2", "Content-Length-", "Content.Length", "Content--Length"})
        rows.push_back(accepted(with(std::string{name} + ": 3"), {"POST 0"}));
    for (const std::string_view line :
         {"Content-Length : 3", "Content-Length\t: 3", " Content-Length: 3", "\tContent-Length: 3", "Content-Length 3",
          "Content-Length", "Content-Length=3", "Content Length: 3", "Content-Length:\r\n 3", "Content-Length\r\n: 3",
          "Content-Length:\r\n\t3", "Content-\r\n Length: 3", "X: y\r\n Content-Length: 3"})
        rows.push_back(refused(with(line, "abc")));
    for (const auto& [first, second] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{{"3", "3"},
                                                                              {"3", "03"},
                                                                              {"3", "4"},
                                                                              {"4", "3"},
                                                                              {"0", "3"},
                                                                              {"3", "0"},
                                                                              {"0", "0"},
                                                                              {"3", ""},
                                                                              {"", "3"},
                                                                              {"3", "x"},
                                                                              {"x", "3"},
                                                                              {"3", "+3"},
                                                                              {"3", "3,3"}})
        for (const std::string_view between : {"", "X: y\r\n"})
            rows.push_back(refused(with("Content-Length: " + std::string{first} + "\r\n" + std::string{between} +
                                            "content-length: " + std::string{second},
                                        "abc")));
}

void add_transfer_encodings(FramingRows& rows) {
    const std::string chunk = "3\r\nabc\r\n0\r\n\r\n";
    for (const std::string_view value : {"",
                                         ",",
                                         ",,",
                                         "chunked,",
                                         ",chunked",
                                         " , chunked",
                                         "chunked ,",
                                         "chunked, ,",
                                         "chunked chunked",
                                         "chunked;",
                                         "chunked;q=1",
                                         "chunked; q=0",
                                         "chunked ;a=b",
                                         "chunked=1",
                                         "chunked/1",
                                         "\"chunked\"",
                                         "'chunked'",
                                         "[chunked]",
                                         "(chunked)",
                                         "<chunked>",
                                         "chunked\\",
                                         "chunked-",
                                         "-chunked",
                                         "chunkedx",
                                         "xchunked",
                                         "x-chunked",
                                         "chunke",
                                         "chunk",
                                         "hunked",
                                         "chunked\xA0",
                                         "\xA0"
                                         "chunked",
                                         "\xC4\x8Bhunked",
                                         "chun ked",
                                         "chun-ked",
                                         "identity",
                                         "identity, chunked",
                                         "identity,chunked",
                                         "chunked, identity",
                                         "identity;q=1, chunked",
                                         "gzip",
                                         "gzip, chunked",
                                         "gzip,chunked",
                                         "chunked, gzip",
                                         "chunked,gzip",
                                         "deflate, chunked",
                                         "compress, chunked",
                                         "x-gzip, chunked",
                                         "br, chunked",
                                         "zstd",
                                         "trailers",
                                         "trailers, chunked",
                                         "chunked, chunked",
                                         "chunked,chunked",
                                         "chunked, CHUNKED",
                                         "*",
                                         "*, chunked",
                                         "none",
                                         "0",
                                         "3",
                                         "null",
                                         "unknown, chunked"})
        rows.push_back(refused(with("Transfer-Encoding: " + std::string{value}, chunk)));
    for (const std::string_view line :
         {"Transfer-Encoding:chunked", "Transfer-Encoding:  chunked  ", "transfer-encoding: chunked",
          "TRANSFER-ENCODING: CHUNKED", "Transfer-Encoding: cHuNkEd"})
        rows.push_back(accepted(with(line, chunk), {"POST 3"}));
    for (const std::string_view line : {"Transfer-Encoding:\tchunked",
                                        "Transfer-Encoding: \t chunked",
                                        "Transfer-Encoding: chunked\t",
                                        "Transfer-Encoding: chunked \t ",
                                        "Transfer-Encoding : chunked",
                                        "Transfer-Encoding\t: chunked",
                                        " Transfer-Encoding: chunked",
                                        "Transfer-Encoding chunked",
                                        "Transfer-Encoding",
                                        "Transfer Encoding: chunked",
                                        "Transfer-Encoding:\r\n chunked",
                                        "Transfer-Encoding:\r\n\tchunked",
                                        "Transfer-Encoding\r\n: chunked",
                                        "Transfer-Encoding: chunked\r\n ",
                                        "Transfer-Encoding: chunked\r\n , identity",
                                        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                                        "Transfer-Encoding: chunked\r\nX: y\r\ntransfer-encoding: chunked",
                                        "Transfer-Encoding: chunked\r\nTransfer-Encoding:",
                                        "Transfer-Encoding:\r\nTransfer-Encoding: chunked",
                                        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                                        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
                                        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip",
                                        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
                                        "X: y\r\n Transfer-Encoding: chunked"})
        rows.push_back(refused(with(line, chunk)));
    // A different field name, so the request has no body and no bytes may follow.
    for (const std::string_view name : {"Transfer_Encoding", "TransferEncoding", "X-Transfer-Encoding",
                                        "Transfer-Encoding-", "Transfer-Encodings", "TE", "Content-Transfer-Encoding"})
        rows.push_back(accepted(with(std::string{name} + ": chunked"), {"POST 0"}));
    for (const std::string_view more : {"", "Connection: keep-alive\r\n", "Content-Length: 13\r\n"})
        rows.push_back(refused("POST / HTTP/1.0\r\nHost: a\r\n" + std::string{more} +
                               "Transfer-Encoding: chunked\r\n\r\n" + chunk));
}

// RFC 9112 section 6.1: a message with both "ought to be handled as an error".
void add_both(FramingRows& rows) {
    for (const std::string_view length : {"0", "3", "5", "13", "x", ""})
        for (const std::string_view coding : {"chunked", "identity", "xchunked", "chunked, chunked", ""}) {
            const std::string first = "Content-Length: " + std::string{length};
            const std::string second = "Transfer-Encoding: " + std::string{coding};
            rows.push_back(refused(with(first + "\r\n" + second, "3\r\nabc\r\n0\r\n\r\n")));
            rows.push_back(refused(with(second + "\r\n" + first, "3\r\nabc\r\n0\r\n\r\n")));
        }
    rows.push_back(refused(with("Transfer-Encoding: chunked\r\nConnection: Transfer-Encoding\r\nContent-Length: 13",
                                "3\r\nabc\r\n0\r\n\r\n")));
}

// With any method, a length indicates a body (RFC 9110 section 9.3, RFC 9112 section 6.3).
void add_length_methods(FramingRows& rows) {
    for (const std::string method : {"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
        const std::string head = method + " / HTTP/1.1\r\nHost: a\r\n";
        rows.push_back(accepted(head + "Content-Length: 3\r\n\r\nabc", {method + " 3"}));
        rows.push_back(accepted(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", {method + " 3"}));
        rows.push_back(accepted(head + "Content-Length: 0\r\n\r\n", {method + " 0"}));
        rows.push_back(accepted(head + "\r\n", {method + " 0"}));
        rows.push_back(refused(head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"));
    }
}

}  // namespace

FramingRows length_framings() {
    FramingRows rows;
    add_content_lengths(rows);
    add_transfer_encodings(rows);
    add_both(rows);
    add_length_methods(rows);
    return rows;
}

}  // namespace consentry::tests
