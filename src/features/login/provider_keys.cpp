#include "features/login/provider_keys.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr milliseconds fetch_timeout{3'000};
constexpr std::size_t answer_bytes_max = 64 * 1024;
constexpr milliseconds fresh_min = std::chrono::minutes{1};
constexpr milliseconds fresh_max = std::chrono::hours{24};
constexpr milliseconds fresh_unsaid = std::chrono::hours{1};
constexpr milliseconds usable_max = std::chrono::hours{24};
// Minimum time between two fetches. It limits fetches caused by unknown key ids, which any client can send.
constexpr milliseconds pause{60'000};
constexpr milliseconds pause_without_keys{5'000};

// RFC 9111 section 5.2.2.1.
milliseconds freshness_of(std::string_view cache_control) {
    constexpr std::string_view name = "max-age=";
    for (std::string_view rest = cache_control; !rest.empty();) {
        const auto comma = rest.find(',');
        const std::string_view directive = trim(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        if (equal_ignoring_case(directive, "no-store") || equal_ignoring_case(directive, "no-cache")) return fresh_min;
        if (directive.size() <= name.size() || !equal_ignoring_case(directive.substr(0, name.size()), name)) continue;
        std::uint32_t age = 0;
        const std::string_view digits = directive.substr(name.size());
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), age);
        if (read.ptr != digits.data() + digits.size()) continue;
        if (read.ec == std::errc::result_out_of_range) return fresh_max;
        if (read.ec == std::errc{}) return std::clamp<milliseconds>(std::chrono::seconds{age}, fresh_min, fresh_max);
    }
    return fresh_unsaid;
}

}  // namespace

ProviderKeys::ProviderKeys(const Clock& clock, Audit audit, Settings settings)
    : clock_(clock),
      audit_(audit),
      settings_(std::move(settings)),
      client_({.ca_file = settings_.ca_file}),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

ProviderKeys::~ProviderKeys() {
    thread_.request_stop();
    thread_.join();
}

bool ProviderKeys::is_usable(const State& state, TimePoint now) {
    // After the clock has been set back, the age of the keys is unknown.
    return state.keys && now + pause >= state.fetched_at && now < state.fetched_at + usable_max;
}

bool ProviderKeys::wants_fetch(const State& state, std::string_view kid, TimePoint now) {
    const bool settled = is_usable(state, now) && now < state.fresh_until && state.keys->find(kid) != nullptr;
    const bool paused = now < state.next_fetch && now + pause >= state.next_fetch;
    return !settled && !paused;
}

ProviderKeys::State ProviderKeys::look() {
    const std::lock_guard lock(mutex_);
    return state_;
}

awaitable<std::optional<crypto::PublicKey>> ProviderKeys::find(std::string kid) {
    State state = look();
    if (wants_fetch(state, kid, clock_.now())) {
        co_await fetched(kid);
        state = look();
    }
    if (is_usable(state, clock_.now()))
        if (const auto* key = state.keys->find(kid)) co_return *key;
    if (!state.failure.empty()) throw Unavailable("keys of " + settings_.provider + ": " + state.failure);
    co_return std::nullopt;
}

awaitable<void> ProviderKeys::fetched(const std::string& kid) {
    co_await handoff<bool>([&](Promise<bool> promise) {
        std::unique_lock lock(mutex_);
        // Another fetch may have completed in the meantime.
        if (!wants_fetch(state_, kid, clock_.now())) {
            lock.unlock();
            promise.set_value(true);
            return;
        }
        waiting_.push_back(std::move(promise));
        lock.unlock();
        asked_.notify_one();
    });
}

void ProviderKeys::work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (asked_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
        lock.unlock();
        std::optional<Fetched> fetched;
        std::string failure;
        try {
            fetched = fetch(stop);
        } catch (const std::exception& error) {
            failure = error.what();
            audit_.tell("identity_provider.keys", Outcome::failure, std::nullopt, {},
                        {{"provider", settings_.provider}, {"reason", failure}});
        }
        lock.lock();
        settle(fetched, std::move(failure));
        auto done = std::exchange(waiting_, {});
        lock.unlock();
        for (auto& promise : done) promise.set_value(true);
        lock.lock();
    }
}

ProviderKeys::Fetched ProviderKeys::fetch(const std::stop_token& stop) {
    const auto answer = client_.fetch({.url = settings_.address,
                                       .headers = {{"Accept", "application/json"}},
                                       .timeout = fetch_timeout,
                                       .answer_bytes_max = answer_bytes_max},
                                      stop);
    if (answer.status != 200) throw Unavailable("status " + std::to_string(answer.status));
    const auto parsed = parse_strict_json(answer.body, {.depth_max = 8, .members_max = 4'000});
    if (!parsed || !parsed->is_object()) throw Unavailable("not JSON");
    auto keys = crypto::KeySet::from_jwks(parsed->get_object());
    if (!keys) throw Unavailable(keys.error());
    return {std::make_shared<const crypto::KeySet>(std::move(*keys)),
            freshness_of(answer.header("cache-control").value_or(""))};
}

void ProviderKeys::settle(const std::optional<Fetched>& fetched, std::string failure) {
    const TimePoint now = clock_.now();
    state_.failure = std::move(failure);
    state_.next_fetch = now + (fetched || is_usable(state_, now) ? pause : pause_without_keys);
    if (!fetched) return;
    state_.keys = fetched->keys;
    state_.fetched_at = now;
    state_.fresh_until = now + fetched->fresh;
}

}  // namespace consentry
