#include <optional>

#include "base/locales.hpp"
#include "features/files/endpoints.hpp"
#include "http/pipeline.hpp"
#include "http/server.hpp"
#include "storage/filesystem/filesystem_store.hpp"
#include "storage/s3/s3_store.hpp"
#include "tests/contracts/object_store_contract.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/s3_server.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

// The folder engine, and the endpoints of the service that answer at its addresses.
class FolderPlace final : public ObjectStorePlace {
public:
    FolderPlace() {
        add_file_endpoints(router_, files_);
        router_.finish();
        pipeline_.emplace(router_, locales_, clock_, http::PipelineOptions{});
        server_.emplace(on_loopback(), *pipeline_);
        server_->start();
    }
    ~FolderPlace() override {
        server_->stop();
        server_->join();
    }
    std::unique_ptr<storage::ObjectStore> open() override {
        return std::make_unique<storage::FilesystemStore>(
            options("http://127.0.0.1:" + std::to_string(server_->port())));
    }
    TimePoint now() const override { return clock_.now(); }

private:
    storage::FilesystemOptions options(std::string url) const {
        return {.folder = folder_ / "storage", .public_url = std::move(url), .secrets = {"a secret of the tests"}};
    }

    TempFolder folder_;
    const ManualClock clock_{from_epoch_ms(1'780'000'000'000)};
    const Locales locales_;
    std::optional<http::Server> server_;  // destroyed after the members that hand it answers
    storage::FilesystemStore served_{options("")};
    Files files_{served_, *served_.own_addresses()};
    http::Router router_;
    std::optional<http::Pipeline> pipeline_;
};

// Two new buckets on an S3 server.
class S3Place final : public ObjectStorePlace {
public:
    explicit S3Place(S3Kind kind) : options_(shared_s3(kind).options()) {
        options_.timeout = std::chrono::seconds{50};  // Swift handles only a few requests at a time
        options_.private_bucket = make_bucket(kind);
        options_.public_bucket = make_bucket(kind, Strangers::may_read);
    }
    std::unique_ptr<storage::ObjectStore> open() override { return std::make_unique<storage::S3Store>(options_); }

private:
    storage::S3Options options_;
};

}  // namespace

const std::vector<ObjectStoreEngine>& object_store_engines() {
    static const std::vector<ObjectStoreEngine> engines{
        {"folder", [] { return std::make_unique<FolderPlace>(); }},
        {"rgw", [] { return std::make_unique<S3Place>(S3Kind::rgw); }},
        {"swift", [] { return std::make_unique<S3Place>(S3Kind::swift); }},
    };
    return engines;
}

}  // namespace consentry::tests
