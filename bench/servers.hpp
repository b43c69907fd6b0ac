// A PostgreSQL that writes through to the disk and a Redis for one run, by the scripts in tests/real.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "storage/postgres/connection.hpp"

namespace consentry::bench {

class Servers {
public:
    // Blocks until both answer. Throws std::runtime_error where one does not start: it has told why on standard error.
    Servers();
    ~Servers();  // ends both and removes their data
    Servers(const Servers&) = delete;
    Servers& operator=(const Servers&) = delete;

    // The server has "app" from the beginning.
    void create_database(std::string_view name) const;
    std::string database_url(std::string_view name) const;  // holds the password
    std::string cache_url(int number) const;                // Redis keeps its databases 0 to 15 apart
    storage::postgres::Connection connect(std::string_view database) const;

    // Transactions of a database that were committed during `work`. Waits for its services to be gone: the server's
    // sessions tell what they did when they end, and before that only now and then.
    std::int64_t committed_during(std::string_view database, const std::function<void()>& work) const;
    // Of all processes of PostgreSQL.
    double database_cpu_seconds() const;
    std::int64_t cache_bytes() const;  // that Redis has in use
    // Adds keys that are never read, so that Redis is as full as in production.
    void fill_cache(int number, std::size_t keys, std::size_t value_bytes) const;

private:
    std::int64_t committed(std::string_view database) const;
    void start();
    void stop() const;
    std::string redis(const std::string& words) const;
    std::filesystem::path folder_;
    std::string postgres_port_;
    std::string postgres_password_;
    std::string redis_port_;
};

}  // namespace consentry::bench
