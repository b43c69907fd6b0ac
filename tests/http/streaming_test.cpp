// Bodies that are generated while they are sent (WEB-4, OPS-1): their framing and end, failures, and clients that
// disconnect.
#include <atomic>
#include <memory>
#include <string>

#include <boost/asio/steady_timer.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/locales.hpp"
#include "http/endpoint.hpp"
#include "http/pipeline.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using http::Stream;

constexpr std::size_t large = 64 * 1024;

struct Observed {
    unsigned status = 0;
    std::size_t bytes = 0;
    std::string error;
    std::string failure;
};

struct Asking : RawClient {
    Asking(std::uint16_t port, int receive_buffer, const std::string& request) : RawClient(port, receive_buffer) {
        send(request);
    }
};

// The HTTP kit alone: a router, the pipeline, a server, and endpoints with different kinds of streams.
class Kit : private http::Observer {
public:
    explicit Kit(http::ServerOptions options = on_loopback()) {
        declare("/three", [this](std::size_t n) { return pieces(n, 3); });
        declare("/stated", [this](std::size_t n) { return pieces(n, 3); }, 24);
        declare("/too-short", [this](std::size_t n) { return pieces(n, 3); }, 25);
        declare("/none", [this](std::size_t n) { return pieces(n, 0); });
        declare("/empty", [](std::size_t n) { return n < 3 ? now(n == 1 ? "" : "full") : end(); });
        declare("/endless", [](std::size_t) { return now(std::string(large, 'e')); });
        declare("/fails", [](std::size_t n) { return n < 2 ? now("whole\n") : failing(); });
        declare("/fails-at-once", [](std::size_t) { return failing(); });
        declare("/hangs", [](std::size_t n) { return n < 2 ? now("whole\n") : hanging(); });
        declare("/slow", [](std::size_t n) { return n < 10 ? later("s", 20ms) : end(); });
        declare("/busy", [this](std::size_t) { return busy(); });
        router_.get("/prepared")
            .id("prepared")
            .says("-")
            .tag("-")
            .answers_with("text/plain")
            .handled_by([](const http::RequestContext& context) { return prepared(context); });
        router_.get("/plain").id("plain").says("-").tag("-").message("-").handled_by([this] { return plain(); });
        router_.finish();
        pipeline_ =
            std::make_unique<http::Pipeline>(router_, locales_, clock_, http::PipelineOptions{.observers = {this}});
        server_.emplace(std::move(options), *pipeline_);
        server_->start();
    }
    ~Kit() override {
        server_->stop();
        server_->join();
    }

    Asking ask(const std::string& path, const std::string& method = "GET", const std::string& version = "1.1",
               int receive_buffer = 0) const {
        return Asking{server_->port(), receive_buffer, request(path, method, version)};
    }
    static std::string request(const std::string& path, const std::string& method = "GET",
                               const std::string& version = "1.1") {
        return method + " /api" + path + " HTTP/" + version + "\r\nHost: x\r\n\r\n";
    }
    // Waits for the next reported answer.
    Observed observed() {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(told_.wait_for(lock, 20s, [&] { return !seen_.empty(); }));
        Observed out = seen_.front();
        seen_.erase(seen_.begin());
        return out;
    }
    bool told_nothing_more() {
        const std::lock_guard lock(mutex_);
        return seen_.empty();
    }
    std::size_t made() const { return made_; }
    int alive() const { return static_cast<int>(alive_.use_count()) - 1; }
    http::Server& server() { return *server_; }

private:
    using Piece = std::optional<std::string>;

