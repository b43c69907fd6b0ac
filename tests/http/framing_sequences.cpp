// Pipelined requests: each begins exactly where the previous one ends, or it is refused.
#include "tests/http/framing_table.hpp"

namespace consentry::tests {
namespace {

const std::string get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

std::string post(std::string_view length, std::string_view body) {
    return "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::string{length} + "\r\n\r\n" + std::string{body};
}
std::string post_chunks(std::string_view body) {
    return "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string{body};
}
std::string post(std::string_view body) { return post(std::to_string(body.size()), body); }
std::string hex(std::size_t number) {
    std::string out;
    for (; number > 0; number /= 16) out.insert(out.begin(), "0123456789abcdef"[number % 16]);
    return out;
}

}  // namespace

FramingRows sequence_framings() {
    FramingRows rows;
    rows.push_back(accepted(get + get + get, {"GET 0", "GET 0", "GET 0"}));
    rows.push_back(accepted(get + post("abc") + get, {"GET 0", "POST 3", "GET 0"}));
    rows.push_back(
        accepted(post("abc") + post_chunks("2\r\nab\r\n0\r\n\r\n") + post(""), {"POST 3", "POST 2", "POST 0"}));
    // A body that looks like a request remains a body.
    rows.push_back(accepted(post(hidden), {"POST " + std::to_string(hidden.size())}));
    rows.push_back(accepted(post(get + hidden) + get, {"POST " + std::to_string(get.size() + hidden.size()), "GET 0"}));
    rows.push_back(accepted(post_chunks(hex(hidden.size()) + "\r\n" + hidden + "\r\n0\r\n\r\n"),
                            {"POST " + std::to_string(hidden.size())}));
    rows.push_back(accepted(post("0\r\n\r\n" + hidden), {"POST " + std::to_string(hidden.size() + 5)}));
    // The body is longer than declared. The excess begins the next request and must be valid as such.
    for (const std::string_view rest : {" ", "d ", "\t", "\"", "{}", "\n", "\r", "\r\n\r\n", "0\r\n\r\n", "\x80"})
        rows.push_back(refused(post("3", "abc" + std::string{rest}), 400, {"POST 3"}));
    rows.push_back(refused(post("3", "abcd"), 405, {"POST 3"}));  // "dGET /behind ..." is left
    rows.push_back(refused(post("0", get + " "), 400, {"POST 0", "GET 0"}));
    rows.push_back(refused(post("0", "0\r\n\r\n" + hidden), 400, {"POST 0"}));
    // RFC 9112 section 2.2: the reader ignores one empty line before a request.
    rows.push_back(accepted("\r\n" + get, {"GET 0"}));
    rows.push_back(accepted(post("3", "abc\r\n") + get, {"POST 3", "GET 0"}));
    rows.push_back(accepted(get + "\r\n" + get + "\r\n", {"GET 0", "GET 0"}));
    for (const std::string_view lines :
         {"\r\n\r\n", "\r\n\r\n\r\n", "\n", "\r", "\r\r\n", "\n\r\n", "\r\n\n", "\r\n ", " \r\n"})
        rows.push_back(refused(get + std::string{lines} + get, 400, {"GET 0"}));
    // The body is shorter than declared. It absorbs the beginning of the next request, or it never completes.
    rows.push_back(refused(post("8", "abc"), 400, {"POST 8"}));  // "behind HTTP/1.1 ..." is left
    rows.push_back(refused(post_chunks("8\r\nabc")));
    rows.push_back(refused(post("100000", "abc"), 408));
    rows.push_back(refused(post_chunks("3\r\nabc\r\n"), 400));
    // After an answer that closes the connection, the reader reads nothing more.
    const std::string close = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    rows.push_back(accepted_and_closed(close + hidden, {"GET 0"}));
    rows.push_back(accepted_and_closed("GET /a HTTP/1.0\r\n\r\n" + hidden, {"GET 0"}));
    for (const std::string_view bad :
         {"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
          "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
          "Content-Length: 3\r\n\r\nabc",
          "\x16\x03\x01", "quit\r\n", "{}\r\n", "\xFF", "HTTP/1.1 200 OK\r\n\r\n"})
        rows.push_back(refused(get + post("abc") + std::string{bad} + hidden, 400, {"GET 0", "POST 3"}));
    rows.push_back(refused(get + "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n" + hidden, 405, {"GET 0"}));
    rows.push_back(refused(get + "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n" + hidden, 405, {"GET 0"}));
    return rows;
}

}  // namespace consentry::tests
