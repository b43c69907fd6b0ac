// The location of the Redis (or Valkey) servers and how to connect to them, as one URL:
//
//   redis://[[user]:password@]host[:port][/db]                              one server; port 6379, db 0
//   redis+sentinel://[...@]host[:port],host[:port],.../master-name[/db]     sentinels of a master; port 26379
//   redis+cluster://[...@]host[:port],host[:port],...                       some nodes of a cluster; port 6379
//
// The same schemes with rediss use TLS. User and password are percent-encoded; IPv6 addresses are in brackets.
// Parameters: ca_file (instead of the system's certificates), cert_file and key_file (a client certificate), all with
// TLS only; sentinel_user and sentinel_password if the sentinels use other credentials than the servers (empty: none).
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace consentry::storage {

struct RedisAddress {
    std::string host;  // a name, or an IP address without brackets
    std::uint16_t port = 0;

    std::string text() const;  // host:port, [host]:port
    auto operator<=>(const RedisAddress&) const = default;
};

struct RedisCredentials {
    std::string user = {};      // empty: the server's default user
    std::string password = {};  // empty: no AUTH at all
};

enum class RedisKind : std::uint8_t { single, sentinel, cluster };

struct RedisOptions {
    RedisKind kind = RedisKind::single;
    std::vector<RedisAddress> addresses = {};  // the server; the sentinels; nodes of the cluster
    RedisCredentials credentials = {};
    RedisCredentials sentinel_credentials = {};
    std::string master_name = {};  // sentinel only
    unsigned db = 0;               // not in a cluster

    bool tls = false;  // 1.2 or newer; the certificate and the host's name in it are verified
    std::string ca_file = {};
    std::string cert_file = {};
    std::string key_file = {};

    std::string name_space = "Cache";  // a key k is kept as <name_space>:k
    // Per command; a second more if the command waits for a first connection, one with TLS, or sentinels.
    milliseconds timeout{250};
};

// Returns the options, or an error that quotes no part of the URL, since it contains a password.
std::expected<RedisOptions, std::string> parse_redis_url(std::string_view url);

}  // namespace consentry::storage
