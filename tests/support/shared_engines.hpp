// The PostgreSQL and the Redis server shared by tests. The CTest fixture "engines" starts them without fsync
// (consentry_test with ENGINES or ALSO_ON_SHARED_ENGINES). Each test uses its own schema or key prefix. A test that
// stops, slows or breaks a server uses RealPostgres or RealRedis, or puts a TcpProxy in front.
//
// Every function throws std::runtime_error if the servers are not running; the message says how to start them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tests/support/postgres_sql.hpp"

namespace consentry::tests {

// postgresql://app:PASSWORD@127.0.0.1:PORT/app, where app is a superuser. CONSENTRY_TEST_POSTGRES_URL overrides it.
std::string shared_postgres_url();
// redis://127.0.0.1:PORT. CONSENTRY_TEST_REDIS_URL overrides it.
std::string shared_redis_url();

// The folder of a new, empty database, from which tests/real/postgres.sh starts further servers quickly.
// CONSENTRY_TEST_POSTGRES_TEMPLATE overrides it.
std::string postgres_template();

// Whether tests of the whole service run on them: CONSENTRY_TEST_ENGINES=shared.
bool on_shared_engines();

// Returns the port of a URL with one host and a port.
std::uint16_t port_of(const std::string& url);
// Returns the same URL with another port of 127.0.0.1, such as that of a TcpProxy.
std::string with_port(const std::string& url, std::uint16_t port);

// Returns a random prefix for keys in the shared Redis: lowercase letters and digits, beginning with a letter.
std::string fresh_namespace();

// These act on all keys under a prefix in the shared Redis: the first ages them by shortening their remaining lifetime,
// the second deletes them.
void age_redis_keys(const std::string& name_space, std::chrono::milliseconds time);
void erase_redis_keys(const std::string& name_space);

// A new schema in the shared PostgreSQL, dropped with its content at the end.
class PostgresSchema {
public:
    PostgresSchema();
    ~PostgresSchema();
    PostgresSchema(const PostgresSchema&) = delete;
    PostgresSchema& operator=(const PostgresSchema&) = delete;

    const std::string& name() const { return name_; }
    // A URL whose connections use this schema: .../app?options=-c%20search_path%3D<name>
    const std::string& url() const { return url_; }
    // The same URL with a connect timeout of half a minute instead of two seconds, because shared machines stall at
    // times. For tests that do not cover unresponsive servers.
    std::string patient_url() const;
    // Runs a statement as PostgresConnection::run() does, in this schema. Thread-safe.
    SqlRows sql(const std::string& statement) const;

private:
    std::string name_;
    std::string url_;
};

}  // namespace consentry::tests
