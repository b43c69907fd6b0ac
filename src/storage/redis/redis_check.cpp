// RedisCache::check(): the problems that can be found at the start of the program, before a caller meets them.
#include <charconv>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/run_to_end.hpp"
#include "base/uuid.hpp"
#include "storage/redis/redis_attempt.hpp"
#include "storage/redis/redis_cache.hpp"

namespace consentry::storage {
namespace {

using namespace redis;

// Returns a field of INFO or CLUSTER INFO, which consist of "name:value" lines.
std::string_view field(std::string_view info, std::string_view name) {
    for (std::size_t start = 0; start < info.size();) {
        const auto end = std::min(info.find("\r\n", start), info.size());
        const std::string_view line = info.substr(start, end - start);
        if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) return line.substr(name.size() + 1);
        start = end + 2;
    }
    return {};
}

// GETDEL requires 6.2.
bool is_too_old(std::string_view version) {
    int major = 0;
    int minor = 0;
    const char* const end = version.data() + version.size();
    const auto dot = std::from_chars(version.data(), end, major).ptr;
    if (dot == version.data()) return false;  // unknown
    if (dot != end) std::from_chars(dot + 1, end, minor);
    return major < 6 || (major == 6 && minor < 2);
}

void check_kind(const Link& link, RedisKind kind, std::string_view mode) {
    if (mode == "sentinel") throw Misconfigured(link.named("is a sentinel; the URL must begin with redis+sentinel"));
    if (mode == "cluster" && kind != RedisKind::cluster)
        throw Misconfigured(link.named("is in cluster mode; the URL must begin with redis+cluster"));
    if (mode == "standalone" && kind == RedisKind::cluster)
        throw Misconfigured(link.named("is not in cluster mode; the URL must begin with redis:// or rediss://"));
}

// Skips what the user has no permission to query (NOPERM); the trial of the commands reveals the rest.
awaitable<void> inspect(std::shared_ptr<const Settings> settings, std::optional<RedisAddress> server) {
    const auto executor = co_await boost::asio::this_coro::executor;
    const RedisKind kind = settings->options().kind;
    const std::shared_ptr<Link> link =
        co_await Attempt::run(std::make_shared<Attempt>(executor, settings, std::move(server)));
    link->close_after(settings->long_connect_timeout());
    std::vector<std::vector<std::string_view>> questions{{"INFO", "server"}, {"ROLE"}};
    if (kind == RedisKind::cluster) {
        questions.push_back({"CLUSTER", "INFO"});
        questions.push_back({"CLUSTER", "SLOTS"});
        questions.push_back({"ASKING"});
    }
    const std::vector<Reply> replies = co_await link->ask(std::move(questions));
    link->close();

    const std::string_view info = replies[0].text().value_or("");
    check_kind(*link, kind, field(info, "redis_mode"));
    const std::string_view version = field(info, "redis_version");
    if (is_too_old(version))
        throw Misconfigured(link->named("version " + std::string(version) + " is too old; 6.2 or newer is required"));
    if (kind == RedisKind::single && replies[1].at(0).text() == "slave")
        throw Misconfigured(link->named("is a read-only replica"));
    if (kind != RedisKind::cluster) co_return;
    if (field(replies[2].text().value_or(""), "cluster_state") == "fail")
        throw Unavailable(link->named("the cluster is down"));
    if (replies[3].error_code() == "NOPERM")
        throw Misconfigured(link->named("the user lacks permission to run CLUSTER SLOTS"));
    if (replies[4].error_code() == "NOPERM")
        throw Misconfigured(link->named("the user lacks permission to run ASKING"));
}

awaitable<void> inspect_cluster(std::shared_ptr<const Settings> settings) {
    std::exception_ptr failure;
    for (const RedisAddress& address : settings->options().addresses) {
        try {
            co_await inspect(settings, address);
            co_return;
        } catch (const Unavailable&) {
            failure = std::current_exception();
        }
    }
    std::rethrow_exception(failure);
}

enum class Trial { whole, without_writing };

// `who`: the subject of the error messages.
awaitable<void> try_commands(Cache& cache, Trial trial, std::string name_space, std::string who) {
    const std::string key = "check:" + Uuid::v7(SystemClock{}.now()).text();
    std::string command = "SET";
    try {
        if (trial == Trial::whole) co_await cache.put(key, "1", std::chrono::seconds{10});
        command = "GET";
        co_await cache.get(key);
        command = "GETDEL";
        co_await cache.take(key);
        command = "DEL";
        co_await cache.erase(key);
        if (trial == Trial::whole) {
            command = "EVAL (with TIME, LRANGE, LPUSH, LTRIM and PEXPIRE)";
            co_await cache.admit(key, 1, std::chrono::seconds{1});
            command = "EVAL (with INCR, PEXPIRE and PTTL)";
            co_await cache.admit(key, SlidingWindows::exact_limit_max + 1, std::chrono::seconds{1});
            command = "DEL";
            for (const char* suffix : {":times", ":count"}) co_await cache.erase(key + suffix);
        }
        command = "PING";
        co_await cache.ping();
    } catch (const ReplyError& refused) {
        const std::string& code = refused.code();
        if (code == "NOPERM")
            throw Misconfigured(who + ": the user lacks permission to run " + command + ", or to use keys " +
                                name_space + ":*");
        if (code == "READONLY") throw Misconfigured(who + ": is a read-only replica");
        if (code == "MOVED" || code == "ASK")
            throw Misconfigured(who + ": is in cluster mode; the URL must begin with redis+cluster");
        // A permission that a script lacks is reported as an error of the script.
        if (code == "ERR" && command.starts_with("EVAL"))
            throw Misconfigured(who + ": the user lacks permission to run " + command + ", or to use keys " +
                                name_space + ":*");
        if (code == "ERR") throw Misconfigured(who + ": does not support " + command + "; 6.2 or newer is required");
        throw Unavailable(who + ": answers " + code);
    }
}

std::string name_of(const RedisOptions& options) {
    if (options.kind == RedisKind::sentinel) return "redis master '" + options.master_name + "'";
    return (options.kind == RedisKind::cluster ? "redis cluster of " : "redis at ") + options.addresses.front().text();
}

}  // namespace

void RedisCache::inspect_servers() const {
    switch (const RedisOptions& options = settings_->options(); options.kind) {
        case RedisKind::single:
            run_to_end(inspect(settings_, options.addresses.front()));
            break;
        case RedisKind::sentinel:
            run_to_end(inspect(settings_, std::nullopt));
            break;
        case RedisKind::cluster:
            run_to_end(inspect_cluster(settings_));
            break;
    }
}

void RedisCache::check() {
    inspect_servers();
    run_to_end(try_commands(*this, Trial::whole, settings_->options().name_space, name_of(settings_->options())));
}

void RedisCache::look() {
    inspect_servers();
    run_to_end(
        try_commands(*this, Trial::without_writing, settings_->options().name_space, name_of(settings_->options())));
}

}  // namespace consentry::storage
