#include "http/response.hpp"

#include <string>

#include <gtest/gtest.h>

#include "http/response_writer.hpp"

namespace consentry::http {
namespace {

constexpr std::string_view date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

std::string written(const Response& response, bool head = false, ConnectionLine line = ConnectionLine::silent) {
    std::string out;
    append_response(out, response, head, BodyEnd::length, line, date);
    return out;
}

Response answer(unsigned status, std::string body) {
    Response response;
    response.status = status;
    response.body = std::move(body);
    response.add_header("x-version", "1");
    return response;
}

TEST(ResponseWriter, WritesTheWholeAnswer) {
    EXPECT_EQ(written(answer(200, "hello")),
              "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + std::string{date} + "x-version: 1\r\n\r\nhello");
    EXPECT_EQ(written(answer(404, ""), false, ConnectionLine::close),
              "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n" + std::string{date} +
                  "Connection: close\r\nx-version: 1\r\n\r\n");
    EXPECT_EQ(written(answer(599, ""), false, ConnectionLine::keep_alive),
              "HTTP/1.1 599 Unknown\r\nContent-Length: 0\r\n" + std::string{date} +
                  "Connection: keep-alive\r\nx-version: 1\r\n\r\n");
}

TEST(ResponseWriter, TellsTheLengthButNotTheBodyForHead) {
    EXPECT_EQ(written(answer(200, "hello"), true),
              "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + std::string{date} + "x-version: 1\r\n\r\n");
}

TEST(ResponseWriter, WritesNoBodyWhereTheStatusForbidsIt) {
    for (const unsigned status : {204U, 304U}) {
        const std::string text = written(answer(status, "never"));
        EXPECT_EQ(text.find("never"), std::string::npos) << status;
        EXPECT_EQ(text.find("Content-Length"), std::string::npos) << status;
    }
}

TEST(DateLine, IsTheFixedFormOfRfc9110) {
    DateLine line;
    EXPECT_EQ(line.at(784111777), date);
    EXPECT_EQ(line.at(0), "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
    EXPECT_EQ(line.at(1795173607), "Date: Fri, 20 Nov 2026 11:20:07 GMT\r\n");
}

TEST(ReasonPhrase, NamesEveryStatusOfTheService) {
    for (const unsigned status : {200U, 201U, 204U, 304U, 400U, 401U, 403U, 404U, 405U, 406U, 408U, 409U,
                                  413U, 414U, 415U, 417U, 422U, 429U, 431U, 500U, 501U, 503U, 505U})
        EXPECT_NE(reason_phrase(status), "Unknown") << status;
    EXPECT_EQ(reason_phrase(299), "Unknown");
}

}  // namespace
}  // namespace consentry::http
