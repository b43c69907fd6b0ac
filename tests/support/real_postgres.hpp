// A PostgreSQL server of one test's own, which it may stop, crash, freeze and fail over. It listens on 127.0.0.1 on a
// free port with scram passwords; its data stands in a temporary folder and goes with it. Takes about a second to
// start, so tests that only need a database share one (shared_engines.hpp).
//
// Everything returns once it is done and throws std::runtime_error with the server's words where it fails. Should the
// test be killed, the server ends within seconds.
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
    bool fast = false;                    // no fsync: for what no crash is part of
    // A streaming replica of that server, which must outlive it. Has its users and passwords, reads only.
    const class RealPostgres* replica_of = nullptr;
    bool synchronous = false;  // the primary's commits wait for this replica
};

class RealPostgres {
public:
    explicit RealPostgres(RealPostgresOptions options = {});
    ~RealPostgres();
    RealPostgres(const RealPostgres&) = delete;
    RealPostgres& operator=(const RealPostgres&) = delete;

    // postgresql://app:PASSWORD@127.0.0.1:PORT/app, a superuser. With TLS and
    // ?sslmode=verify-full&sslrootcert=<ca_file>.
    std::string url() const;
    // The same as another user. Both as they are to stand in a URL.
    std::string url(const std::string& user, const std::string& password) const;
    std::uint16_t port() const { return port_; }
    const std::string& password() const { return password_; }  // of app; hexadecimal digits
    // PEM: who signed the server's certificate (for 127.0.0.1 and localhost), and another that did not.
    std::filesystem::path ca_file() const { return folder_ / "ca.crt"; }
    std::filesystem::path untrusted_ca_file() const { return folder_ / "untrusted_ca.crt"; }

    // As app.
    SqlRows sql(const std::string& statement) const { return run_postgres_sql(url(), statement); }

    void pause() const;    // SIGSTOP to all of its processes: links stay, nothing is answered
    void resume() const;   // and on
    void stop() const;     // in order: sessions are ended, everything is written
    void kill() const;     // SIGKILL to all of its processes, as a crash
    void start() const;    // again after stop() or kill(): the same data and port
    void promote() const;  // a replica becomes a primary; returns when it accepts writes

private:
    std::string control(const std::string& command, const std::vector<std::string>& options = {}) const;

    TempFolder folder_{std::filesystem::temp_directory_path()};
    bool tls_;
    std::string password_;
    std::uint16_t port_ = 0;
};

}  // namespace consentry::tests
