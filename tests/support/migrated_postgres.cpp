#include "tests/support/migrated_postgres.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "storage/migrations.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "tests/support/schema_digest.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

std::string url_of(const std::string& database) {
    const std::string url = shared_postgres_url();
    return url.substr(0, url.rfind('/') + 1) + database + "?connect_timeout=30";
}

std::string existing_template() {
    const std::string name = "template_" + schema_digest();
    const PostgresConnection server(url_of("app"));
    const auto exists = [&] { return !server.run("SELECT 1 FROM pg_database WHERE datname = '" + name + "'").empty(); };
    if (exists()) return name;
    server.run("SELECT pg_advisory_lock(20)");  // until the connection ends; no other lock has the number
    if (exists()) return name;
    const std::string unfinished = name + "_unfinished";
    server.run("DROP DATABASE IF EXISTS " + unfinished);
    server.run("CREATE DATABASE " + unfinished);
    storage::PostgresDatabase(storage::PostgresOptions{.url = url_of(unfinished), .timeout = std::chrono::seconds{30}})
        .migrate(storage::migrations());
    run_postgres_sql(url_of(unfinished),
                     "CREATE FUNCTION hex(bytea) RETURNS text LANGUAGE sql AS $$ SELECT upper(encode($1, 'hex')) $$");
    server.run("ALTER DATABASE " + unfinished + " RENAME TO " + name);
    return name;
}

// Creates and drops databases on one connection. A database whose last connection has just ended is dropped later, with
// the next one or at the end of the program: PostgreSQL sleeps for 100 ms if it meets a backend that is still ending.
class Copies {
public:
    std::string make() {
        const std::lock_guard lock(mutex_);
        const std::string name = fresh_namespace();
        drop_unused();
        server_.run("CREATE DATABASE " + name + " TEMPLATE " + original_ + " STRATEGY FILE_COPY");
        return name;
    }
    void leave(std::string name) {
        const std::lock_guard lock(mutex_);
        unused_.push_back(std::move(name));
    }
    ~Copies() {
        try {
            drop_unused();
        } catch (const std::exception&) {
            // The servers are gone, and the databases with them.
        }
    }

private:
    void drop_unused() {
        for (const std::string& name : std::exchange(unused_, {}))
            server_.run("DROP DATABASE " + name + " WITH (FORCE)");
    }

    std::mutex mutex_;
    const std::string original_ = existing_template();
    PostgresConnection server_{url_of("app")};
    std::vector<std::string> unused_;
};

Copies& copies() {
    static Copies all;
    return all;
}

}  // namespace

MigratedPostgres::MigratedPostgres() : name_(copies().make()), url_(url_of(name_)) {}

MigratedPostgres::~MigratedPostgres() { copies().leave(name_); }

SqlRows MigratedPostgres::sql(const std::string& statement) const {
    std::optional<PostgresConnection> connection;
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            connection = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    if (!connection) connection.emplace(url_);
    SqlRows rows = connection->run(statement);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(*connection));
    return rows;
}

}  // namespace consentry::tests
