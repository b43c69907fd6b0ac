// The one PostgreSQL and the one Redis that tests share: started by the CTest fixture "engines" (consentry_test with
// ENGINES or ALSO_ON_SHARED_ENGINES), without fsync. Each test keeps to a schema, or a name space of keys, of its own.
// A test that stops, slows or breaks a server takes RealPostgres or RealRedis, or puts a TcpProxy before it.
//
// All of it throws std::runtime_error where the servers are not there; its words tell how to start them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tests/support/postgres_sql.hpp"

namespace consentry::tests {

// postgresql://app:PASSWORD@127.0.0.1:PORT/app, a superuser. CONSENTRY_TEST_POSTGRES_URL overrides it.
std::string shared_postgres_url();
// redis://127.0.0.1:PORT. CONSENTRY_TEST_REDIS_URL overrides it.
std::string shared_redis_url();

// CONSENTRY_TEST_ENGINES=shared: tests of the whole service are to run on them.
bool on_shared_engines();

// The port in a URL with one host and a port.
std::uint16_t port_of(const std::string& url);
// The same URL with another port of 127.0.0.1: through a TcpProxy.
std::string with_port(const std::string& url, std::uint16_t port);

// A random name of lower-case letters and digits that begins with a letter: a prefix for keys in the shared Redis.
std::string fresh_namespace();

// What lies under a name space of the shared Redis: makes it so much older, by shortening what it has left; or ends it.
void age_redis_keys(const std::string& name_space, std::chrono::milliseconds time);
void erase_redis_keys(const std::string& name_space);

// A new schema in the shared PostgreSQL, dropped with all it holds at the end.
class PostgresSchema {
public:
    PostgresSchema();
    ~PostgresSchema();
    PostgresSchema(const PostgresSchema&) = delete;
    PostgresSchema& operator=(const PostgresSchema&) = delete;

    const std::string& name() const { return name_; }
    // Whose connections work in this schema: .../app?options=-c%20search_path%3D<name>
    const std::string& url() const { return url_; }
    // The same, with half a minute for connecting instead of two seconds: machines that others share stand still at
    // times. For whoever does not test what becomes of a server that does not answer.
    std::string patient_url() const;
    SqlRows sql(const std::string& statement) const { return run_postgres_sql(patient_url(), statement); }

private:
    std::string name_;
    std::string url_;
};

}  // namespace consentry::tests
