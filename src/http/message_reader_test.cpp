#include "http/message_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace consentry::http {
namespace {

using State = MessageReader::State;

constexpr ReaderLimits limits{
    .head_bytes_max = 1000, .target_bytes_max = 300, .json_bytes_max = 20'000, .text_bytes_max = 40'000};

// Feeds the reader up to `count` bytes, as one read from the network does.
State feed(MessageReader& reader, std::string_view& bytes, std::size_t count) {
    const auto space = reader.space();
    count = std::min({count, bytes.size(), space.size()});
    std::memcpy(space.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    reader.commit(count);
    return reader.advance();
}

State feed_all(MessageReader& reader, std::string_view bytes, std::size_t piece = 100'000) {
    State state = reader.state();
    while (!bytes.empty() && state != State::complete && state != State::refused) state = feed(reader, bytes, piece);
    return state;
}

TEST(MessageReader, TellsMethodTargetHeadersAndBody) {
    MessageReader reader(limits);
    ASSERT_EQ(feed_all(reader,
                       "PATCH /a/b?c=d?e HTTP/1.1\r\nHost: a\r\nX-Two: 1\r\nx-two:  2 \r\n"
                       "Content-Length: 4\r\n\r\nbody"),
              State::complete);
    const Request& request = reader.request();
    EXPECT_EQ(request.method, Method::patch);
    EXPECT_EQ(request.method_text, "PATCH");
    EXPECT_EQ(request.target, "/a/b?c=d?e");
    EXPECT_EQ(request.path, "/a/b");
    EXPECT_EQ(request.query, "c=d?e");
    EXPECT_EQ(request.version, 11U);
    EXPECT_TRUE(request.keep_alive);
    EXPECT_EQ(request.header("HOST"), "a");
    EXPECT_EQ(request.header("x-two"), "1");
    EXPECT_EQ(request.count("X-TWO"), 2U);
    EXPECT_EQ(request.header("absent"), std::nullopt);
    EXPECT_EQ(request.body, "body");
}

TEST(MessageReader, TakesThePathOutOfAnAbsoluteTarget) {
    const struct {
        std::string_view target, path, query;
    } cases[] = {
        {"http://example.com/a?b", "/a", "b"},   {"HTTPS://example.com:8443/a", "/a", ""},
        {"http://example.com", "/", ""},         {"http://example.com?b", "/", "b"},
        {"http://[::1]:80/a://b", "/a://b", ""}, {"//double", "//double", ""},
    };
    for (const auto& expected : cases) {
        MessageReader reader(limits);
        ASSERT_EQ(feed_all(reader, "GET " + std::string{expected.target} + " HTTP/1.1\r\nHost: a\r\n\r\n"),
                  State::complete)
            << expected.target;
        EXPECT_EQ(reader.request().path, expected.path);
        EXPECT_EQ(reader.request().query, expected.query);
        EXPECT_EQ(reader.request().target, expected.target);
    }
}

TEST(MessageReader, GivesARequestAboutTheWholeServerThePathOfAnAsterisk) {
    for (const std::string_view line : {"OPTIONS *", "CONNECT example.com:443", "CONNECT [::1]:22"}) {
        MessageReader reader(limits);
        ASSERT_EQ(feed_all(reader, std::string{line} + " HTTP/1.1\r\nHost: a\r\n\r\n"), State::complete) << line;
        EXPECT_EQ(reader.request().path, "*");
        EXPECT_EQ(reader.request().keep_alive, line == "OPTIONS *");
    }
}

TEST(MessageReader, ReadsTheSameWhereverTheBytesAreCut) {
    const std::string large(15'000, 'l');
    const std::string bytes = "\r\nPOST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 15000\r\n\r\n" + large +
                              "GET /two HTTP/1.1\r\nHost: a\r\n\r\n"
                              "PUT /three HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "5;x\r\nhello\r\n0\r\nT: v\r\n\r\n"
                              "POST /four HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    const std::pair<std::string_view, std::string_view> expected[] = {
        {"/one", large}, {"/two", ""}, {"/three", "hello"}, {"/four", "abc"}};
    for (const std::size_t piece : {1U, 2U, 3U, 5U, 7U, 64U, 1000U, 4096U, 100'000U}) {
        MessageReader reader(limits);
        std::string_view rest = bytes;
        for (const auto& [path, body] : expected) {
            while (reader.advance() != State::complete) {
                ASSERT_NE(reader.state(), State::refused) << path << " by " << piece;
                ASSERT_FALSE(rest.empty());
                feed(reader, rest, piece);
            }
            EXPECT_EQ(reader.request().path, path) << "by " << piece;
            EXPECT_EQ(reader.request().body, body) << "by " << piece;
            reader.next();
        }
        EXPECT_EQ(reader.advance(), State::empty);
    }
}

TEST(MessageReader, ForgetsOneRequestBeforeTheNext) {
    MessageReader reader(limits);
    ASSERT_EQ(feed_all(reader, "POST /a?q HTTP/1.0\r\nX: y\r\nContent-Length: 1\r\n\r\nb"), State::complete);
    reader.next();
    const Request& request = reader.request();
    EXPECT_TRUE(request.headers.empty());
    EXPECT_TRUE(request.body.empty() && request.path.empty() && request.query.empty() && request.target.empty());
    EXPECT_EQ(request.method, Method::other);
    EXPECT_TRUE(request.keep_alive);
}

TEST(MessageReader, WipesWhatItHeldWhenItIsCleared) {
    MessageReader reader(limits);
    ASSERT_EQ(feed_all(reader, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nSECRET"), State::complete);
    reader.clear();
    const auto space = reader.space();
    EXPECT_EQ(std::string_view(space.data(), 70).find("SECRET"), std::string_view::npos);
    EXPECT_EQ(reader.state(), State::empty);
}

TEST(MessageReader, SaysWhenTheClientWaitsForContinue) {
    MessageReader reader(limits);
    EXPECT_EQ(feed_all(reader, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\n"),
              State::body);
    EXPECT_TRUE(reader.awaits_continue());
    EXPECT_EQ(feed_all(reader, "a"), State::body);
    EXPECT_FALSE(reader.awaits_continue()) << "it does not wait after all";
}

TEST(MessageReader, RefusesAtTheFirstByteThatCannotBeRight) {
    for (const std::string_view start : {"\x16\x03\x01", "GET /\x01", "GET / HTTP/1.1\r\nX: a\rb"}) {
        MessageReader reader(limits);
        EXPECT_EQ(feed_all(reader, start), State::refused);
        EXPECT_EQ(&reader.refusal(), &errors::bad_request);
    }
}

TEST(MessageReader, ADeclaredLengthAloneCostsNoMemory) {
    MessageReader reader(limits);
    EXPECT_EQ(feed_all(reader, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\n"), State::body);
    EXPECT_LE(reader.space().size(), 16U * 1024);
}

}  // namespace
}  // namespace consentry::http
