#include "storage/redis/redis_client.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <iterator>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "base/unwatched.hpp"

namespace consentry::storage::redis {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int redirections_max = 5;
constexpr milliseconds refresh_interval{500};

bool is_redirection(std::string_view code) { return code == "MOVED" || code == "ASK"; }

}  // namespace

Client::Client(asio::any_io_executor executor, std::shared_ptr<const Settings> settings)
    : executor_(std::move(executor)), settings_(std::move(settings)) {
    const RedisOptions& options = settings_->options();
    if (!is_cluster()) {
        std::optional<RedisAddress> server;
        if (options.kind == RedisKind::single) server = options.addresses.front();
        only_node_ = std::make_shared<Node>(executor_, settings_, std::move(server));
        return;
    }
    slots_.resize(slot_count);
    for (const RedisAddress& address : options.addresses) node_at(address);
}

Client::~Client() {
    if (only_node_) only_node_->stop();
    for (const auto& [address, node] : nodes_) node->stop();
}

awaitable<Reply> Client::execute(Command command) {
    Call call(command);
    begin(call);
    co_return co_await finish(call);
}

void Client::send(Call& call, bool asking) {
    call.node->send(std::span(call.command.words.data(), call.command.count), call.waiter.emplace(), asking);
}

void Client::begin(Call& call) {
    call.deadline = Clock::now() + settings_->options().timeout;
    call.node = node_for(call.command);
    send(call, false);
}

awaitable<Reply> Client::finish(Call& call) {
    const Command& command = call.command;
    int redirections = 0;
    std::size_t others = nodes_.size();  // to try while the owner of the slot is unknown
    bool repeated = false;
    for (;;) {
        Waiter& waiter = *call.waiter;
        if (!waiter.is_done()) co_await Node::wait(waiter);
        if (waiter.end == Waiter::End::canceled)
            throw boost::system::system_error(boost::asio::error::operation_aborted);
        if (waiter.end != Waiter::End::answered) {
            refresh_slots();
            const bool was_not_executed = waiter.end == Waiter::End::unwritten;
            const bool was_lost = waiter.end == Waiter::End::lost;
            if (!repeated && (was_not_executed || (was_lost && command.is_repeatable))) {
                repeated = true;
            } else if (waiter.end == Waiter::End::failed && !knows(command) && others > 1) {
                --others;
            } else {
                throw Unavailable(call.node->trouble());
            }
            call.node = node_for(command);
            send(call, false);
            continue;
        }
        const std::string_view code = waiter.reply.error_code();
        if (code.empty()) co_return std::move(waiter.reply);
        if (is_cluster() && is_redirection(code) && ++redirections <= redirections_max &&
            Clock::now() < call.deadline) {
            const bool asking = code == "ASK";
            call.node = redirected(waiter.reply, *call.node);
            send(call, asking);
            continue;
        }
        const std::string what = call.node->named("answers " + std::string(code));
        note_refusal(code, *call.node);
        throw ReplyError(what, code);
    }
}

bool Client::knows(const Command& command) const {
    return !is_cluster() || (!command.key.empty() && slots_[slot_of(command.key)]);
}

std::shared_ptr<Node> Client::node_for(const Command& command) {
    if (!is_cluster()) return only_node_;
    if (command.key.empty()) return any_node();
    Node* const node = slots_[slot_of(command.key)];
    return node ? node->shared_from_this() : any_node();
}

std::shared_ptr<Node> Client::any_node() {
    std::shared_ptr<Node> out;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        out = std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(next_node_++ % nodes_.size()))->second;
        if (!out->is_resting()) break;
    }
    return out;
}

std::shared_ptr<Node> Client::node_at(const RedisAddress& address) {
    std::shared_ptr<Node>& node = nodes_[address];
    if (!node) node = std::make_shared<Node>(executor_, settings_, address);
    return node;
}

