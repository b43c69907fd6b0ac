// All servers as known to one I/O thread. Routes each command to its server.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "storage/redis/redis_node.hpp"
#include "storage/redis/redis_slots.hpp"

namespace consentry::storage::redis {

// The caller keeps the words alive while the command is under way.
struct Command {
    std::array<std::string_view, 6> words = {};
    std::size_t count = 0;
    std::string_view key = {};   // empty: any server
    bool is_repeatable = false;  // idempotent
};

// A command under way.
struct Call {
    explicit Call(const Command& what) : command(what) {}
    Command command;
    std::shared_ptr<Node> node = {};
    std::optional<Waiter> waiter = {};
    SteadyTime deadline{};

    // Whether the reply has arrived and is not an error.
    bool has_reply() const { return waiter->end == Waiter::End::answered && waiter->reply.error_code().empty(); }
};

class Client {
public:
    Client(asio::any_io_executor executor, std::shared_ptr<const Settings> settings);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Returns the reply, which is never an error. Throws Unavailable, or ReplyError, which derives from it.
    awaitable<Reply> execute(Command command);
    // The same in two steps. begin() returns at once.
    void begin(Call& call);
    awaitable<Reply> finish(Call& call);

private:
    bool is_cluster() const { return settings_->options().kind == RedisKind::cluster; }
    static void send(Call& call, bool asking);
    bool knows(const Command& command) const;
    std::shared_ptr<Node> node_for(const Command& command);
    std::shared_ptr<Node> any_node();
    std::shared_ptr<Node> node_at(const RedisAddress& address);
    // The node that a MOVED or ASK reply names; `asked` is the node that sent it.
    std::shared_ptr<Node> redirected(const Reply& reply, const Node& asked);
    // Updates what is known of the server after it refused a command with `code`.
    void note_refusal(std::string_view code, Node& node);

    // Runs in the background, with a minimum interval.
    void refresh_slots();
    static awaitable<void> run_refresh(Client& self);
    awaitable<void> ask_for_slots();
    void set_slots(const Reply& slots, const Node& asked);

    const asio::any_io_executor executor_;
    const std::shared_ptr<const Settings> settings_;
    std::map<RedisAddress, std::shared_ptr<Node>> nodes_;
    std::shared_ptr<Node> only_node_;  // without a cluster

    std::vector<Node*> slots_;  // in a cluster; null: unknown
    std::size_t next_node_ = 0;
    bool refreshing_ = false;
    SteadyTime next_refresh_{};
};

}  // namespace consentry::storage::redis
