// A witness for tests: a real one behind real HTTP, until a test tells it to fail.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "features/witness/application.hpp"
#include "http/server.hpp"
#include "storage/sqlite/sqlite_database.hpp"
#include "tests/support/loopback.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

class TestWitness final : public http::Application {
public:
    struct Fault {
        unsigned status = 500;
        std::string type = "text/plain";
        std::string body{};
        bool is_silent = false;
    };

    // Serves the logs of these verifier keys. `seed` makes its key.
    TestWitness(std::string name, std::uint8_t seed, std::vector<tlog::VerifierKey> logs)
        : signer_(tlog::NoteSigner::from_seed(std::move(name), tlog::KeyType::cosignature, Bytes(32, seed)).value()),
          database_({.file = folder_ / "witness.db"}),
          witness_(database_, clock_, signer_, std::move(logs)),
          application_(witness_) {
        database_.migrate(witness_migrations());
        http::ServerOptions options = on_loopback();
        options.stop_timeout = std::chrono::milliseconds{10};
        server_ = std::make_unique<http::Server>(std::move(options), *this);
        server_->start();
    }
    ~TestWitness() override { server_.reset(); }

    const tlog::NoteSigner& signer() const { return signer_; }
    std::uint16_t port() const { return server_->port(); }
    // The line of a policy.
    std::string line() const { return line("http://127.0.0.1:" + std::to_string(port())); }
    std::string line(const std::string& url) const {
        const tlog::VerifierKey& key = signer_.verifier();
        return "witness " + key.name() + " " + key.text() + (url.empty() ? "" : " " + url) + "\n";
    }

    // Every answer from now on; nullopt: the right one.
    void fail_with(std::optional<Fault> fault) {
        const std::scoped_lock lock(mutex_);
        fault_ = std::move(fault);
    }
    int requests() const { return requests_; }
    int conflicts() const { return conflicts_; }

    awaitable<void> respond(const http::Request& request, http::Response& response) override {
        ++requests_;
        const auto fault = current_fault();
        if (!fault) {
            co_await application_.respond(request, response);
            if (response.status == 409) ++conflicts_;
            co_return;
        }
        if (!co_await receive_body(request, response)) co_return;
        if (fault->is_silent) {
            boost::asio::steady_timer forever(co_await boost::asio::this_coro::executor, std::chrono::hours{1});
            co_await forever.async_wait(boost::asio::use_awaitable);
        }
        response.status = fault->status;
        response.add_header("Content-Type", fault->type);
        response.body = fault->body;
    }
    void refuse(const http::Request& request, const ErrorKind& kind, http::Response& response) noexcept override {
        application_.refuse(request, kind, response);
    }

private:
    std::optional<Fault> current_fault() const {
        const std::scoped_lock lock(mutex_);
        return fault_;
    }

    const TempFolder folder_;
    const SystemClock clock_;
    const tlog::NoteSigner signer_;
    std::unique_ptr<http::Server> server_;
    storage::SqliteDatabase database_;
    Witness witness_;
    WitnessApplication application_;
    mutable std::mutex mutex_;
    std::optional<Fault> fault_;
    std::atomic<int> requests_ = 0;
    std::atomic<int> conflicts_ = 0;
};

}  // namespace consentry::tests
