#include "storage/postgres/pool.hpp"

#include <algorithm>
#include <unordered_map>

#include <boost/asio/post.hpp>

#include "base/error.hpp"

namespace consentry::storage::postgres {
namespace {

constexpr std::size_t waiting_max = 4'096;  // of one channel
constexpr std::size_t keys_at_once_max = 256;

std::exception_ptr too_many() { return std::make_exception_ptr(Unavailable("postgres: too many wait")); }

void deliver(std::vector<std::pair<Uuid, Promise<Rows>>> asked, const Rows& rows) {
    std::unordered_map<Uuid, std::size_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) places.emplace(rows[i].uuid(0), i);
    for (auto& [key, promise] : asked) {
        const auto found = places.find(key);
        promise.set_value(found == places.end() ? rows.none() : rows.only(found->second));
    }
}

}  // namespace

std::shared_ptr<Pool> Pool::make(const asio::any_io_executor& executor, std::shared_ptr<const PostgresOptions> options,
                                 std::shared_ptr<Health> health, WorkerPool& connectors) {
    auto pool = std::shared_ptr<Pool>(new Pool(options));
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

// An idle connection, or a new one, or the one with the least to do.
Channel& Pool::least_loaded() {
    const std::size_t first = channels_.size() > 1 ? 1 : 0;
    Channel* best = nullptr;
    for (std::size_t i = first; i < channels_.size(); ++i) {
        Channel& channel = *channels_[i];
        if (channel.is_open() && channel.load() == 0) return channel;
        if (best == nullptr || channel.load() < best->load()) best = &channel;
    }
    return *best;
}

void Pool::submit(std::vector<WireStatement> statements, bool writes, std::move_only_function<void(Answer)> done) {
    Channel& channel = least_loaded();
    if (channel.load() >= waiting_max) {
        done({.error = too_many()});
        return;
    }
    channel.submit(make_job(std::move(statements), writes, std::move(done)));
}

void Pool::look_up(std::string_view sql, Uuid key, Promise<Rows> promise) {
    auto found = std::ranges::find(look_ups_, sql, [](const auto& one) -> std::string_view { return one->sql; });
    if (found == look_ups_.end()) {
        look_ups_.push_back(std::make_unique<LookUps>(LookUps{.sql = std::string(sql)}));
        found = std::prev(look_ups_.end());
    }
    LookUps& look_ups = **found;
    if (look_ups.waiting.size() >= waiting_max) {
        promise.set_exception(too_many());
        return;
    }
    look_ups.waiting.push_back({key, std::move(promise)});
    if (look_ups.under_way) return;
    look_ups.under_way = true;
    // At the end of this turn of the loop, when the requests that came with this one have asked as well.
    asio::post(channels_.front()->executor(), [self = shared_from_this(), &look_ups] { self->ask(look_ups); });
}

void Pool::ask(LookUps& look_ups) {
    WireStatement statement{.sql = look_ups.sql, .params = {}};
    std::vector<std::pair<Uuid, Promise<Rows>>> asked;
    const std::size_t count = std::min(look_ups.waiting.size(), keys_at_once_max);
    asked.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        Asked& next = look_ups.waiting.front();
        statement.keys.push_back(next.key);
        asked.emplace_back(next.key, std::move(next.promise));
        look_ups.waiting.pop_front();
    }
    std::vector<WireStatement> statements;
    statements.push_back(std::move(statement));
    auto done = [self = weak_from_this(), &look_ups, asked = std::move(asked)](Answer answer) mutable {
        const auto pool = self.lock();
        if (pool && !look_ups.waiting.empty())
            pool->ask(look_ups);  // first: it is on its way while the answers are dealt out
        else if (pool)
            look_ups.under_way = false;
        if (answer.error) {
            for (auto& one : asked) one.second.set_exception(answer.error);
            return;
        }
        deliver(std::move(asked), answer.outcome.results.front());
    };
    channels_.front()->submit(make_job(std::move(statements), false, std::move(done)));
}

}  // namespace consentry::storage::postgres