    template <class Make>
    void declare(const std::string& path, Make make, std::optional<std::uint64_t> length = {}) {
        router_.get(path)
            .id(path.substr(1))
            .says("-")
            .tag("-")
            .answers_with("text/plain")
            .handled_by([this, make, length] { return stream(make, length); });
    }
    template <class Make>
    awaitable<Result<Stream>> stream(Make make, std::optional<std::uint64_t> length) {
        co_return Stream{.content_type = "text/plain",
                         .file_name = "a.txt",
                         .next =
                             [this, make, n = std::size_t{0}, held = alive_]() mutable {
                                 ++made_;
                                 return make(n++);
                             },
                         .length = length};
    }
    // Takes longer than a request may, in steps.
    static awaitable<Result<Stream>> prepared(const http::RequestContext& context) {
        for (int step = 0; step < 10; ++step) {
            context.request.time->renew();
            co_await later("", 20ms);
        }
        co_return Stream{.content_type = "text/plain",
                         .file_name = "a.txt",
                         .next = [n = 0]() mutable { return n++ == 0 ? now("prepared") : end(); },
                         .length = 8};
    }
    awaitable<Result<http::Done>> plain() {
        was_asked_ = true;
        co_return http::Done{};
    }
    static awaitable<Piece> now(std::string text) { co_return text; }
    static awaitable<Piece> end() { co_return std::nullopt; }
    awaitable<Piece> pieces(std::size_t n, std::size_t count) {
        if (n == count) co_return std::nullopt;
        co_return "piece " + std::to_string(n) + "\n";
    }
    // Always has the next piece, which the connection can always write, until the thread has answered another request.
    awaitable<Piece> busy() {
        if (was_asked_) co_return std::nullopt;
        if (std::chrono::steady_clock::now() > until_) throw std::runtime_error("no one else was answered");
        co_return "";
    }
    static awaitable<Piece> failing() {
        throw std::runtime_error("the table is gone");
        co_return std::nullopt;
    }
    static awaitable<Piece> later(std::string text, milliseconds wait) {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, wait);
        co_await timer.async_wait(boost::asio::use_awaitable);
        co_return text;
    }
    static awaitable<Piece> hanging() { return later("never", 1h); }

    void on_answer(const http::Exchange& exchange) noexcept override {
        const std::lock_guard lock(mutex_);
        seen_.push_back({exchange.response.status, exchange.response.body_bytes(),
                         std::string(exchange.error == nullptr ? "" : exchange.error->name),
                         std::string(exchange.failure)});
        told_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable told_;
    std::vector<Observed> seen_;
    std::atomic<std::size_t> made_{0};
    bool was_asked_ = false;  // for /plain; used by the one thread of the server
    const std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + 10s;
    std::shared_ptr<int> alive_ = std::make_shared<int>();
    Locales locales_;
    ManualClock clock_{from_epoch_ms(1'700'000'000'000)};
    http::Router router_{{.global_prefix = "/api", .versioning = false}};
    std::unique_ptr<http::Pipeline> pipeline_;
    std::optional<http::Server> server_;
};

std::string body_of(const std::string& bytes) { return bytes.substr(bytes.find("\r\n\r\n") + 4); }

