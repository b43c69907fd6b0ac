// Gathers the cosignatures of witnesses on the checkpoints of a log (c2sp.org/tlog-witness). A witness signs a
// checkpoint only if it continues the one that it signed before, so a log that is rewritten gets no cosignature.
//
// Nothing waits for a witness but this work itself. One that fails is tried again later and later; the log says so
// once. Any number of processes may gather for one log: the witnesses and the database sort out who is ahead.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/logger.h>

#include "base/clock.hpp"
#include "base/worker_pool.hpp"
#include "features/published_logs/published_log.hpp"
#include "net/http_client.hpp"
#include "tlog/policy.hpp"

namespace consentry {

struct WitnessPolicy {
    tlog::Policy policy;
    std::string lines;  // what verifiers need of it: tlog::verifier_lines()
};

// Reads the policy file that names the witnesses. Throws std::runtime_error if it is not one, if it has no witness, or
// if a witness has no URL.
WitnessPolicy read_witnesses(const std::filesystem::path& file);

class Cosigning {
public:
    struct Options {
        tlog::Policy policy;
        std::string ca_file{};        // trusted instead of the system's certificates
        milliseconds timeout{5'000};  // of one request
    };
    // The references must outlive this object.
    Cosigning(PublishedLog& log, const Clock& clock, Options options);
    ~Cosigning();  // breaks off the requests that are under way
    Cosigning(const Cosigning&) = delete;
    Cosigning& operator=(const Cosigning&) = delete;

    // Throws std::runtime_error if the policy names logs, but not this one. Requires
    // PublishedLog::check().
    void check_log() const;
    // Asks all witnesses at once that have not cosigned the latest checkpoint, except those that wait after a failure.
    // Returns once the quorum is reached, so that a slow witness delays no later checkpoint; or once all have answered.
    awaitable<void> work();

private:
    struct Round;
    // What became of one request, or why it failed.
    struct Reply {
        net::HttpResponse response;
        std::string silence;  // empty: there is a response
    };
    struct Outcome;
    class Witness {
    public:
        // `log` is what messages call the log.
        Witness(const tlog::PolicyWitness& policy, std::string_view log, const Options& options);

        Reply post(const std::string& body, const std::stop_token& stop);  // blocks
        const tlog::PolicyWitness& policy() const { return policy_; }
        std::uint64_t known_size() const;
        void knows(std::uint64_t size);
        // Returns false if it waits after a failure, or a request is under way. Otherwise one is until ended().
        bool begins(TimePoint now);
        void ended();
        void succeeded(spdlog::logger& log);
        // `kind` is the same as long as the reason is; the log gets a line when it changes.
        void failed(std::string_view kind, const std::string& why, TimePoint now, spdlog::logger& log);

    private:
        const tlog::PolicyWitness policy_;
        const std::string log_;
        const milliseconds timeout_;
        net::HttpClient client_;  // of the request under way
        mutable std::mutex mutex_;
        // Guarded by mutex_.
        bool is_busy_ = false;
        std::uint64_t known_size_ = 0;  // what it has cosigned
        std::string trouble_;           // the kind of the last failure; empty: none since the last success
        int failures_ = 0;
        TimePoint retry_at_{};
        TimePoint failed_at_{};
    };

    void begin(Round& round, const LogState& known) const;
    awaitable<void> gather(std::shared_ptr<Round> round, std::vector<std::size_t> witnesses);
    awaitable<void> ask(std::shared_ptr<Round> round, std::size_t place);
    awaitable<void> ask_one(std::shared_ptr<Round> round, std::size_t place);
    awaitable<Outcome> request(std::shared_ptr<Round> round, std::size_t place);
    static Outcome read_signatures(const Round& round, const tlog::VerifierKey& key, std::string_view lines);
    awaitable<Outcome> explain_conflict(std::shared_ptr<Round> round, std::uint64_t old, std::uint64_t size);
    awaitable<void> keep(std::shared_ptr<Round> round);

    PublishedLog& log_;
    const Clock& clock_;
    const tlog::Policy policy_;
    const std::shared_ptr<spdlog::logger> messages_;
    std::vector<std::unique_ptr<Witness>> witnesses_;  // as in the policy
    std::stop_source stopping_;
    WorkerPool requests_;
};

}  // namespace consentry
