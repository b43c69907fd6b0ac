// The object store on a server that speaks S3. Each area is a bucket. The operator creates the buckets and their access
// policies; the service never does.
//
// Calls do not block the calling thread: the store sends requests on its own threads. A call ends within
// S3Options::timeout, if necessary with Unavailable, whose message has the server's status and error code and never a
// key, a query or the server's message. The given clock dates the signatures and must show the real time: servers
// reject a signature more than 15 minutes off. Conversely, a gateway that froze with a request in hand may still
// execute it until the signature reaches that age; no client can revoke it.
#pragma once

#include <expected>
#include <optional>
#include <stop_token>
#include <string>

#include "base/error.hpp"
#include "base/worker_pool.hpp"
#include "storage/object_store.hpp"
#include "storage/s3/s3_client.hpp"
#include "storage/s3/s3_options.hpp"

namespace consentry::storage {

class S3Store final : public ObjectStore {
public:
    explicit S3Store(S3Options options);
    S3Store(S3Options options, const Clock& clock);
    ~S3Store() override;  // calls under way end with Unavailable

    awaitable<std::optional<ObjectFacts>> head(Area area, std::string key) override;
    awaitable<std::optional<Object>> get(Area area, std::string key, std::size_t bytes_max) override;
    awaitable<void> put(Area area, std::string key, std::string bytes, std::string mime) override;
    awaitable<void> put_compressed(Area area, std::string key, std::string bytes, std::string mime) override;
    awaitable<void> erase(Area area, std::string key) override;

    milliseconds longest_call() const override { return options_.timeout; }

    std::string address_to_get(const std::string& key, TimePoint now, TimePoint until) const override;
    std::string address_to_put(const std::string& key, const std::string& mime, std::uint64_t size, TimePoint now,
                               TimePoint until) const override;
    std::string public_address(const std::string& key) const override;
    std::string area_name(Area area) const override { return bucket_of(area); }

    void check() override;
    // Blocks. Performs those tests of check() which write no file: missing buckets, a rejected key, a private bucket
    // that strangers can list. Throws as check() does.
    void look();
    awaitable<void> ping(Area area) override;

private:
    const std::string& bucket_of(Area area) const {
        return area == Area::private_area ? options_.private_bucket : options_.public_bucket;
    }
    s3::Deadline deadline_of_call() const { return std::chrono::steady_clock::now() + options_.timeout; }
    s3::Request request(std::string method, Area area, std::string_view key) const;
    s3::Call call_to_put(Area area, std::string_view key, std::string bytes, std::string mime) const;
    awaitable<net::HttpResponse> send(s3::Call call);

    // Part of check(); see s3_check.cpp.
    net::HttpResponse send_now(s3::Call call);
    // The error: the public address of the setting does not respond. Throws if the server does not.
    std::expected<net::HttpResponse, Unavailable> read_in_public(const std::string& key);
    void check(Area area);
    void look(Area area);
    // Returns the outage of the public address, if it could not be tested.
    std::optional<Unavailable> check_strangers(Area area, const std::string& key, const std::string& bytes);

    const S3Options options_;
    s3::Client client_;
    std::stop_source stop_;
    WorkerPool workers_;  // last: its tasks use all of the above
};

}  // namespace consentry::storage
