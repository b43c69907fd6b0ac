// Tests the S3 engine with a failing server: how often it retries, how long it waits, and what it reports.
#include <deque>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "storage/s3/s3_store.hpp"
#include "tests/contracts/s3_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/run.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using storage::Area;
using storage::S3Options;
using storage::S3Store;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Sends the given answers in order, then 200.
class Script final : public http::Application {
public:
    struct Line {
        unsigned status;
        std::string body{};
    };
    void say(std::deque<Line> lines) {
        const std::scoped_lock lock(mutex_);
        lines_ = std::move(lines);
        asked_ = 0;
    }
    std::size_t asked() const {
        const std::scoped_lock lock(mutex_);
        return asked_;
    }
    asio::awaitable<void> respond(const http::Request& request, http::Response& response) override {
        if (!co_await receive_body(request, response)) co_return;
        const std::scoped_lock lock(mutex_);
        ++asked_;
        if (lines_.empty()) co_return;
        response.status = lines_.front().status;
        response.body = lines_.front().body;
        lines_.pop_front();
    }
    void refuse(const http::Request&, const ErrorKind& kind, http::Response& response) noexcept override {
        response.status = kind.http_status;
    }

private:
    mutable std::mutex mutex_;
    std::deque<Line> lines_;
    std::size_t asked_ = 0;
};

class S3Failures : public ::testing::Test {
protected:
    S3Failures() { server.start(); }
    S3Options options() const {
        return {
            .server = {.host = "127.0.0.1:" + std::to_string(server.port()), .buckets_by_host = false, .tls = false},
            .region = "eu-test-1",
            .access_key = "KEY",
            .secret = "hunter2hunter2",
            .private_bucket = "drafts",
            .public_bucket = "published"};
    }
    std::string complaint_of_put(const S3Options& given) {
        S3Store store(given);
        return complaint([&] { run(store.put(Area::private_area, "a/b.hbs", "text", "text/plain")); });
    }
    Script script;
    http::Server server{on_loopback(), script};
};

TEST_F(S3Failures, WhatAServerFailsAtIsAskedAgain) {
    for (const unsigned status : {500U, 502U, 503U, 504U, 429U}) {
        script.say({{status}, {status}});
        EXPECT_EQ(complaint_of_put(options()), "");
        EXPECT_EQ(script.asked(), 3U) << status;
    }
    S3Options often = options();
    often.attempts_max = 5;
    script.say({{500}, {500}, {500}, {500}});
    EXPECT_EQ(complaint_of_put(often), "");
}

TEST_F(S3Failures, SoOftenAndNoMore) {
    script.say({{503}, {503}, {503, "<Error><Code>SlowDown</Code><Message>rest a while</Message></Error>"}, {503}});
    EXPECT_THAT(complaint_of_put(options()), AllOf(EndsWith("503 SlowDown"), Not(HasSubstr("rest a while"))));
    EXPECT_EQ(script.asked(), 3U);
}

TEST_F(S3Failures, ARefusalIsFinal) {
    for (const unsigned status : {400U, 403U, 409U, 412U, 501U}) {
        script.say({{status}});
        EXPECT_NE(complaint_of_put(options()), "");
        EXPECT_EQ(script.asked(), 1U) << status;
    }
}

TEST_F(S3Failures, TheServersOwnWordsStayOutside) {
    for (const auto* body : {"<Error><Code>hunter2 is &quot;wrong&quot;</Code></Error>", "<Code>", "<Code>unended",
                             "<Error><Message>StringToSign hunter2</Message></Error>", "hunter2"}) {
        script.say({{403, body}});
        EXPECT_THAT(complaint_of_put(options()), AllOf(EndsWith("403"), Not(HasSubstr("hunter2")))) << body;
    }
}

TEST_F(S3Failures, WithoutItsBucketNothingIsAbsent) {
    S3Store store(options());
    script.say({{404, "<Error><Code>NoSuchBucket</Code></Error>"}, {404, "<Error><Code>NoSuchKey</Code></Error>"}});
    EXPECT_THROW(run(store.get(Area::private_area, "a", 10)), Unavailable);
    EXPECT_FALSE(run(store.get(Area::private_area, "a", 10)));
    script.say({{404, "<Error><Code>NoSuchBucket</Code></Error>"}, {404, "<Error><Code>NoSuchKey</Code></Error>"}});
    EXPECT_THROW(run(store.erase(Area::private_area, "a")), Unavailable);
    EXPECT_NO_THROW(run(store.erase(Area::private_area, "a")));
}

