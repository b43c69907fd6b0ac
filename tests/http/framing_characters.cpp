// Characters that may appear nowhere in a message, tried at every position (RFC 9110 section 5.5, RFC 9112 section
// 2.2): control characters, and line ends other than CR LF.
#include "tests/http/framing_table.hpp"

namespace consentry::tests {
namespace {

const std::vector<std::string>& places() {
    static const std::vector<std::string> all{
        "@GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "G@ET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET@ / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET @/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a@b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a?b@c HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a@/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /@ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / @HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1@.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1@\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\n@Host: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHo@st: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost@: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:@a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a@\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: @y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y@z\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y@\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n@\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: @3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3@\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: @chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked@\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n@3\r\nabc\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3@\r\nabc\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a@b\r\nabc\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"@\"\r\nabc\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc@\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0@\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT@: v\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: v@w\r\n\r\n",
    };
    return all;
}

}  // namespace

FramingRows character_framings() {
    FramingRows rows;
    for (const std::string& place : places())
        for (const std::string& c :
             {"\0"s, "\x01"s, "\x08"s, "\x0B"s, "\x0C"s, "\x1B"s, "\x1F"s, "\x7F"s, "\r"s, "\n"s})
            rows.push_back(refused(at_mark(place, c)));
    // The same lines, ended throughout by a sequence that only some readers accept as a line end.
    for (const std::string_view end : {"\n", "\r", "\r\r\n", "\n\r", "\n\n", "\r\n\r", "\x0B", "\x0C"}) {
        const std::string e{end};
        rows.push_back(refused("GET / HTTP/1.1" + e + "Host: a" + e + "X: y" + e + e));
        rows.push_back(refused("GET / HTTP/1.1" + e + "Host: a\r\nX: y\r\n\r\n"));
        rows.push_back(refused("GET / HTTP/1.1\r\nHost: a" + e + "X: y\r\n\r\n"));
        rows.push_back(
            refused("POST / HTTP/1.1\r\nHost: a\r\nX: y" + e + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"));
    }
    return rows;
}

}  // namespace consentry::tests
