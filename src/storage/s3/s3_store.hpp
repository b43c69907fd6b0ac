// Objects on a server that speaks S3. An area is a bucket; it and the rights to it are made by whoever runs the server,
// never by the service.
//
// Nothing blocks the calling thread: requests go out on threads of the store's own. A call ends within
// S3Options::timeout, with Unavailable if need be; its text has the server's status and error code, never a key, a
// query or the server's own words. Signatures are dated with the clock given, which has to be the world's: servers
// refuse what is more than 15 minutes off. So a gateway that froze with a request in hand may still carry it out, until
// the signature is that old; no client can take it back.
#pragma once

#include <stop_token>

#include "base/worker_pool.hpp"
#include "storage/object_store.hpp"
#include "storage/s3/s3_client.hpp"
#include "storage/s3/s3_options.hpp"

namespace consentry::storage {

class S3Store final : public ObjectStore {
public:
    explicit S3Store(S3Options options);
    S3Store(S3Options options, const Clock& clock);
    ~S3Store() override;  // calls that are under way end with Unavailable

    awaitable<std::optional<ObjectFacts>> head(Area area, std::string key) override;
    awaitable<std::optional<Object>> get(Area area, std::string key, std::size_t bytes_max) override;
    awaitable<void> put(Area area, std::string key, std::string bytes, std::string mime) override;
    awaitable<void> erase(Area area, std::string key) override;

    milliseconds longest_call() const override { return options_.timeout; }

    std::string address_to_get(const std::string& key, TimePoint now, TimePoint until) const override;
    std::string address_to_put(const std::string& key, const std::string& mime, std::uint64_t size, TimePoint now,
                               TimePoint until) const override;
    std::string public_address(const std::string& key) const override;
    std::string area_name(Area area) const override { return bucket_of(area); }

    void check() override;
    // Blocks. What check() finds without writing a file: buckets that are not there, a key that is refused, a private
    // bucket whose files strangers can list. Throws as check() does.
    void look();
    awaitable<void> ping(Area area) override;

private:
    const std::string& bucket_of(Area area) const {
        return area == Area::private_area ? options_.private_bucket : options_.public_bucket;
    }
    s3::Request request(std::string method, Area area, std::string_view key) const;
    s3::Call call_to_put(Area area, std::string_view key, std::string bytes, std::string mime) const;
    awaitable<net::HttpResponse> send(s3::Call call);

    // Of check(), see s3_check.cpp.
    net::HttpResponse send_now(s3::Call call);
    net::HttpResponse read_in_public(const std::string& key);
    void check(Area area);
    void look(Area area);
    void check_strangers(Area area, const std::string& key, const std::string& bytes);

    const S3Options options_;
    s3::Client client_;
    std::stop_source stop_;
    WorkerPool workers_;  // last: what it runs uses all of the above
};

}  // namespace consentry::storage