TEST_F(S3Failures, AnAnswerWithoutBoundIsRefused) {
    S3Store store(options());
    const Script::Line large{200, std::string(200'000, 'x')};
    script.say({large, large, large});
    EXPECT_THROW(run(store.get(Area::private_area, "a", 10)), Unavailable);
    script.say({{200, "a server that takes no notice of a range"}});
    const auto object = run(store.get(Area::private_area, "a", 8));
    ASSERT_TRUE(object);
    EXPECT_EQ(object->bytes, "a server");
    EXPECT_EQ(object->size, 40U);
}

// Stores one file. To clients that may not list files, answers 403 for an absent file, as Amazon's server does.
class WithoutListing final : public http::Application {
public:
    asio::awaitable<void> respond(const http::Request& request, http::Response& response) override {
        if (!co_await receive_body(request, response)) co_return;
        const std::scoped_lock lock(mutex_);
        const bool is_known = request.header("authorization").has_value();
        if (is_known && request.method_text == "PUT") {
            file_ = request.body;
        } else if (is_known && request.method_text == "DELETE") {
            file_.reset();
        } else if (is_known && file_) {
            response.body = *file_;
        } else {
            response.status = 403;
            response.body = "<Error><Code>AccessDenied</Code></Error>";
        }
        co_return;
    }
    void refuse(const http::Request&, const ErrorKind& kind, http::Response& response) noexcept override {
        response.status = kind.http_status;
    }

private:
    std::mutex mutex_;
    std::optional<std::string> file_;
};

TEST_F(S3Failures, TheRightToListFilesIsAskedForByName) {
    WithoutListing application;
    http::Server stingy(on_loopback(), application);
    stingy.start();
    S3Options given = options();
    given.server.host = "127.0.0.1:" + std::to_string(stingy.port());
    EXPECT_THAT(
        complaint([&] { S3Store(given).check(); }),
        HasSubstr("private bucket: the access key cannot tell that a file does not exist; it needs s3:ListBucket"));
}

// A real server behind a link that fails.
class S3Link : public ::testing::Test {
protected:
    S3Options options(milliseconds timeout = 10s) {
        S3Options out = shared_s3(S3Kind::rgw).options();
        out.server.host = "127.0.0.1:" + std::to_string(proxy.port());
        out.timeout = timeout;
        return out;
    }
    TcpProxy proxy{shared_s3(S3Kind::rgw).port};
    const std::string key = "faults/" + make_name();

private:
    static std::string make_name() { return std::to_string(SystemClock().now().time_since_epoch().count()); }
};

TEST_F(S3Link, ASilentServerIsLeftInTime) {
    S3Store store(options(2s));  // a third for each attempt: enough for a server on a busy machine
    run(store.put(Area::private_area, key, "1", "text/plain"));
    proxy.hang();
    EXPECT_THROW(run(store.put(Area::private_area, key, "2", "text/plain")), Unavailable);
    EXPECT_THROW(run(store.ping(Area::private_area)), Unavailable);
    proxy.pass();
    EXPECT_EQ(run(store.get(Area::private_area, key, 10))->bytes.size(), 1U);
    EXPECT_NO_THROW(run(store.ping(Area::private_area)));
}

TEST_F(S3Link, WaitingForOthersCountsAsWell) {
    S3Options one = options(300ms);
    one.threads = 1;
    S3Store store(one);
    proxy.hang();
    std::vector<asio::awaitable<void>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(store.erase(Area::private_area, key));
    std::string said;
    for (const auto& ended : run_all(std::move(calls), 3)) {
        ASSERT_FALSE(ended);
        said += complaint([&] { std::rethrow_exception(ended.error()); });
    }
    EXPECT_THAT(said, HasSubstr("timed out"));
}

TEST_F(S3Link, AServerThatIsGoneIsFoundAgain) {
    S3Store store(options());
    run(store.put(Area::private_area, key, "1", "text/plain"));
    proxy.refuse();
    EXPECT_THAT(complaint([&] { run(store.head(Area::private_area, key)); }),
                AllOf(HasSubstr("S3: HEAD: "), Not(HasSubstr(shared_s3(S3Kind::rgw).secret)), Not(HasSubstr(key))));
    proxy.pass();
    EXPECT_TRUE(run(store.head(Area::private_area, key)));
}

TEST_F(S3Link, AnAnswerThatWasCutIsAskedForAgain) {
    S3Store store(options());
    run(store.put(Area::private_area, key, std::string(50'000, 'a'), "text/plain"));
    proxy.cut_after_answer_bytes(20'000);
    EXPECT_THROW(run(store.get(Area::private_area, key, 100'000)), Unavailable);
    EXPECT_GE(proxy.cut(), 3U);
    proxy.mute_when("PUT /drafts/" + key);
    run(store.put(Area::private_area, key, std::string(50'000, 'b'), "text/plain"));
    EXPECT_EQ(run(store.get(Area::private_area, key, 100'000))->bytes, std::string(50'000, 'b'));
}

TEST_F(S3Link, ASlowLinkIsNoFailure) {
    S3Store store(options());
    proxy.delay(50ms);
    run(store.put(Area::private_area, key, "slowly", "text/plain"));
    EXPECT_EQ(run(store.get(Area::private_area, key, 10))->bytes, "slowly");
}

TEST_F(S3Link, AStoreThatEndsWaitsForNoServer) {
    auto store = std::make_unique<S3Store>(options(1h));
    proxy.hang();
    std::string said;
    std::jthread waiting(
        [&, call = store->ping(Area::private_area)]() mutable { said = complaint([&] { run(std::move(call)); }); });
    ASSERT_TRUE(eventually([&] { return proxy.accepted() > 0; }));
    store.reset();
    waiting.join();
    EXPECT_THAT(said, HasSubstr("S3: HEAD"));
}

}  // namespace
}  // namespace consentry::tests
