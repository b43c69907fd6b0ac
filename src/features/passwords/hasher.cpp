#include "features/passwords/hasher.hpp"

#include <exception>

#include "crypto/digest.hpp"

namespace consentry {

awaitable<std::string> PasswordHasher::hash(std::string password, ClientNetwork network) {
    return pool_.run(
        [this, password = std::move(password)]() mutable {
            std::string out = crypto::hash_password(password, settings_);
            crypto::wipe(password);
            return out;
        },
        network);
}

awaitable<crypto::PasswordVerdict> PasswordHasher::verify(std::string password, std::string stored,
                                                          ClientNetwork network) {
    const auto verified = co_await verify(place(network), std::move(password), std::move(stored));
    co_return verified.verdict;
}

awaitable<PasswordHasher::Verified> PasswordHasher::verify(WorkerPool::Place place, std::string password,
                                                           std::string stored) {
    return pool_.run(std::move(place), [this, password = std::move(password), stored = std::move(stored)]() mutable {
        const auto began = std::chrono::steady_clock::now();
        const auto verdict = crypto::verify_password(password, stored, settings_);
        crypto::wipe(password);
        return Verified{verdict, began};
    });
}

awaitable<std::expected<std::chrono::steady_clock::duration, std::string>> PasswordHasher::measure(std::string kind) {
    using Measured = std::expected<std::chrono::steady_clock::duration, std::string>;
    return pool_.run([this, kind = std::move(kind)]() -> Measured {
        const auto began = std::chrono::steady_clock::now();
        try {
            crypto::verify_password("a password", crypto::dummy_of_kind(kind), settings_);
        } catch (const std::exception& error) {
            return std::unexpected(std::string(error.what()));
        }
        return std::chrono::steady_clock::now() - began;
    });
}

}  // namespace consentry
