// What the PostgreSQL engine is told.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

namespace consentry::storage {

struct PostgresOptions {
    // postgresql://…, as libpq reads it: several hosts, TLS (sslmode, sslrootcert), any of its parameters. Unless it
    // says otherwise, only a server that takes writes is used (target_session_attrs), so that a fail-over is followed.
    // Holds the password.
    std::string url = {};
    int connections = 4;  // per I/O thread, opened as they are needed: one for reading, the others write
    std::chrono::milliseconds timeout{800};  // of one call, waiting for a connection included
    // Named statements and session settings. Off behind a pooler that hands a session to somebody else after each
    // transaction: there both leak to others. Then the timeout, and jit = off, are the server's to set (ALTER ROLE ...
    // SET).
    bool keeps_session_state = true;
};

// What is wrong with an address, without a part of it: it may be a password.
std::expected<void, std::string> check_postgres_url(std::string_view url);

// Whether an address leads over a network and does not insist on encryption. PostgreSQL's client does not by itself:
// it goes on in plain text where the server, or somebody on the way, offers nothing better.
bool may_go_unencrypted(std::string_view postgres_url);

}  // namespace consentry::storage
