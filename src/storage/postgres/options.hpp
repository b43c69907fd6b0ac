// Options of the PostgreSQL engine.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

namespace consentry::storage {

struct PostgresOptions {
    // postgresql://… in libpq's syntax: several hosts, TLS (sslmode, sslrootcert), any of its parameters. Unless the
    // URL sets target_session_attrs, only a server that accepts writes is used, so the engine follows a fail-over.
    // Contains the password.
    std::string url = {};
    int connections = 4;  // per I/O thread, opened on demand; the first is for look-ups once there is a second
    std::chrono::milliseconds timeout{800};  // per call, including the wait for a connection
    // Whether to use named statements and session settings. Turn it off behind a pooler that reassigns a session after
    // each transaction, where both would leak to other clients. The timeout and jit = off must then be set on the
    // server (ALTER ROLE ... SET).
    bool keeps_session_state = true;
};

// Returns what is wrong with a URL, without quoting any part of it, which may be a password.
std::expected<void, std::string> check_postgres_url(std::string_view url);

// Whether a URL leads over a network without requiring encryption. By default libpq falls back to plain text if the
// server, or an attacker on the path, offers nothing better.
bool may_go_unencrypted(std::string_view postgres_url);

}  // namespace consentry::storage
