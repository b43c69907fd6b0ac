// The keys an identity provider signs with, from the one address that the settings name (SOC-5).
//
// Fetched over https on a thread of its own when somebody needs them, once for all who wait, and kept as long as the
// provider allows within bounds. A provider that is away is in nobody's way but of those who bring a key that is not
// known yet: the last good set goes on for a day.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/handoff.hpp"
#include "crypto/key_set.hpp"
#include "features/activity/audit.hpp"
#include "net/http_client.hpp"

namespace consentry {

class ProviderKeys {
public:
    struct Settings {
        std::string provider;  // for the security events
        std::string address;   // https
        std::string ca_file;   // empty: the system's certificates
    };
    // `clock` outlives it.
    ProviderKeys(const Clock& clock, Audit audit, Settings settings);
    ~ProviderKeys();
    ProviderKeys(const ProviderKeys&) = delete;
    ProviderKeys& operator=(const ProviderKeys&) = delete;

    // nullopt: the provider has no such key. Throws Unavailable where it does not answer and so nobody can tell.
    awaitable<std::optional<crypto::PublicKey>> find(std::string kid);

private:
    struct Fetched {
        std::shared_ptr<const crypto::KeySet> keys;
        milliseconds fresh;  // how long they may be used without asking again
    };
    struct State {
        std::shared_ptr<const crypto::KeySet> keys;  // null: none yet
        TimePoint fetched_at{};
        TimePoint fresh_until{};
        TimePoint next_fetch{};                // not before
        std::string failure = "nobody asked";  // of the last fetch; empty: the provider answered
    };
    static bool is_usable(const State& state, TimePoint now);
    // Keys are old, or this one is unknown, and the last fetch is long enough ago.
    static bool wants_fetch(const State& state, std::string_view kid, TimePoint now);
    State look();
    awaitable<void> fetched(const std::string& kid);
    void work(const std::stop_token& stop);
    Fetched fetch(const std::stop_token& stop);
    void settle(const std::optional<Fetched>& fetched, std::string failure);

    const Clock& clock_;
    const Audit audit_;
    const Settings settings_;
    net::HttpClient client_;  // of the thread
    std::mutex mutex_;
    std::condition_variable_any asked_;
    State state_;
    std::vector<Promise<bool>> waiting_;  // not empty: a fetch is under way, or about to begin
    std::jthread thread_;
};

}  // namespace consentry
