// Consentry reads each message in one way, and never accepts more than nginx and Node.js do, except as listed (WEB-1).
#include <algorithm>
#include <future>
#include <iostream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/http/framing_table.hpp"
#include "tests/http/http_readers.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using tests::HttpReader;
using tests::OtherReaders;
using tests::Reading;

// Refuses unsupported methods, as http/pipeline.cpp does.
class CountingApplication final : public TellingApplication {
public:
    boost::asio::awaitable<void> respond(const http::Request& request, http::Response& response) override {
        if (request.method == http::Method::other) {
            response.status = 405;
            co_return;
        }
        if (!co_await receive_body(request, response)) co_return;
        remember(request.target);
        response.add_header("x-seen", fmt::format("{} {}", request.method_text, request.body.size()));
    }
};

constexpr std::string_view behind = "GET /behind HTTP/1.1\r\nHost: behind\r\nConnection: close\r\n\r\n";

const FramingRows& rows() {
    static const FramingRows all = [] {
        FramingRows out;
        std::set<std::string> known;
        FramingRows more;
        for (Refused& row : refused_requests()) more.push_back(refused(std::move(row.request), row.status));
        for (const auto& part : {length_framings(), chunk_framings(), line_framings(), field_framings(),
                                 character_framings(), sequence_framings(), more})
            for (const Framing& row : part)
                if (known.insert(row.bytes).second) out.push_back(row);
        return out;
    }();
    return all;
}

std::string shown(const Framing& row) {
    std::string out;
    for (const char c : row.bytes.substr(0, 200)) {
        if (c == '\r') {
            out += "\\r";
        } else if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) {
            out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out;
}

std::string shown(const Reading& reading) {
    std::string out;
    for (const std::string& seen : reading.seen) out += seen + ", ";
    return out + (reading.refusal == 0 ? "end" : std::to_string(reading.refusal));
}

std::vector<Reading> readings_of(const HttpReader& reader) {
    std::vector<std::string> texts;
    for (const Framing& row : rows()) texts.push_back(row.bytes + std::string{behind});
    return tests::read_all(reader, {texts.begin(), texts.end()});
}

std::vector<Reading> our_readings() {
    using namespace std::chrono_literals;
    http::ServerOptions options = on_loopback();
    options.head_timeout = options.body_timeout = options.idle_timeout = 2s;
    CountingApplication application;
    http::Server server(options, application);
    server.start();
    auto out = readings_of({"Consentry", server.port()});
    for (const std::string& target : application.seen())
        EXPECT_FALSE(target.contains("hidden")) << "taken out of a body, or read behind an end: " << target;
    return out;
}

TEST(WEB_1, EveryFramingIsReadInOneWayOrRefused) {
    EXPECT_GE(rows().size(), 300U);
    const auto ours = our_readings();
    for (std::size_t i = 0; i < rows().size(); ++i) {
        const Framing& row = rows()[i];
        std::vector<std::string> expected = row.seen;
        if (row.refusal == 0 && !row.closes) expected.emplace_back("GET 0");
        EXPECT_EQ(ours[i].seen, expected) << shown(row);
        EXPECT_EQ(ours[i].refusal, row.refusal) << shown(row);
        EXPECT_FALSE(ours[i].read_on) << shown(row);
    }
}

struct Tally {
    std::size_t agree = 0;
    std::size_t stricter = 0;
    std::size_t exceptions = 0;
};

TEST(WEB_1, WhatNginxOrNodeRefusesIsRefusedAndNoMoreRequestsAreSeen) {
    const OtherReaders others;
    const std::map<Reader, HttpReader> servers{{Reader::nginx, others.nginx()}, {Reader::node, others.node()}};
    std::map<Reader, std::future<std::vector<Reading>>> reading;
    for (const auto& [reader, server] : servers)
        reading.emplace(reader, std::async(std::launch::async, readings_of, server));
    const auto ours = our_readings();
    std::string table =
        fmt::format("{} framings: {:>8} {:>9} {:>11}\n", rows().size(), "agree", "stricter", "exceptions");
    for (const auto& [reader, server] : servers) {
        const auto theirs = reading.at(reader).get();
        Tally tally;
        for (std::size_t i = 0; i < rows().size(); ++i) {
            const Framing& row = rows()[i];
            const auto& wide = theirs[i].seen;
            const auto& narrow = ours[i].seen;
            const bool within = narrow.size() <= wide.size() && std::equal(narrow.begin(), narrow.end(), wide.begin());
            const bool excepted =
                std::ranges::find(row.exceptions, reader, &Framing::Exception::reader) != row.exceptions.end();
            EXPECT_EQ(within, !excepted) << server.name << " reads " << shown(theirs[i]) << "; Consentry reads "
                                         << shown(ours[i]) << "\n  of " << shown(row);
            ++(!within ? tally.exceptions : narrow.size() < wide.size() ? tally.stricter : tally.agree);
        }
        table +=
            fmt::format("  {:<12} {:>8} {:>9} {:>11}\n", server.name, tally.agree, tally.stricter, tally.exceptions);
        EXPECT_GT(tally.agree, 100U) << "a server that answers nothing proves nothing";
    }
    std::cout << table << "an exception is a request that Consentry reads and the other does not:\n";
    for (const Framing& row : rows())
        for (const auto& [reader, rule] : row.exceptions)
            std::cout << fmt::format("  {:<5} {}: {}\n", reader == Reader::nginx ? "nginx" : "node", shown(row), rule);
}

}  // namespace
}  // namespace consentry::tests