TEST(WEB_4, AStreamIsChunkedAndTheConnectionGoesOn) {
    Kit kit;
    Asking client = kit.ask("/three");
    const RawAnswer answer = client.read_answer(true);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
    EXPECT_EQ(answer.header("content-length"), "");
    EXPECT_EQ(answer.header("content-disposition"), "attachment; filename=a.txt");
    client.send("GET /api/plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string rest = client.read_all();
    const std::string chunks = "8\r\npiece 0\n\r\n8\r\npiece 1\n\r\n8\r\npiece 2\n\r\n0\r\n\r\n";
    EXPECT_TRUE(rest.starts_with(chunks + "HTTP/1.1 200 OK\r\n")) << rest;
    const Observed seen = kit.observed();
    EXPECT_EQ(seen.status, 200U);
    EXPECT_EQ(seen.bytes, 24U);
    EXPECT_EQ(seen.error, "");
    kit.observed();
    EXPECT_TRUE(kit.told_nothing_more()) << "each answer once";
}

TEST(WEB_4, AStreamOfKnownLengthStatesIt) {
    Kit kit;
    Asking client = kit.ask("/stated");
    const RawAnswer answer = client.read_answer(false);
    EXPECT_EQ(answer.header("transfer-encoding"), "");
    EXPECT_EQ(answer.header("content-length"), "24");
    EXPECT_EQ(answer.body, "piece 0\npiece 1\npiece 2\n");
    EXPECT_EQ(kit.observed().bytes, 24U);
    client.send("GET /api/stated HTTP/1.0\r\n\r\n");
    EXPECT_TRUE(client.read_all().ends_with("\r\n\r\npiece 0\npiece 1\npiece 2\n"));
}

TEST(WEB_4, AStreamThatIsShorterThanItsLengthIsReset) {
    Kit kit;
    Asking client = kit.ask("/too-short");
    client.read_all();
    EXPECT_TRUE(client.was_reset());
    EXPECT_FALSE(kit.observed().failure.empty());
}

TEST(WEB_4, AStreamEndsWithTheConnectionForHttp10) {
    Kit kit;
    RawClient client{kit.server().port()};
    client.send("GET /api/three HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const std::string bytes = client.read_all();
    EXPECT_EQ(body_of(bytes), "piece 0\npiece 1\npiece 2\n");
    EXPECT_EQ(bytes.find("Transfer-Encoding"), std::string::npos);
    EXPECT_NE(bytes.find("\r\nConnection: close\r\n"), std::string::npos);
    EXPECT_FALSE(client.was_reset());
}

TEST(WEB_4, HeadMakesNothingOfAStream) {
    Kit kit;
    Asking client = kit.ask("/three", "HEAD");
    const RawAnswer answer = client.read_answer(true);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.header("content-disposition"), "attachment; filename=a.txt");
    client.send("GET /api/plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 200 OK\r\n")) << "nothing between the two answers";
    EXPECT_EQ(kit.made(), 0U);
    EXPECT_EQ(kit.observed().bytes, 0U);
}

TEST(WEB_4, AStreamOfNothingAndEmptyPiecesEndWhereTheyShould) {
    Kit kit;
    const RawAnswer none = kit.ask("/none").read_answer();
    EXPECT_EQ(none.status, 200U);
    EXPECT_EQ(none.header("content-length"), "0");
    Asking client = kit.ask("/empty");
    client.send(Kit::request("/plain"));
    client.finish_sending();
    const std::string bytes = body_of(client.read_all());
    EXPECT_TRUE(bytes.starts_with("4\r\nfull\r\n4\r\nfull\r\n0\r\n\r\nHTTP/1.1 200")) << bytes;
}

TEST(WEB_4, AnswersBehindAStreamKeepTheirOrder) {
    Kit kit;
    RawClient client{kit.server().port()};
    client.send(Kit::request("/plain") + Kit::request("/three") + Kit::request("/three") + Kit::request("/plain"));
    client.finish_sending();
    const std::string bytes = client.read_all();
    std::size_t at = 0;
    for (const char* next : {"Content-Length: ", "Transfer-Encoding: chunked", "piece 2\n\r\n0\r\n\r\nHTTP/1.1 200",
                             "piece 2\n\r\n0\r\n\r\nHTTP/1.1 200", "Content-Length: "}) {
        at = bytes.find(next, at);
        ASSERT_NE(at, std::string::npos) << next << " in\n" << bytes;
        ++at;
    }
}

TEST(FLT_6, AStreamThatFailsAtOnceIsAnError) {
    Kit kit;
    const RawAnswer answer = kit.ask("/fails-at-once").read_answer();
    EXPECT_EQ(answer.status, 500U);
    const Observed seen = kit.observed();
    EXPECT_EQ(seen.status, 500U);
    EXPECT_EQ(seen.failure, "the table is gone");
}

