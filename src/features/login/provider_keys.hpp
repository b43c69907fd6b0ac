// The signing keys of an identity provider, from the one address given in the settings (SOC-5).
//
// Keys are fetched over https on a separate thread and on demand; concurrent callers share one fetch. The keys stay
// cached as long as the provider allows, within bounds. If the provider is down, the last good set is used for up to a
// day, so only tokens signed with a key not yet known are affected.
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
    // `clock` must outlive this object.
    ProviderKeys(const Clock& clock, Audit audit, Settings settings);
    ~ProviderKeys();
    ProviderKeys(const ProviderKeys&) = delete;
    ProviderKeys& operator=(const ProviderKeys&) = delete;

    // Returns nullopt if the provider has no such key. Throws Unavailable if that cannot be determined because the last
    // fetch failed.
    awaitable<std::optional<crypto::PublicKey>> find(std::string kid);

private:
    struct Fetched {
        std::shared_ptr<const crypto::KeySet> keys;
        milliseconds fresh;  // how long the keys may be used without a new fetch
    };
    struct State {
        std::shared_ptr<const crypto::KeySet> keys;  // null: not fetched yet
        TimePoint fetched_at{};
        TimePoint fresh_until{};
        TimePoint next_fetch{};                   // no fetch before this time
        std::string failure = "not fetched yet";  // of the last fetch; empty after a success
    };
    static bool is_usable(const State& state, TimePoint now);
    // Returns true if the keys are stale or do not include `kid`, and the pause since the last fetch is over.
    static bool wants_fetch(const State& state, std::string_view kid, TimePoint now);
    State look();
    awaitable<void> fetched(const std::string& kid);
    void work(const std::stop_token& stop);
    Fetched fetch(const std::stop_token& stop);
    void settle(const std::optional<Fetched>& fetched, std::string failure);

    const Clock& clock_;
    const Audit audit_;
    const Settings settings_;
    net::HttpClient client_;  // used by the thread only
    std::mutex mutex_;
    std::condition_variable_any asked_;
    State state_;
    std::vector<Promise<bool>> waiting_;  // not empty: a fetch is running or about to start
    std::jthread thread_;
};

}  // namespace consentry
