// Time stamps: an authority of OpenSSL's command line, behind HTTP, stamps checkpoints and fails on command.
#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "http/server.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shell.hpp"
#include "tlog/checkpoint.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class TimestampAuthority final : public http::Application {
public:
    TimestampAuthority() {
        std::ofstream(folder_ / "tsa.cnf") << "[tsa]\ndefault_tsa = one\n[one]\nserial = serial\n"
                                              "signer_cert = tsa.crt\nsigner_key = tsa.key\nsigner_digest = sha256\n"
                                              "default_policy = 1.2.3.4\ndigests = sha256\ness_cert_id_alg = sha256\n";
        openssl(
            "req -x509 -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.crt -days 30 -subj /CN=tsa "
            "-addext extendedKeyUsage=critical,timeStamping");
        http::ServerOptions options;
        options.host = "127.0.0.1";
        options.port = 0;
        options.threads = 1;
        options.stop_timeout = 10ms;
        server_ = std::make_unique<http::Server>(std::move(options), *this);
        server_->start();
    }
    ~TimestampAuthority() { server_.reset(); }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()) + "/stamp"; }
    int requests() const { return requests_; }
    // Every answer from now on; empty: the right one. "again": the answer to the first query.
    void fail_with(std::string fault) {
        const std::scoped_lock lock(mutex_);
        fault_ = std::move(fault);
    }
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
        if (!fault_.empty()) co_return;
        std::ofstream(folder_ / "query") << std::string_view(request.body);
        openssl("ts -reply -config tsa.cnf -queryfile query -out answer");
        std::ifstream in(folder_ / "answer", std::ios::binary);
        response.body.assign(std::istreambuf_iterator<char>(in), {});
        if (first_.empty()) first_ = response.body;
    }
    void refuse(const http::Request&, const ErrorKind& kind, http::Response& response) noexcept override {
        response.status = kind.http_status;
    }

private:
    void openssl(const std::string& arguments) const {
        output_of({"sh", "-c", "cd " + folder_.path().string() + " && openssl " + arguments});
    }

    const TempFolder folder_;
    std::mutex mutex_;
    std::string fault_;
    std::string first_;
    std::atomic<int> requests_ = 0;
    std::unique_ptr<http::Server> server_;
};

class LogTimestamps : public ::testing::Test {
protected:
    LogTimestamps() { publish(t_.service, "marketing", 1); }
    void add() {
        const std::string token = t_.service.tokens_of(t_.person).access;  // the former one has expired
        const Answer answer =
            is_accepted_ ? withdraw(t_.service, token, "marketing") : accept(t_.service, token, "marketing");
        is_accepted_ = !is_accepted_;
        EXPECT_EQ(answer.status, 200U) << answer.body;
    }
    // Publishes, and has stamped what is due. Returns why it failed.
    std::string work() {
        std::string out;
        for (const CleanUpTrouble& trouble : run(t_.service.app().services().clean_up())) out += trouble.reason + "\n";
        return out;
    }
    Answer stamp(int size) { return t_.service.get("/consent-log/timestamps/" + std::to_string(size) + ".tsr"); }
    // The text of the latest checkpoint.
    std::string text() { return tlog::parse_note(t_.service.get("/consent-log/checkpoint").body)->text; }

    TimestampAuthority authority_;
    Signed t_{Environment{{"CONSENT_LOG_TIMESTAMP_URL", authority_.url()}}};
    bool is_accepted_ = false;
};

TEST_F(LogTimestamps, OneAnHourIfTheLogGrew) {
    add();
    EXPECT_EQ(work(), "");
    const Answer first = stamp(1);
    ASSERT_EQ(first.status, 200U);
    EXPECT_EQ(first.headers.at("content-type"), "application/timestamp-reply");
    EXPECT_THAT(first.headers.at("cache-control"), HasSubstr("immutable"));
    const CommandResult verified = authority_.verify(text(), first.body);
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    EXPECT_NE(authority_.verify(text() + " ", first.body).code, 0);
    add();
    EXPECT_EQ(work(), "");
    EXPECT_EQ(stamp(2).status, 404U) << "not within the hour";
    t_.service.pass(1h);
    EXPECT_EQ(work(), "");
    EXPECT_EQ(authority_.verify(text(), stamp(2).body).code, 0);
    t_.service.pass(3h);
    EXPECT_EQ(work(), "");
    EXPECT_EQ(authority_.requests(), 2) << "the log has not grown";
    for (const char* none : {"0.tsr", "3.tsr", "01.tsr", "1", ".tsr", "1.tsr.tsr", "checkpoint", "..%2fcheckpoint"})
        EXPECT_EQ(t_.service.get("/consent-log/timestamps/" + std::string(none)).status, 404U) << none;
}

TEST_F(LogTimestamps, AFailureHoldsNothingUpAndIsTriedAgain) {
    add();
    work();
    ASSERT_EQ(stamp(1).status, 200U);
    int size = 1;
    for (const char* fault : {"500", "garbage", "again"}) {
        authority_.fail_with(fault);
        t_.service.pass(1h);
        const int before = authority_.requests();
        add();
        work();
        ++size;
        EXPECT_EQ(authority_.requests(), before + 1) << fault;
        EXPECT_EQ(stamp(size).status, 404U) << fault;
        EXPECT_THAT(text(), HasSubstr("\n" + std::to_string(size) + "\n")) << "the log goes on";
        work();
        EXPECT_EQ(authority_.requests(), before + 1) << "not at once";
    }
    authority_.fail_with({});
    t_.service.pass(5min);
    EXPECT_EQ(work(), "");
    EXPECT_EQ(authority_.verify(text(), stamp(size).body).code, 0);
}

}  // namespace
}  // namespace consentry::tests
