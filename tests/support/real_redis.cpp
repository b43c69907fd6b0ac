#include "tests/support/real_redis.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

#include "tests/support/eventually.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

constexpr auto script = CONSENTRY_REAL_SERVERS "/redis.sh";

std::string name_of(RedisKind kind) {
    switch (kind) {
        case RedisKind::single:
            return "single";
        case RedisKind::sentinel:
            return "sentinel";
        case RedisKind::cluster:
            return "cluster";
    }
    throw std::runtime_error("no such kind");
}

unsigned number(std::string_view digits) {
    unsigned value = 0;
    if (std::from_chars(digits.begin(), digits.end(), value).ec != std::errc{})
        throw std::runtime_error("no number: " + std::string(digits));
    return value;
}

}  // namespace

RealRedis::RealRedis(RealRedisOptions options) : options_(std::move(options)) {
    std::vector<std::string> words{
        script, "start", "--owner", std::to_string(::getpid()), "--kind", name_of(options_.kind)};
    if (options_.tls) words.emplace_back("--tls");
    if (!options_.user.empty()) words.insert(words.end(), {"--user", options_.user});
    for (const std::string& setting : options_.settings) words.insert(words.end(), {"--setting", setting});
    words.push_back(folder_.path());
    try {
        const auto values = named_values(output_of(words));
        url_ = values.at("REDIS_URL");
        password_ = values.at("REDIS_PASSWORD");
        std::istringstream ports(values.at("REDIS_PORTS"));
        ports_.assign(std::istream_iterator<std::uint16_t>(ports), {});
    } catch (...) {
        output_of({script, "stop", "--remove", folder_.path()});
        throw;
    }
}

RealRedis::~RealRedis() {
    try {
        output_of({script, "stop", "--remove", folder_.path()});
    } catch (const std::exception&) {
        // The watchdog stops the servers when this process ends.
    }
}

void RealRedis::control(const std::string& command, std::size_t node) const {
    output_of({script, command, folder_.path(), std::to_string(node)});
}

std::string RealRedis::command(std::size_t node, const std::vector<std::string>& words) const {
    std::vector<std::string> all{script, "command", folder_.path(), std::to_string(node)};
    all.insert(all.end(), words.begin(), words.end());
    std::string text = output_of(all, {}, std::chrono::seconds{5});
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

std::size_t RealRedis::node_at(std::uint16_t port) const {
    const auto found = std::ranges::find(ports_, port);
    if (found == ports_.end()) throw std::runtime_error("no node has the port " + std::to_string(port));
    return static_cast<std::size_t>(found - ports_.begin());
}

std::size_t RealRedis::master(std::size_t sentinel) const {
    const std::string address = command(sentinel, {"sentinel", "get-master-addr-by-name", "app"});
    return node_at(static_cast<std::uint16_t>(number(std::string_view(address).substr(address.find('\n') + 1))));
}

namespace {

// Lines of CLUSTER NODES: id 127.0.0.1:PORT@BUS flags master ping pong epoch state SLOT SLOT-SLOT ...
std::optional<std::uint16_t> port_of_slot(const std::string& nodes, unsigned slot) {
    std::istringstream lines(nodes);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        const std::vector<std::string> word(std::istream_iterator<std::string>(words), {});
        for (std::size_t i = 8; i < word.size(); ++i) {
            const std::string_view range = word[i];
            if (range.starts_with('[')) continue;  // a slot being migrated
            const unsigned first = number(range);
            const unsigned last = range.contains('-') ? number(range.substr(range.find('-') + 1)) : first;
            if (slot >= first && slot <= last)
                return static_cast<std::uint16_t>(number(std::string_view(word[1]).substr(word[1].find(':') + 1)));
        }
    }
    return std::nullopt;
}

}  // namespace

std::size_t RealRedis::master_of(const std::string& key, std::size_t asked) const {
    std::string nodes;
    std::optional<std::uint16_t> port;
    const bool is_found = eventually([&] {
        const std::string slot = command(asked, {"cluster", "keyslot", key});
        nodes = command(asked, {"cluster", "nodes"});
        const bool is_loading = slot.starts_with("LOADING") || nodes.starts_with("LOADING");
        if (!is_loading) port = port_of_slot(nodes, number(slot));
        return port.has_value();
    });
    if (!is_found) throw std::runtime_error("nobody has the slot of " + key + ": " + nodes);
    return node_at(*port);
}

}  // namespace consentry::tests
