// Hashes passwords on a bounded thread pool of its own, at nice 19, and 5 for guests, so that cheap requests are not
// delayed.
#pragma once

#include <chrono>
#include <expected>
#include <string>

#include "base/worker_pool.hpp"
#include "crypto/password_hash.hpp"

namespace consentry {

class PasswordHasher {
public:
    PasswordHasher(WorkerPool& pool, crypto::Argon2Settings settings)
        : pool_(pool), settings_(settings), dummy_(crypto::dummy_password_hash(settings)) {}

    // Throw Unavailable if the pool is full. The pool serves client networks in turn.
    awaitable<std::string> hash(std::string password, ClientNetwork network = {});
    awaitable<crypto::PasswordVerdict> verify(std::string password, std::string stored, ClientNetwork network = {});
    struct Verified {
        crypto::PasswordVerdict verdict;
        std::chrono::steady_clock::time_point began;  // when the pool started it
    };
    // Like verify() above, in a place reserved before: never throws Unavailable for a full pool.
    awaitable<Verified> verify(WorkerPool::Place place, std::string password, std::string stored);
    // Measures how long one hash of this kind (crypto::password_kind) takes. The error says why none can be computed,
    // for example because there is no memory for it.
    awaitable<std::expected<std::chrono::steady_clock::duration, std::string>> measure(std::string kind);
    WorkerPool::Place place(ClientNetwork network = {}) { return pool_.place(network); }  // throws Unavailable
    // A hash that no password matches. Verifying it makes an unknown user cost as much as a known one (PWD-1).
    const std::string& dummy() const { return dummy_; }
    const crypto::Argon2Settings& settings() const { return settings_; }

private:
    WorkerPool& pool_;
    crypto::Argon2Settings settings_;
    std::string dummy_;
};

}  // namespace consentry
