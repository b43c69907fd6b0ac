#include "servers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <sys/types.h>
#include <unistd.h>

#include <fmt/format.h>

#include "process.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// On a disk and readable by the servers' own users, which /tmp and home folders may not be.
constexpr std::string_view place = "/var/tmp/consentry-bench.XXXXXX";
// What an operator sets first of all; the rest is as the server comes, fsync and synchronous_commit on.
constexpr std::string_view postgres_settings =
    "--setting shared_buffers=1GB --setting max_wal_size=8GB --setting checkpoint_timeout=30min";
// The cache is a copy.
constexpr std::string_view redis_settings = "--setting 'appendonly no'";
// One command takes well below the five seconds that the script gives it.
constexpr std::size_t keys_at_once = 500'000;

std::string output_of(const std::string& command) {
    std::FILE* const pipe = popen(command.c_str(), "re");
    if (pipe == nullptr) throw std::runtime_error("bench: cannot start a shell");
    std::string out;
    std::array<char, 4096> bytes;
    while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), pipe)) out.append(bytes.data(), count);
    if (pclose(pipe) != 0) throw std::runtime_error(fmt::format("bench: {} fails", command));
    return out;
}

std::string script(std::string_view name, std::string_view arguments) {
    return output_of(fmt::format("'{}/{}.sh' {}", CONSENTRY_BENCH_REAL_SERVERS, name, arguments));
}

// Of NAME=value or name:value lines.
std::string value_of(std::string_view text, std::string_view name) {
    const auto at = text.find(name);
    if (at == std::string_view::npos) throw std::runtime_error(fmt::format("bench: a server does not report {}", name));
    const std::string_view rest = text.substr(at + name.size());
    return std::string(rest.substr(0, rest.find_first_of(" \r\n")));
}

}  // namespace

Servers::Servers() {
    std::string folder(place);
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("bench: cannot create a folder for the servers");
    folder_ = folder;
    fs::permissions(folder_, fs::perms(0755));
    try {
        start();
    } catch (...) {
        stop();
        throw;
    }
}

Servers::~Servers() { stop(); }

void Servers::start() {
    const pid_t owner = getpid();
    const std::string postgres = script(
        "postgres", fmt::format("start --owner {} {} '{}/postgres'", owner, postgres_settings, folder_.string()));
    const std::string redis =
        script("redis", fmt::format("start --owner {} {} '{}/redis'", owner, redis_settings, folder_.string()));
    postgres_port_ = value_of(postgres, "POSTGRES_PORT=");
    postgres_password_ = value_of(postgres, "POSTGRES_PASSWORD=");
    redis_port_ = value_of(redis, "REDIS_PORTS=");
}

void Servers::stop() const {
    for (const char* name : {"postgres", "redis"}) {
        try {
            script(name, fmt::format("stop --remove '{}/{}'", folder_.string(), name));
        } catch (const std::exception& error) {
            fmt::print(stderr, "{}\n", error.what());  // and the rest is still to be ended
        }
    }
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void Servers::create_database(std::string_view name) const {
    connect("postgres").run(fmt::format("CREATE DATABASE {}", name));
}

std::string Servers::database_url(std::string_view name) const {
    return fmt::format("postgresql://app:{}@127.0.0.1:{}/{}", postgres_password_, postgres_port_, name);
}

std::string Servers::cache_url(int number) const { return fmt::format("redis://127.0.0.1:{}/{}", redis_port_, number); }

storage::postgres::Connection Servers::connect(std::string_view database) const {
    return storage::postgres::Connection({.url = database_url(database)},
                                         storage::postgres::Connection::Use::maintenance);
}

std::int64_t Servers::committed_during(std::string_view database, const std::function<void()>& work) const {
    const std::int64_t before = committed(database);
    work();
    return committed(database) - before;
}

std::int64_t Servers::committed(std::string_view database) const {
    auto connection = connect("postgres");
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    const auto one = [&](std::string_view sql) {
        return connection.run(sql, storage::bind_all(database))[0].integer(0);
    };
    while (one("SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'consentry'") > 0) {
        if (std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("bench: the service did not disconnect");
        std::this_thread::sleep_for(10ms);
    }
    return one("SELECT xact_commit FROM pg_stat_database WHERE datname = $1");
}

double Servers::database_cpu_seconds() const {
    std::ifstream in(folder_ / "postgres" / "data" / "postmaster.pid");
    pid_t postmaster = 0;
    if (!(in >> postmaster)) throw std::runtime_error("bench: PostgreSQL has no pid file");
    return cpu_seconds_with_children(postmaster);
}

std::string Servers::redis(const std::string& words) const {
    return script("redis", fmt::format("command '{}/redis' 0 {}", folder_.string(), words));
}

std::int64_t Servers::cache_bytes() const { return std::stoll(value_of(redis("info memory"), "used_memory:")); }

void Servers::fill_cache(int number, std::size_t keys, std::size_t value_bytes) const {
    for (std::size_t begin = 0; begin < keys; begin += keys_at_once)
        redis(fmt::format("-n {} debug populate {} nobody:{} {}", number, std::min(keys_at_once, keys - begin), begin,
                          value_bytes));
}

}  // namespace consentry::bench
