// Password hashing on its own bounded pool, at nice 19: cheap requests pass by.
#pragma once

#include <chrono>
#include <string>

#include "base/worker_pool.hpp"
#include "crypto/password_hash.hpp"

namespace consentry {

class PasswordHasher {
public:
    PasswordHasher(WorkerPool& pool, crypto::Argon2Settings settings)
        : pool_(pool), settings_(settings), dummy_(crypto::dummy_password_hash(settings)) {}

    // Throw Unavailable where the pool is full. The networks of the clients take turns in it.
    awaitable<std::string> hash(std::string password, ClientNetwork network = {});
    awaitable<crypto::PasswordVerdict> verify(std::string password, std::string stored, ClientNetwork network = {});
    struct Verified {
        crypto::PasswordVerdict verdict;
        std::chrono::steady_clock::time_point began;  // its turn in the pool
    };
    // As above, in a place that was taken before: never refused.
    awaitable<Verified> verify(WorkerPool::Place place, std::string password, std::string stored);
    // How long a hash of this kind takes (crypto::password_kind), measured by one.
    awaitable<std::chrono::steady_clock::duration> measure(std::string kind);
    WorkerPool::Place place(ClientNetwork network = {}) { return pool_.place(network); }  // throws Unavailable
    // A hash that no password matches: an unknown user costs the same (PWD-1).
    const std::string& dummy() const { return dummy_; }
    const crypto::Argon2Settings& settings() const { return settings_; }

private:
    WorkerPool& pool_;
    crypto::Argon2Settings settings_;
    std::string dummy_;
};

}  // namespace consentry
