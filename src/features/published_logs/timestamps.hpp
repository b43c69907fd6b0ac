// Timestamps of an authority (RFC 3161) on the checkpoints of a log: evidence of time that does not depend on the
// log's own clock. Once an hour, if the log has grown, the text of its checkpoint is stamped, and the answer is
// published beside the tiles. Nothing waits for it.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/worker_pool.hpp"
#include "features/published_logs/published_log.hpp"
#include "net/http_client.hpp"

namespace consentry {

class Timestamps {
public:
    // The references must outlive this object. `url` is that of the authority. `ca_file` holds the certificates to
    // trust instead of the system's, if it is not empty.
    Timestamps(PublishedLog& log, const Clock& clock, std::string url, std::string ca_file);
    ~Timestamps();  // breaks off a request that is under way
    Timestamps(const Timestamps&) = delete;
    Timestamps& operator=(const Timestamps&) = delete;

    // Has the latest checkpoint stamped if that is due. Throws std::runtime_error if the authority fails; after a few
    // minutes, it is due again. Until an instance has a timestamp, calls in between throw the same.
    awaitable<void> work();

private:
    struct Failure {
        // Of the checkpoint without a timestamp. One that cannot be read: no other instance ends the outage.
        std::uint64_t size = std::numeric_limits<std::uint64_t>::max();
        std::string why;
    };

    awaitable<void> stamp(std::string checkpoint);
    awaitable<void> repeat_failure();
    std::string fetch(const Bytes& query);  // blocks
    std::optional<Failure> last_failure() const;
    void remember(std::optional<Failure> failure);

    PublishedLog& log_;
    const Clock& clock_;
    const std::string url_;
    std::stop_source stopping_;
    net::HttpClient client_;  // used by the one thread of requests_
    WorkerPool requests_;
    mutable std::mutex mutex_;
    std::optional<Failure> failure_;
};

}  // namespace consentry