TEST(FLT_6, AStreamThatFailsInTheMiddleDoesNotLookWhole) {
    Kit kit;
    for (const char* version : {"1.1", "1.0"}) {
        Asking client = kit.ask("/fails", "GET", version);
        const std::string bytes = client.read_all();
        EXPECT_EQ(bytes.find("0\r\n\r\n"), std::string::npos) << bytes;
        EXPECT_TRUE(client.was_reset()) << "an orderly end would say that this is all, HTTP/" << version;
        const Observed seen = kit.observed();
        EXPECT_EQ(seen.status, 200U);
        EXPECT_EQ(seen.error, "unknown");
        EXPECT_EQ(seen.failure, "the table is gone");
    }
    while (kit.server().connections() > 0) std::this_thread::yield();
    EXPECT_EQ(kit.alive(), 0);
    EXPECT_EQ(kit.ask("/plain").read_answer().status, 200U);
}

TEST(WEB_4, AClientThatGoesAwayEndsTheMaking) {
    Kit kit;
    {
        Asking client = kit.ask("/endless");
        EXPECT_EQ(client.read_answer(true).status, 200U);
    }
    const Observed seen = kit.observed();
    EXPECT_EQ(seen.error, "") << "nobody's fault";
    while (kit.server().connections() > 0) std::this_thread::yield();
    EXPECT_EQ(kit.alive(), 0) << "what the stream held is let go";
}

TEST(WEB_4, AStreamIsMadeNoFasterThanItIsTaken) {
    http::ServerOptions options = on_loopback();
    options.write_timeout = 100ms;
    Kit kit(options);
    const Asking client = kit.ask("/endless", "GET", "1.1", 4096);
    kit.observed();  // returns once the server has given up on the client
    EXPECT_LT(kit.made() * large, 32U << 20) << "what the kernel holds, and one piece";
}

TEST(WEB_4, EachPieceHasItsOwnTime) {
    http::ServerOptions options = on_loopback();
    options.request_timeout = 120ms;
    Kit kit(options);
    const std::string bytes = body_of(kit.ask("/slow", "GET", "1.0").read_all());
    EXPECT_EQ(bytes, "ssssssssss") << "longer than a request may take, and whole";
    EXPECT_EQ(kit.observed().error, "");

    EXPECT_EQ(body_of(kit.ask("/prepared", "GET", "1.0").read_all()), "prepared") << "so has each step before the head";
    EXPECT_EQ(kit.observed().error, "");

    Asking client = kit.ask("/hangs");
    const std::string broken = client.read_all();
    EXPECT_EQ(broken.find("0\r\n\r\n"), std::string::npos);
    EXPECT_TRUE(client.was_reset());
    EXPECT_EQ(kit.observed().error, "unknown");
}

TEST(WEB_4, AStreamThatNeverWaitsLetsOthersHaveTheirTurn) {
    Kit kit;
    RawClient other(kit.server().port());
    Asking client = kit.ask("/busy");
    EXPECT_EQ(client.read_answer(true).status, 200U);
    other.send(Kit::request("/plain"));
    EXPECT_EQ(other.read_answer().status, 200U);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(kit.observed().failure, "");
    client.finish_sending();
    EXPECT_EQ(client.read_all(), "0\r\n\r\n");
}

TEST(OPS_1, AStreamMayEndWhileTheServerStopsAndNoLater) {
    http::ServerOptions options = on_loopback();
    options.stop_timeout = 100ms;
    auto kit = std::make_unique<Kit>(options);
    Asking whole = kit->ask("/three");
    EXPECT_TRUE(whole.read_answer(true).status == 200U);
    Asking endless = kit->ask("/hangs");
    EXPECT_EQ(endless.read_answer(true).status, 200U);
    kit->server().stop();
    kit->server().join();
    EXPECT_EQ(kit->alive(), 0);
    EXPECT_TRUE(whole.read_all().ends_with("0\r\n\r\n"));
    EXPECT_FALSE(endless.read_all().ends_with("0\r\n\r\n"));
}

}  // namespace
}  // namespace consentry::tests