std::shared_ptr<Node> Client::redirected(const Reply& reply, const Node& asked) {
    // MOVED 3999 127.0.0.1:6381; IPv6 addresses have no brackets here.
    const std::string_view line = *reply.error();
    const std::string_view target = line.substr(line.rfind(' ') + 1);
    const auto colon = target.rfind(':');
    RedisAddress address{.host = std::string(target.substr(0, colon)), .port = 0};
    if (colon != std::string_view::npos)
        std::from_chars(target.data() + colon + 1, target.data() + target.size(), address.port);
    if (address.port == 0) throw Unavailable("redis: a cluster node redirects a slot without an address");
    if (address.host.empty() || address.host == "?") address.host = asked.server()->host;
    std::shared_ptr<Node> out = node_at(address);
    if (reply.error_code() != "MOVED") return out;
    std::uint16_t slot = slot_count;
    const std::string_view rest = line.substr(std::string_view("MOVED ").size());
    std::from_chars(rest.data(), rest.data() + rest.size(), slot);
    if (slot < slot_count) slots_[slot] = out.get();
    refresh_slots();
    return out;
}

void Client::note_refusal(std::string_view code, Node& node) {
    // The master became a replica: the next connection finds the new master.
    if (code == "READONLY") node.give_up("is read-only");
    if (code == "CLUSTERDOWN" || is_redirection(code)) refresh_slots();
}

void Client::refresh_slots() {
    const SteadyTime now = Clock::now();
    if (!is_cluster() || refreshing_ || now < next_refresh_) return;
    refreshing_ = true;
    next_refresh_ = now + refresh_interval;
    try {
        asio::co_spawn(executor_, run_refresh(*this), unwatched("learning the slots of a Redis cluster"));
    } catch (...) {
        refreshing_ = false;
        throw;
    }
}

awaitable<void> Client::run_refresh(Client& self) {
    std::exception_ptr failure;
    try {
        co_await self.ask_for_slots();
    } catch (...) {
        failure = std::current_exception();
    }
    self.refreshing_ = false;  // the next command that finds its slot moved asks again
    if (failure) std::rethrow_exception(failure);
}

awaitable<void> Client::ask_for_slots() {
    static constexpr std::array<std::string_view, 2> question{"CLUSTER", "SLOTS"};
    for (std::size_t tries = nodes_.size(); tries > 0; --tries) {
        const std::shared_ptr<Node> node = any_node();
        Waiter waiter;
        node->send(question, waiter, false);
        if (!waiter.is_done()) co_await Node::wait(waiter);
        if (waiter.end != Waiter::End::answered || waiter.reply.size() == 0) continue;
        set_slots(waiter.reply, *node);
        co_return;
    }
}

// [[first, last, [host, port, ...] of the master, replicas ...], ...]
void Client::set_slots(const Reply& reply, const Node& asked) {
    std::ranges::fill(slots_, nullptr);
    for (std::size_t i = 0; i < reply.size(); ++i) {
        const auto range = reply.at(i);
        const auto first = range.at(0).integer().value_or(-1);
        const auto last = range.at(1).integer().value_or(-1);
        const auto port = range.at(2).at(1).integer().value_or(0);
        if (first < 0 || last < first || last >= slot_count || port <= 0 || port > 65535) continue;
        RedisAddress address{.host = std::string(range.at(2).at(0).text().value_or("")),
                             .port = static_cast<std::uint16_t>(port)};
        if (address.host.empty() || address.host == "?") address.host = asked.server()->host;
        std::fill(slots_.begin() + first, slots_.begin() + last + 1, node_at(address).get());
    }
    // Drops servers that left the cluster, but keeps those of the settings, which may return.
    const auto& seeds = settings_->options().addresses;
    std::erase_if(nodes_, [&](const auto& entry) {
        return entry.second->is_idle() && std::ranges::find(slots_, entry.second.get()) == slots_.end() &&
               std::ranges::find(seeds, entry.first) == seeds.end();
    });
}

}  // namespace consentry::storage::redis
