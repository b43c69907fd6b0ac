// All servers as one I/O thread knows them, and which of them a command goes to.
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

// The words live as long as the command is under way.
struct Command {
    std::array<std::string_view, 6> words = {};
    std::size_t count = 0;
    std::string_view key = {};   // empty: any server will do
    bool is_repeatable = false;  // running twice does no harm
};

class Client {
public:
    Client(asio::any_io_executor executor, std::shared_ptr<const Settings> settings);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // The answer, which is no error. Throws Unavailable, of which ReplyError is one.
    awaitable<Reply> execute(Command command);

private:
    bool is_cluster() const { return settings_->options().kind == RedisKind::cluster; }
    bool knows(const Command& command) const;
    std::shared_ptr<Node> node_for(const Command& command);
    std::shared_ptr<Node> any_node();
    std::shared_ptr<Node> node_at(const RedisAddress& address);
    // The node that a MOVED or ASK names; `asked` is who said it.
    std::shared_ptr<Node> redirected(const Reply& reply, const Node& asked);
    // The server refuses; what does that say about it?
    void note_refusal(std::string_view code, Node& node);

    // In the background, and not too often.
    void refresh_slots();
    static awaitable<void> run_refresh(Client& self);
    awaitable<void> ask_for_slots();
    void set_slots(const Reply& slots, const Node& asked);

    const asio::any_io_executor executor_;
    const std::shared_ptr<const Settings> settings_;
    std::map<RedisAddress, std::shared_ptr<Node>> nodes_;
    std::shared_ptr<Node> only_node_;  // without a cluster

    std::vector<Node*> slots_;  // in a cluster; null: not known
    std::size_t next_node_ = 0;
    bool refreshing_ = false;
    SteadyTime next_refresh_{};
};

}  // namespace consentry::storage::redis
