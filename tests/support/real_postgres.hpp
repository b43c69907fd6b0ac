// A PostgreSQL server for one test, which may stop, crash, freeze and fail it over. It listens on a free port of
// 127.0.0.1 with SCRAM passwords and keeps its data in a temporary folder, deleted at the end. It takes about a second
// to start, so tests that only need a database share one (shared_engines.hpp).
//
// Every function blocks until done and throws std::runtime_error with the server's message on failure. If the test is
// killed, the server ends within seconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/postgres_sql.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

struct RealPostgresOptions {
    std::vector<std::string> settings{};  // "NAME=VALUE" of postgresql.conf
    bool tls = false;                     // every connection must be encrypted
    bool fast = false;                    // no fsync: for tests without crashes
    // Makes this server a read-only streaming replica of the given one, with its users and passwords. The primary must
    // outlive it.
    const class RealPostgres* replica_of = nullptr;
    bool synchronous = false;  // the primary's commits wait for this replica
};

class RealPostgres {
public:
    explicit RealPostgres(RealPostgresOptions options = {});
    ~RealPostgres();
    RealPostgres(const RealPostgres&) = delete;
    RealPostgres& operator=(const RealPostgres&) = delete;

    // postgresql://app:PASSWORD@127.0.0.1:PORT/app, where app is a superuser. With TLS,
    // ?sslmode=verify-full&sslrootcert=<ca_file> is appended.
    std::string url() const;
    // The URL for another user. Both arguments must already be URL-encoded.
    std::string url(const std::string& user, const std::string& password) const;
    std::uint16_t port() const { return port_; }
    const std::string& password() const { return password_; }  // of app; hexadecimal digits
    // PEM files: the CA that signed the server's certificate (for 127.0.0.1 and localhost), and a CA that did not.
    std::filesystem::path ca_file() const { return folder_ / "ca.crt"; }
    std::filesystem::path untrusted_ca_file() const { return folder_ / "untrusted_ca.crt"; }

    // Runs as user app.
    SqlRows sql(const std::string& statement) const { return run_postgres_sql(url(), statement); }

    void pause() const;    // SIGSTOP to all its processes: connections stay open, nothing is answered
    void resume() const;   // SIGCONT after pause()
    void stop() const;     // orderly: ends sessions, flushes all data
    void kill() const;     // SIGKILL to all its processes: simulates a crash
    void start() const;    // after stop() or kill(): keeps data and port
    void promote() const;  // turns a replica into a primary; returns once it accepts writes

private:
    std::string control(const std::string& command, const std::vector<std::string>& options = {}) const;

    TempFolder folder_{std::filesystem::temp_directory_path()};
    bool tls_;
    std::string password_;
    std::uint16_t port_ = 0;
};

}  // namespace consentry::tests
