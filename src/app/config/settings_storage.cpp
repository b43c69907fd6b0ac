// Database and cache settings.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"
#include "storage/postgres/options.hpp"
#include "storage/redis/redis_url.hpp"

namespace consentry {

using namespace std::chrono_literals;
using namespace setting_types;

namespace {

bool is_postgres_url(std::string_view url) { return url.starts_with("postgres:") || url.starts_with("postgresql:"); }

Read read_database_url(std::string_view value, Config& config) {
    if (is_postgres_url(value)) {
        if (auto checked = storage::check_postgres_url(value); !checked) return std::unexpected(checked.error());
        config.database.url = value;
        return {};
    }
    auto file = parse_database_url(value);
    if (!file) return std::unexpected(std::move(file.error()));
    config.database.url.clear();
    config.database.file = std::move(*file);
    return {};
}

Read read_cache_url(std::string_view value, Config& config) {
    if (value == "memory:") {
        config.cache.url.clear();
        return {};
    }
    if (!value.starts_with("redis")) return refused("memory: or a Redis URL such as redis://HOST:6379");
    if (auto options = storage::parse_redis_url(value); !options) return std::unexpected(std::move(options.error()));
    config.cache.url = value;
    return {};
}

bool is_name_space(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
        return is_alphanumeric(c) || c == '_' || c == '-' || c == '.' || c == ':';
    });
}

}  // namespace

std::vector<SettingSpec> database_settings() {
    constexpr std::string_view group = "Database";
    return {
        {.name = "DATABASE_URL",
         .group = group,
         .type = {.allowed = "sqlite:PATH or postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
                  .read = read_database_url,
                  .show =
                      [](const Config& config) {
                          return config.database.url.empty() ? "sqlite:" + config.database.file.string()
                                                             : config.database.url;
                      },
                  .may_hold_password = true},
         .default_text = "`sqlite:<DATA_DIR>/consentry.db`",
         .derived = true,
         .description =
             "The database. SQLite serves one running process; a relative path starts at the working directory. "
             "PostgreSQL (13 or newer) serves any number of processes. libpq, PostgreSQL's client library, reads the "
             "URL: list several hosts, separated by commas, to follow a failover to the host that accepts writes, and "
             "use `sslmode=verify-full` with `sslrootcert=FILE` to require a valid certificate.",
         .example = "postgresql://consentry:PASSWORD@db1.example.com,db2.example.com/consentry?sslmode=verify-full"},
        {.name = "DATABASE_CONNECTIONS_PER_THREAD",
         .group = group,
         .type = whole_number<&Config::database, &DatabaseConfig::connections_per_thread>(1, 64),
         .default_text = "4",
         .description = "The maximum number of PostgreSQL connections of one thread. Every thread that serves "
                        "requests (`HTTP_THREADS`, by default one per core) has connections of its own, and so has "
                        "the thread that sends emails. Connections open on demand. As soon as a thread has a second "
                        "one, its first one only serves lookups by key. Searches use one more connection per "
                        "instance. In total, PostgreSQL must allow instances × ((`HTTP_THREADS` + 1) × this "
                        "number + 1) connections: 21 for one instance on four cores with the defaults."},
        {.name = "DATABASE_TIMEOUT",
         .group = group,
         .type = duration<&Config::database, &DatabaseConfig::timeout>(50ms, 1min),
         .default_text = "800ms",
         .description = "How long a request waits for a single PostgreSQL response, including a new connection. After "
                        "that, the response is 503."},
        {.name = "DATABASE_PREPARED_STATEMENTS",
         .group = group,
         .type = flag<&Config::database, &DatabaseConfig::prepared_statements>(),
         .default_text = "true",
         .description = "Keeps prepared statements and session settings in PostgreSQL sessions. Set it to `false` "
                        "behind a connection pooler that hands a session to another client after each transaction, "
                        "such as PgBouncer with `pool_mode = transaction`."},
    };
}

std::vector<SettingSpec> cache_settings() {
    constexpr std::string_view group = "Cache";
    return {
        {.name = "CACHE_URL",
         .group = group,
         .type = {.allowed = "memory: or a Redis URL such as redis://HOST:6379",
                  .read = read_cache_url,
                  .show = [](const Config& config) { return config.cache.url.empty() ? "memory:" : config.cache.url; },
                  .may_hold_password = true},
         .default_text = "memory:",
         .description = "The cache: in process memory (`memory:`), or on Redis or Valkey (6.2 or newer), which "
                        "several instances share. Forms: `redis://[USER:PASSWORD@]HOST[:PORT][/DB]` for one server "
                        "(port 6379 and database 0 by default), "
                        "`redis+sentinel://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT]/NAME[/DB]` for the Sentinels "
                        "(port 26379 by default) of the master NAME, or "
                        "`redis+cluster://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT]` for some nodes of a cluster "
                        "(port 6379 by default). USER may be empty. Percent-encode special characters in user and "
                        "password. Use `rediss` instead of `redis` for TLS. Parameters follow a `?`, separated by "
                        "`&`. With TLS: `ca_file=FILE` names the CA certificates to trust instead of the system's; "
                        "`cert_file=FILE` and `key_file=FILE` together name a client certificate and its key. All "
                        "three are PEM files. With Sentinel: `sentinel_user=USER` and `sentinel_password=PASSWORD` "
                        "are the credentials for the Sentinels, by default those of the servers; empty values mean "
                        "none. Losing the cache costs time and logins in progress, but never security.",
         .example = "redis://consentry:PASSWORD@cache.example.com:6379"},
        {.name = "CACHE_NAMESPACE",
         .group = group,
         .type = text<&Config::cache, &CacheConfig::name_space>("1 to 64 letters, digits and ._:-", is_name_space),
         .default_text = "Cache",
         .description = "The prefix of every key in Redis, followed by a colon. Give services that share a server "
                        "different namespaces."},
        {.name = "CACHE_TTL_IN_MS",
         .group = group,
         .type = whole_number<&Config::cache, &CacheConfig::ttl>(1'000, 86'400'000),
         .default_text = "300000",
         .description = "How long the cache keeps entries that have no setting of their own, in milliseconds. At "
                        "present this is the ID of each API key."},
        {.name = "CACHE_TIMEOUT",
         .group = group,
         .type = duration<&Config::cache, &CacheConfig::timeout>(10ms, 10s),
         .default_text = "250ms",
         .description = "How long a request waits for a single Redis response. After that, it continues without the "
                        "cache where possible."},
        {.name = "CACHE_MEMORY_MAX_IN_MB",
         .group = group,
         .type = megabytes<&Config::cache, &CacheConfig::bytes_max>(1, 65'536),
         .default_text = "64",
         .description = "The memory limit of the in-process cache, in megabytes. Above it, the least recently used "
                        "entries are evicted."},
    };
}

}  // namespace consentry
