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

// The server adds it to its clock and refuses what overflows. A hundred years are as good as any.
constexpr milliseconds longest_ttl = std::chrono::hours{24 * 365 * 100};

std::string digits_of(milliseconds ttl) { return std::to_string(std::min(ttl, longest_ttl).count()); }

[[noreturn]] void fail_by_answer() { throw Unavailable("redis answers something else than was asked for"); }

std::optional<std::string> value_of(const Reply& reply) {
    if (reply.is_nil()) return std::nullopt;
    const auto text = reply.text();
    if (!text) fail_by_answer();
    return std::string(*text);
}

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
    const Reply reply =
        co_await clients_.of(executor).execute({.words = {"GET", key}, .count = 2, .key = key, .is_repeatable = true});
    co_return value_of(reply);
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
    co_await clients_.of(executor).execute({.words = {"DEL", key}, .count = 2, .key = key});
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
