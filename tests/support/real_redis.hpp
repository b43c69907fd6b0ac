// Redis servers of one test's own, which it may stop, crash and freeze one by one. They listen on free ports of
// 127.0.0.1; their data (append-only file, fsync every second) stands in a temporary folder and goes with them.
// REDIS_BIN=valkey in the environment takes Valkey instead. Single: at once; sentinel and cluster: 2 to 3 s. Tests that
// only need a cache share one (shared_engines.hpp).
//
// Everything returns once it is done and throws std::runtime_error with the server's words where it fails. Should the
// test be killed, the servers end within seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

enum class RedisKind {
    single,
    sentinel,  // nodes 0 to 2: a master and two replicas; 3 to 5: their sentinels; down after 1 s
    cluster,   // nodes 0 to 2: masters; 3 to 5: a replica of each; node time-out 2 s
};

struct RealRedisOptions {
    RedisKind kind = RedisKind::single;
    bool tls = false;    // only TLS, everywhere
    std::string user{};  // an ACL user, with a password that is made up; "default" works too. Empty: none
    std::vector<std::string> settings{};  // "NAME VALUE" of redis.conf, for each server that holds data
};

class RealRedis {
public:
    // One server, until the RealRedis ends.
    class Node {
    public:
        std::uint16_t port() const { return owner_->ports_.at(index_); }
        void pause() const { owner_->control("pause", index_); }    // SIGSTOP: links stay, nothing is answered
        void resume() const { owner_->control("resume", index_); }  // and on
        void kill() const { owner_->control("kill", index_); }      // SIGKILL
        void start() const { owner_->control("start", index_); }    // again: the same data and port

    private:
        friend class RealRedis;
        Node(const RealRedis& owner, std::size_t index) : owner_(&owner), index_(index) {}
        const RealRedis* owner_;
        std::size_t index_;
    };

    explicit RealRedis(RealRedisOptions options = {});
    ~RealRedis();
    RealRedis(const RealRedis&) = delete;
    RealRedis& operator=(const RealRedis&) = delete;

    // redis://[USER:PASSWORD@]127.0.0.1:PORT
    // redis+sentinel://[USER:PASSWORD@]127.0.0.1:P3,127.0.0.1:P4,127.0.0.1:P5/app   the sentinels ask the same user
    // redis+cluster://[USER:PASSWORD@]127.0.0.1:P0,...,127.0.0.1:P5
    // With TLS the scheme begins with rediss, and ?ca_file=<ca_file> follows.
    const std::string& url() const { return url_; }
    const std::string& password() const { return password_; }  // hexadecimal digits
    // PEM: who signed the servers' certificate (for 127.0.0.1 and localhost), and another that did not.
    std::filesystem::path ca_file() const { return folder_ / "ca.crt"; }
    std::filesystem::path untrusted_ca_file() const { return folder_ / "untrusted_ca.crt"; }

    Node node(std::size_t index) const { return Node(*this, index); }
    std::size_t nodes() const { return ports_.size(); }
    // What redis-cli prints for it, without the last line end; refusals are such text as well. Throws
    // std::runtime_error where the node does not answer within 5 s.
    std::string command(std::size_t node, const std::vector<std::string>& words) const;

    // Sentinel: the node that this sentinel takes for the master.
    std::size_t master(std::size_t sentinel = 3) const;
    // Cluster: the node that `asked` takes for the master of the key's slot.
    std::size_t master_of(const std::string& key, std::size_t asked = 0) const;

private:
    void control(const std::string& command, std::size_t node) const;
    std::size_t node_at(std::uint16_t port) const;

    TempFolder folder_{std::filesystem::temp_directory_path()};
    RealRedisOptions options_;
    std::string url_;
    std::string password_;
    std::vector<std::uint16_t> ports_;
};

}  // namespace consentry::tests
