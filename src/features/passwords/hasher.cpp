#include "features/passwords/hasher.hpp"

#include "crypto/digest.hpp"

namespace consentry {

awaitable<std::string> PasswordHasher::hash(std::string password) {
    return pool_.run([this, password = std::move(password)]() mutable {
        std::string out = crypto::hash_password(password, settings_);
        crypto::wipe(password);
        return out;
    });
}

awaitable<crypto::PasswordVerdict> PasswordHasher::verify(std::string password, std::string stored) {
    return verify(place(), std::move(password), std::move(stored));
}

awaitable<crypto::PasswordVerdict> PasswordHasher::verify(WorkerPool::Place place, std::string password,
                                                          std::string stored) {
    return pool_.run(std::move(place), [this, password = std::move(password), stored = std::move(stored)]() mutable {
        const auto verdict = crypto::verify_password(password, stored, settings_);
        crypto::wipe(password);
        return verdict;
    });
}

}  // namespace consentry
