// Redis servers for one test, which may stop, crash and freeze them one by one. They listen on free ports of 127.0.0.1
// and keep their data (append-only file, fsync every second) in a temporary folder, deleted at the end.
// REDIS_BIN=valkey in the environment selects Valkey. A single server starts at once; sentinel and cluster take 2 to 3
// s. Tests that only need a cache share one (shared_engines.hpp).
//
// Every function blocks until done and throws std::runtime_error with the server's message on failure. If the test is
// killed, the servers end within seconds.
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
    sentinel,  // nodes 0 to 2: a master and two replicas; 3 to 5: their sentinels; marked down after 1 s
    cluster,   // nodes 0 to 2: masters; 3 to 5: a replica of each; node timeout 2 s
};

struct RealRedisOptions {
    RedisKind kind = RedisKind::single;
    bool tls = false;                     // all connections use TLS
    std::string user{};                   // an ACL user with a generated password; "default" works too. Empty: none
    std::vector<std::string> settings{};  // "NAME VALUE" of redis.conf, for each data node
};

class RealRedis {
public:
    // A handle to one server, valid for the lifetime of the RealRedis.
    class Node {
    public:
        std::uint16_t port() const { return owner_->ports_.at(index_); }
        void pause() const { owner_->control("pause", index_); }  // SIGSTOP: connections stay open, nothing is answered
        void resume() const { owner_->control("resume", index_); }  // SIGCONT after pause()
        void kill() const { owner_->control("kill", index_); }      // SIGKILL
        void start() const { owner_->control("start", index_); }    // keeps data and port

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
    // redis+sentinel://[USER:PASSWORD@]127.0.0.1:P3,127.0.0.1:P4,127.0.0.1:P5/app   the sentinels use the same user
    // redis+cluster://[USER:PASSWORD@]127.0.0.1:P0,...,127.0.0.1:P5
    // With TLS, the scheme begins with rediss, and ?ca_file=<ca_file> is appended.
    const std::string& url() const { return url_; }
    const std::string& password() const { return password_; }  // hexadecimal digits
    // PEM files: the CA that signed the servers' certificate (for 127.0.0.1 and localhost), and a CA that did not.
    std::filesystem::path ca_file() const { return folder_ / "ca.crt"; }
    std::filesystem::path untrusted_ca_file() const { return folder_ / "untrusted_ca.crt"; }

    Node node(std::size_t index) const { return Node(*this, index); }
    std::size_t nodes() const { return ports_.size(); }
    // Returns the output of redis-cli without the last line end; error replies are returned as text too. Throws
    // std::runtime_error if the node does not answer within 5 s.
    std::string command(std::size_t node, const std::vector<std::string>& words) const;

    // Sentinel only: returns the node that this sentinel considers the master.
    std::size_t master(std::size_t sentinel = 3) const;
    // Cluster only: returns the node that `asked` considers the master of the key's slot. Waits up to 20 s while
    // `asked` knows none or loads its data, as a former master does that has become a replica.
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
