// A timestamp authority for tests: OpenSSL's command line behind real HTTP, until a test tells it to fail.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/server.hpp"
#include "tests/support/files.hpp"
#include "tests/support/loopback.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/timestamp_forge.hpp"

namespace consentry::tests {

class TimestampAuthority final : public http::Application {
public:
    TimestampAuthority() {
        const std::string section =
            "serial = serial\nsigner_cert = tsa.crt\nsigner_key = tsa.key\nsigner_digest = sha256\n"
            "default_policy = 1.2.3.4\ndigests = sha256\ness_cert_id_alg = sha256\n";
        std::ofstream(folder_ / "tsa.cnf") << "[tsa]\ndefault_tsa = one\n[one]\n"
                                           << section << "[named]\n"
                                           << section << "tsa_name = yes\n";
        openssl(
            "req -x509 -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.crt -days 30 -subj /CN=tsa "
            "-addext extendedKeyUsage=critical,timeStamping");
        http::ServerOptions options = on_loopback();
        options.stop_timeout = std::chrono::milliseconds{10};
        server_ = std::make_unique<http::Server>(std::move(options), *this);
        server_->start();
    }
    ~TimestampAuthority() { server_.reset(); }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()) + "/stamp"; }
    std::uint16_t port() const { return server_->port(); }
    int requests() const { return requests_; }
    // Every answer from now on; empty: the right one. "again": the answer to the first query. "altered": a byte of the
    // signature is another one. "bare": without the certificate that signed it.
    void fail_with(std::string fault) {
        const std::scoped_lock lock(mutex_);
        fault_ = std::move(fault);
    }
    // Stamps name their authority from now on, in a field that is optional.
    void name_itself() {
        const std::scoped_lock lock(mutex_);
        names_itself_ = true;
    }
    // Its certificate was valid until ten days ago. From now on, its clock is so far behind.
    void expire(std::chrono::days behind) {
        const std::scoped_lock lock(mutex_);
        const auto now = floor<std::chrono::seconds>(std::chrono::system_clock::now());
        redate(files(), now - std::chrono::days{20}, now - std::chrono::days{10});
        behind_ = behind;
    }
    // Its certificate, which signs itself.
    std::filesystem::path certificate() const { return folder_ / "tsa.crt"; }
    // What `openssl ts` says of a stamp on this text.
    CommandResult verify(const std::string& text, const std::string& stamp) const {
        std::ofstream(folder_ / "text") << text;
        std::ofstream(folder_ / "stamp") << stamp;
        return run_command(
            {"sh", "-c",
             "cd " + folder_.path().string() + " && openssl ts -verify -in stamp -data text -CAfile tsa.crt"});
    }

    awaitable<void> respond(const http::Request& request, http::Response& response) override {
        if (!co_await receive_body(request, response)) co_return;
        ++requests_;
        const std::scoped_lock lock(mutex_);
        response.add_header("Content-Type", "application/timestamp-reply");
        if (fault_ == "500") response.status = 500;
        if (fault_ == "garbage") response.body = "garbage";
        if (fault_ == "again") response.body = first_;
        if (!response.body.empty() || response.status != 200) co_return;
        response.body = stamped(std::string(request.body));
        if (fault_ == "altered") response.body.back() ^= 1;  // of the signature
        if (first_.empty()) first_ = response.body;
    }
    void refuse(const http::Request&, const ErrorKind& kind, http::Response& response) noexcept override {
        response.status = kind.http_status;
    }

private:
    SigningFiles files() const { return {certificate(), folder_ / "tsa.key"}; }
    std::string stamped(std::string query) const {
        if (fault_ == "bare") query.back() = 0;  // the last byte says whether the answer must contain the certificate
        if (behind_)
            return stamp_of(query, files(), floor<std::chrono::seconds>(std::chrono::system_clock::now()) - *behind_);
        std::ofstream(folder_ / "query") << query;
        openssl("ts -reply -config tsa.cnf -queryfile query -out answer" +
                std::string(names_itself_ ? " -section named" : ""));
        return text_in(folder_ / "answer");
    }
    void openssl(const std::string& arguments) const {
        output_of({"sh", "-c", "cd " + folder_.path().string() + " && openssl " + arguments});
    }

    const TempFolder folder_;
    std::mutex mutex_;
    std::string fault_;
    std::string first_;
    bool names_itself_ = false;
    std::optional<std::chrono::days> behind_;
    std::atomic<int> requests_ = 0;
    std::unique_ptr<http::Server> server_;
};

}  // namespace consentry::tests
