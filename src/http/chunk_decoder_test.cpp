#include "http/chunk_decoder.hpp"

#include <string>

#include <gtest/gtest.h>

namespace consentry::http {
namespace {

using Status = ChunkDecoder::Status;

struct Outcome {
    Status status;
    std::string body;
    std::string rest;
};

// Feeds the text in pieces of `piece` bytes. Bytes that are not consumed are prepended to the next piece.
Outcome decode(std::string_view text, std::size_t piece, std::size_t body_bytes_max = 1000) {
    ChunkDecoder decoder;
    ByteBuffer body;
    Status status = Status::more;
    while (!text.empty() && status == Status::more) {
        std::string_view part = text.substr(0, piece);
        const std::size_t given = part.size();
        status = decoder.decode(part, body, body_bytes_max);
        text.remove_prefix(given - part.size());
    }
    return {status, std::string{body.view()}, std::string{text}};
}

struct Case {
    std::string_view text;
    Status status;
    std::string_view body;
    std::string_view rest;
};

const std::string long_extension = "5;" + std::string(chunk_overhead_bytes_max, 'e') + "\r\nhello\r\n0\r\n\r\n";
const std::string long_trailer = "0\r\na: " + std::string(chunk_overhead_bytes_max, 't') + "\r\n\r\n";

const Case cases[] = {
    {"0\r\n\r\n", Status::done, "", ""},
    {"5\r\nhello\r\n0\r\n\r\n", Status::done, "hello", ""},
    {"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\nGET /", Status::done, "hello world", "GET /"},
    {"A\r\n0123456789\r\n00\r\n\r\n", Status::done, "0123456789", ""},
    {"a\r\n01234\r\n789\r\n0\r\n\r\n", Status::done, "01234\r\n789", ""},
    {"5;name=value\r\nhello\r\n0;last\r\n\r\n", Status::done, "hello", ""},
    {"5;q=\"a;b\"\r\nhello\r\n0\r\n\r\n", Status::done, "hello", ""},
    {"5;a;b=c;d=\"\\\"\\\\\"\r\nhello\r\n0\r\n\r\n", Status::done, "hello", ""},
    {"0\r\nTrailer: value\r\nAnother:\r\n\r\nrest", Status::done, "", "rest"},
    {"5\r\nhel", Status::more, "hel", ""},
    {"5\r\nhello\r\n0\r\n", Status::more, "hello", ""},
    {"\r\n", Status::malformed, "", "\r\n"},
    {"g\r\n", Status::malformed, "", "g\r\n"},
    {"-5\r\nhello", Status::malformed, "", "-5\r\nhello"},
    {"+5\r\nhello", Status::malformed, "", "+5\r\nhello"},
    {" 5\r\nhello", Status::malformed, "", " 5\r\nhello"},
    {"5 \r\nhello", Status::malformed, "", " \r\nhello"},
    {"0x5\r\nhello", Status::malformed, "", "x5\r\nhello"},
    {"5\nhello", Status::malformed, "", "\nhello"},
    {"5\r hello", Status::malformed, "", " hello"},
    {"5\r\nhelloX", Status::malformed, "hello", "X"},
    {"5\r\nhello\n0\r\n\r\n", Status::malformed, "hello", "\n0\r\n\r\n"},
    {"5\r\nhello\r0\r\n\r\n", Status::malformed, "hello", "0\r\n\r\n"},
    {"5;a\nb\r\nhello", Status::malformed, "", "\nb\r\nhello"},
    {"5;\r\nhello", Status::malformed, "", "\r\nhello"},
    {"5;=b\r\nhello", Status::malformed, "", "=b\r\nhello"},
    {"5;a=\r\nhello", Status::malformed, "", "\r\nhello"},
    {"5; a\r\nhello", Status::malformed, "", " a\r\nhello"},
    {"5;a=\"b\"c\r\nhello", Status::malformed, "", "c\r\nhello"},
    {"5;a=\"b\r\nhello", Status::malformed, "", "\r\nhello"},
    {"000000005\r\nhello", Status::malformed, "", "5\r\nhello"},
    {"FFFFFFFFFFFFFFFF\r\n", Status::malformed, "", "FFFFFFFF\r\n"},
    {"3e9\r\n", Status::too_large, "", "\r\n"},
    {"0\r\n folded\r\n\r\n", Status::malformed, "", " folded\r\n\r\n"},
    {"0\r\na: b\r\n c\r\n\r\n", Status::malformed, "", " c\r\n\r\n"},
    {"0\r\na : b\r\n\r\n", Status::malformed, "", " : b\r\n\r\n"},
    {"0\r\n: b\r\n\r\n", Status::malformed, "", ": b\r\n\r\n"},
    {"0\r\na: b\nc: d\r\n\r\n", Status::malformed, "", "\nc: d\r\n\r\n"},
    {"0\r\nnot a trailer\r\n\r\n", Status::malformed, "", " a trailer\r\n\r\n"},
    {"0\r\n\n", Status::malformed, "", "\n"},
    {"0\r\n\rX", Status::malformed, "", "X"},
};

TEST(ChunkDecoder, ReadsTheSameWhereverTheBytesAreCut) {
    for (const Case& expected : cases) {
        for (std::size_t piece = 1; piece <= expected.text.size(); ++piece) {
            const Outcome outcome = decode(expected.text, piece);
            EXPECT_EQ(outcome.status, expected.status) << expected.text << " by " << piece;
            EXPECT_EQ(outcome.body, expected.body) << expected.text << " by " << piece;
            EXPECT_EQ(outcome.rest, expected.rest) << expected.text << " by " << piece;
        }
    }
}

TEST(ChunkDecoder, CountsTheWholeBody) {
    EXPECT_EQ(decode("4\r\nabcd\r\n4\r\nefgh\r\n0\r\n\r\n", 3, 8).status, Status::done);
    EXPECT_EQ(decode("4\r\nabcd\r\n5\r\nefghi\r\n0\r\n\r\n", 3, 8).status, Status::too_large);
    EXPECT_EQ(decode("9\r\n", 3, 8).status, Status::too_large) << "before a byte of it has come";
}

TEST(ChunkDecoder, CountsExtensionsAndTrailersOnlyAsOverhead) {
    std::string many;
    for (std::size_t i = 0; i < 2 * chunk_overhead_bytes_max; ++i) many += "1\r\nx\r\n";
    EXPECT_EQ(decode(many + "0\r\n\r\n", 100, 100'000).status, Status::done) << "chunks of one byte cost none";
}

TEST(ChunkDecoder, BoundsWhatItReadsAndDrops) {
    EXPECT_EQ(decode(long_extension, 100).status, Status::malformed);
    EXPECT_EQ(decode(long_trailer, 100).status, Status::malformed);
    std::string many = "";
    for (int i = 0; i < 500; ++i) many += "1;extension\r\nx\r\n";
    EXPECT_EQ(decode(many + "0\r\n\r\n", 100).status, Status::malformed) << "together, not each";
}

}  // namespace
}  // namespace consentry::http
