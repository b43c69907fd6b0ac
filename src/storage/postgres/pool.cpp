#include "storage/postgres/pool.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <tuple>
#include <unordered_map>

#include <boost/asio/post.hpp>

#include "base/error.hpp"

namespace consentry::storage::postgres {
namespace {

constexpr std::size_t waiting_max = 4'096;  // per channel
constexpr std::size_t keys_at_once_max = 256;

std::exception_ptr too_many() {
    return std::make_exception_ptr(Unavailable("postgres: too many requests are waiting for a connection"));
}

// Made while there still is memory.
const std::exception_ptr& out_of_memory() {
    static const std::exception_ptr error = std::make_exception_ptr(Unavailable("postgres: out of memory"));
    return error;
}

// Resumes the caller directly, since this is its thread. Does nothing if the caller has canceled.
void answer(Pool::Found& waiting, std::exception_ptr error, Rows rows) {
    Pool::Found handler;
    handler.swap(waiting);
    if (handler) std::move(handler)(std::move(error), std::move(rows));
}

}  // namespace

std::shared_ptr<Pool> Pool::make(const asio::any_io_executor& executor, std::shared_ptr<const PostgresOptions> options,
                                 std::shared_ptr<Health> health, WorkerPool& connectors) {
    out_of_memory();
    auto pool = std::shared_ptr<Pool>(new Pool(options, health));
    for (int i = 0; i < options->connections; ++i) {
        auto channel = std::make_shared<Channel>(executor, options, health, connectors);
        channel->on_silence = [weak = std::weak_ptr(pool)](const std::string& why) {
            if (const auto all = weak.lock())
                for (const auto& other : all->channels_) other->give_up(why);
        };
        pool->channels_.push_back(std::move(channel));
    }
    return pool;
}

Job Pool::make_job(std::vector<WireStatement> statements, bool writes,
                   std::move_only_function<void(Answer)> done) const {
    return {.statements = std::move(statements),
            .writes = writes,
            .done = std::move(done),
            .deadline = std::chrono::steady_clock::now() + options_->timeout};
}

// Prefers an idle connection, then a new one, then the least loaded. Until two jobs overlap, the connection for
// look-ups serves the others as well, so that a quiet thread keeps a single connection. While the server is down, uses
// only open connections if there are any.
Channel& Pool::least_loaded() {
    Channel& for_look_ups = *channels_.front();
    const std::ranges::subrange others(channels_.begin() + 1, channels_.end());
    const auto is_unused = [](const auto& channel) { return !channel->is_open() && channel->load() == 0; };
    if (others.empty() || (for_look_ups.load() == 0 && std::ranges::all_of(others, is_unused))) return for_look_ups;
    const bool no_new_ones = !health_->is_up();
    return **std::ranges::min_element(others, {}, [&](const auto& channel) {
        return std::tuple(no_new_ones && !channel->is_open(), channel->load(), !channel->is_open());
    });
}

void Pool::submit(std::vector<WireStatement> statements, bool writes, std::move_only_function<void(Answer)> done) {
    Channel& channel = least_loaded();
    if (channel.load() >= waiting_max) {
        done({.error = too_many()});
        return;
    }
    channel.submit(make_job(std::move(statements), writes, std::move(done)));
}

void Pool::look_up(std::string_view sql, std::optional<Uuid> key, std::shared_ptr<Found> waiting) {
    auto found = std::ranges::find(look_ups_, sql, [](const auto& one) -> std::string_view { return one->sql; });
    const auto refuse = [&](std::exception_ptr error) {
        asio::post(channels_.front()->executor(),
                   [waiting = std::move(waiting), error = std::move(error)] { answer(*waiting, error, {}); });
    };
    if (found == look_ups_.end()) {
        try {
            look_ups_.push_back(std::make_unique<LookUps>(
                LookUps{.sql = std::string(sql), .text = key ? for_many_keys(sql) : std::string(sql)}));
        } catch (const std::logic_error&) {
            refuse(std::current_exception());
            return;
        }
        found = std::prev(look_ups_.end());
    }
    LookUps& look_ups = **found;
    if (look_ups.waiting.size() >= waiting_max) {
        refuse(too_many());
        return;
    }
    look_ups.waiting.push_back({key, std::move(waiting), std::chrono::steady_clock::now() + options_->timeout});
    if (look_ups.under_way) return;
    // Posted to the end of this event loop turn, so that look-ups of the other requests in this turn join.
    try {
        asio::post(channels_.front()->executor(), [self = shared_from_this(), &look_ups] { self->ask(look_ups); });
    } catch (...) {
        look_ups.waiting.pop_back();
        throw;
    }
    look_ups.under_way = true;
}

// A caller that waits behind others must not have all their timeouts on top of its own.
void Pool::refuse_late_ones(LookUps& look_ups) {
    const auto now = std::chrono::steady_clock::now();
    std::exception_ptr error;
    while (!look_ups.waiting.empty() && look_ups.waiting.front().deadline <= now) {
        if (!error) error = std::make_exception_ptr(Unavailable("postgres: no answer in time"));
        const Asked late = std::move(look_ups.waiting.front());
        look_ups.waiting.pop_front();
        answer(*late.waiting, error, {});
    }
}

void Pool::ask(LookUps& look_ups) {
    auto& waiting = look_ups.waiting;
    std::shared_ptr<std::vector<Asked>> asked;
    try {
        refuse_late_ones(look_ups);
        if (waiting.empty()) {
            look_ups.under_way = false;
            return;
        }
        asked = std::make_shared<std::vector<Asked>>();
        const std::size_t count = std::min(waiting.size(), keys_at_once_max);
        asked->reserve(count);
        for (; asked->size() < count; waiting.pop_front()) asked->push_back(std::move(waiting.front()));
        send(look_ups, asked);
    } catch (...) {
        // Out of memory. No caller may wait for a message that is not under way.
        const std::exception_ptr& error = out_of_memory();
        look_ups.under_way = false;
        std::size_t left = waiting.size();  // those that the answers make ask again come behind them
        if (asked)
            for (const Asked& one : *asked) answer(*one.waiting, error, {});
        for (; left > 0; --left) {
            const Asked one = std::move(waiting.front());
            waiting.pop_front();
            answer(*one.waiting, error, {});
        }
    }
}

void Pool::send(LookUps& look_ups, const std::shared_ptr<std::vector<Asked>>& asked) {
    std::vector<WireStatement> statements(1);
    statements.front().sql = look_ups.text;
    auto& keys = statements.front().keys;
    for (const Asked& one : *asked)
        if (one.key) keys.push_back(*one.key);
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    // The message has a timeout of its own. If it had only what its look-ups have left, a server that needs half of the
    // timeout would answer none.
    Job job = make_job(std::move(statements), false, [self = weak_from_this(), &look_ups, asked](Answer answered) {
        // First, so that the next message is under way while the answers are delivered.
        if (const auto pool = self.lock()) pool->ask(look_ups);
        deliver(*asked, std::move(answered));
    });
    Channel& channel = channels_.front()->is_open() || health_->is_up() ? *channels_.front() : least_loaded();
    channel.submit(std::move(job));
}

void Pool::deliver(const std::vector<Asked>& asked, Answer answered) {
    Rows rows;
    std::unordered_map<Uuid, std::size_t> places;
    try {
        if (!answered.error) rows = std::move(answered.outcome.results.front());
        if (asked.front().key)
            for (std::size_t i = 0; i < rows.size(); ++i) places.emplace(rows[i].uuid(0), i);
    } catch (const std::bad_alloc&) {
        answered.error = out_of_memory();
    }
    for (const Asked& one : asked) {
        const auto found = one.key ? places.find(*one.key) : places.end();
        if (one.key && found == places.end())
            answer(*one.waiting, answered.error, rows.none());
        else
            answer(*one.waiting, answered.error, one.key ? rows.only(found->second) : rows);
    }
}

}  // namespace consentry::storage::postgres
