#include "storage/redis/redis_cache.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "storage/redis/redis_client.hpp"

namespace consentry::storage {
namespace {

using redis::Client;
using redis::Command;
using redis::Reply;

// The server adds the ttl to its clock and rejects an overflow. A hundred years is effectively forever.
constexpr milliseconds longest_ttl = std::chrono::hours{24 * 365 * 100};

std::string digits_of(milliseconds ttl) { return std::to_string(std::min(ttl, longest_ttl).count()); }

// Both scripts return {admitted, remaining, milliseconds to wait}, measured by the server's clock, so instances need
// not agree about the time. A list holds the times of the last events, newest first. Setting the server's clock back
// must not keep old events forever (RAC-6): times to come do not count, and a count that would stay for longer than the
// window begins again.
constexpr std::string_view remember_event = R"(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local living, oldest = 0, now
for _, time in ipairs(redis.call('LRANGE', KEYS[1], 0, limit - 1)) do
  time = tonumber(time)
  if time <= now and now - time < window then living, oldest = living + 1, math.min(oldest, time) end
end
local wait = oldest + window - now
if living >= limit then return {0, 0, wait} end
redis.call('LPUSH', KEYS[1], now)
redis.call('LTRIM', KEYS[1], 0, limit - 1)
redis.call('PEXPIRE', KEYS[1], window)
return {1, limit - living - 1, wait})";

constexpr std::string_view count_event = R"(
local limit = tonumber(ARGV[1])
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local wait = redis.call('PTTL', KEYS[1])
if wait > tonumber(ARGV[2]) then
  redis.call('SET', KEYS[1], 1, 'PX', ARGV[2])
  count, wait = 1, tonumber(ARGV[2])
end
if count > limit then return {0, 0, wait} end
return {1, limit - count, wait})";

[[noreturn]] void fail_by_answer() { throw Unavailable("redis: unexpected reply"); }

std::optional<std::string> value_of(const Reply& reply) {
    if (reply.is_nil()) return std::nullopt;
    const auto text = reply.text();
    if (!text) fail_by_answer();
    return std::string(*text);
}

Command get_command(std::string_view key) {
    return {.words = {"GET", key}, .count = 2, .key = key, .is_repeatable = true};
}

class PendingReading final : public Cache::Reading {
public:
    PendingReading(Client& client, std::string key) : client_(client), key_(std::move(key)), call_(get_command(key_)) {
        client_.begin(call_);
    }
    bool is_done() const override { return reply_ || call_.has_reply(); }
    awaitable<void> wait() override { reply_ = co_await client_.finish(call_); }
    std::optional<std::string> value() override { return value_of(reply_ ? *reply_ : call_.waiter->reply); }

private:
    Client& client_;
    const std::string key_;
    redis::Call call_;
    std::optional<Reply> reply_;
};

}  // namespace

RedisCache::RedisCache(RedisOptions options)
    : settings_(std::make_shared<const redis::Settings>(std::move(options))),
      clients_([settings = settings_](const boost::asio::any_io_executor& executor) {
          return std::make_shared<Client>(executor, settings);
      }) {}

RedisCache::~RedisCache() = default;

awaitable<std::optional<std::string>> RedisCache::get(std::string key) {
    const auto executor = co_await boost::asio::this_coro::executor;
    key = full(key);
    const Reply reply = co_await clients_.of(executor).execute(get_command(key));
    co_return value_of(reply);
}

std::unique_ptr<Cache::Reading> RedisCache::begin_get(const boost::asio::any_io_executor& executor, std::string key) {
    return std::make_unique<PendingReading>(clients_.of(executor), full(key));
}

awaitable<void> RedisCache::put(std::string key, std::string value, milliseconds ttl) {
    if (ttl <= milliseconds{0}) {
        co_await erase(std::move(key));
        co_return;
    }
    const auto executor = co_await boost::asio::this_coro::executor;
    key = full(key);
    const std::string lifetime = digits_of(ttl);
    co_await clients_.of(executor).execute({.words = {"SET", key, value, "PX", lifetime}, .count = 5, .key = key});
}

awaitable<bool> RedisCache::put_if_absent(std::string key, std::string value, milliseconds ttl) {
    if (ttl <= milliseconds{0}) {
        const auto found = co_await get(std::move(key));
        co_return !found;
    }
    const auto executor = co_await boost::asio::this_coro::executor;
    key = full(key);
    const std::string lifetime = digits_of(ttl);
    const Reply reply = co_await clients_.of(executor).execute(
        {.words = {"SET", key, value, "PX", lifetime, "NX"}, .count = 6, .key = key});
    if (!reply.is_nil() && !reply.text()) fail_by_answer();
    co_return !reply.is_nil();
}

awaitable<std::optional<std::string>> RedisCache::take(std::string key) {
    const auto executor = co_await boost::asio::this_coro::executor;
    key = full(key);
    const Reply reply = co_await clients_.of(executor).execute({.words = {"GETDEL", key}, .count = 2, .key = key});
    co_return value_of(reply);
}

awaitable<void> RedisCache::erase(std::string key) {
    const auto executor = co_await boost::asio::this_coro::executor;
    key = full(key);
    co_await clients_.of(executor).execute({.words = {"DEL", key}, .count = 2, .key = key, .is_repeatable = true});
}

awaitable<Admission> RedisCache::admit(std::string key, std::int64_t limit, milliseconds window) {
    const auto executor = co_await boost::asio::this_coro::executor;
    const bool is_exact = limit <= SlidingWindows::exact_limit_max;
    key = full(key) + (is_exact ? ":times" : ":count");
    const std::string limit_text = std::to_string(limit);
    const std::string window_text = digits_of(window);
    const Reply reply = co_await clients_.of(executor).execute(
        {.words = {"EVAL", is_exact ? remember_event : count_event, "1", key, limit_text, window_text},
         .count = 6,
         .key = key});
    if (reply.size() != 3) fail_by_answer();
    const auto admitted = reply.at(0).integer();
    const auto remaining = reply.at(1).integer();
    const auto wait = reply.at(2).integer();
    if (!admitted || !remaining || !wait) fail_by_answer();
    co_return Admission{
        .admitted = *admitted == 1, .remaining = *remaining, .wait = milliseconds{std::max<std::int64_t>(0, *wait)}};
}

awaitable<void> RedisCache::ping() {
    const auto executor = co_await boost::asio::this_coro::executor;
    co_await clients_.of(executor).execute({.words = {"PING"}, .count = 1, .is_repeatable = true});
}

std::string RedisCache::group(std::string_view id) const {
    if (settings_->options().kind != RedisKind::cluster) return std::string(id);
    return "{" + std::string(id) + "}";
}

std::string RedisCache::full(const std::string& key) const { return settings_->options().name_space + ":" + key; }

}  // namespace consentry::storage
