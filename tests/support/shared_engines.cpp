#include "tests/support/shared_engines.hpp"

#include <charconv>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

std::string shared_url(const char* variable, const char* name) {
    if (const char* url = std::getenv(variable); url != nullptr && *url != '\0') return url;
    const auto values = named_values(text_in(CONSENTRY_ENGINE_ADDRESSES));
    const auto found = values.find(name);
    if (found == values.end())
        throw std::runtime_error("The shared servers do not run: script/test starts them, for ctest as well, or set " +
                                 std::string(variable) + " (there is no " + name +
                                 " in " CONSENTRY_ENGINE_ADDRESSES ").");
    return found->second;
}

// Returns the digits of the port.
std::string_view port_part(std::string_view url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) throw std::runtime_error("no URL");
    std::string_view authority = url.substr(scheme + 3);
    authority = authority.substr(0, authority.find_first_of("/?"));
    const std::size_t colon = authority.rfind(':');
    if (colon == std::string_view::npos) throw std::runtime_error("no port in a URL");
    return authority.substr(colon + 1);
}

}  // namespace

std::string shared_postgres_url() { return shared_url("CONSENTRY_TEST_POSTGRES_URL", "POSTGRES_URL"); }

std::string shared_redis_url() { return shared_url("CONSENTRY_TEST_REDIS_URL", "REDIS_URL"); }

std::string postgres_template() { return shared_url("CONSENTRY_TEST_POSTGRES_TEMPLATE", "POSTGRES_TEMPLATE"); }

bool on_shared_engines() {
    const char* engines = std::getenv("CONSENTRY_TEST_ENGINES");
    return engines != nullptr && std::string_view(engines) == "shared";
}

std::uint16_t port_of(const std::string& url) {
    const std::string_view digits = port_part(url);
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), port);
    if (error != std::errc{} || end != digits.end()) throw std::runtime_error("no port in a URL");
    return port;
}

std::string with_port(const std::string& url, std::uint16_t port) {
    const std::string_view digits = port_part(url);
    std::string out = url;
    out.replace(static_cast<std::size_t>(digits.data() - url.data()), digits.size(), std::to_string(port));
    return out;
}

std::string fresh_namespace() {
    static constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
    std::random_device random;
    std::string name = "t";
    for (int i = 0; i < 16; ++i) name += letters[random() % letters.size()];
    return name;
}

void age_redis_keys(const std::string& name_space, std::chrono::milliseconds time) {
    constexpr auto script =
        "for _, key in ipairs(redis.call('KEYS', ARGV[1] .. ':*')) do "
        "redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[2]) end";
    output_of({"redis-cli", "-u", shared_redis_url(), "EVAL", script, "0", name_space, std::to_string(time.count())});
}

void erase_redis_keys(const std::string& name_space) { age_redis_keys(name_space, std::chrono::hours{100'000}); }

namespace {

// The connections of this process that no statement uses at the moment: a new one costs the server more than most
// statements.
class IdleConnections {
public:
    std::optional<PostgresConnection> take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return std::nullopt;
        PostgresConnection connection = std::move(idle_.back());
        idle_.pop_back();
        return connection;
    }
    // Resets the session first, so that no setting, lock or temporary table reaches the next user.
    void give_back(PostgresConnection connection) {
        try {
            connection.run("DISCARD ALL");
        } catch (const std::runtime_error&) {
            return;  // in a transaction, which ends with the connection
        }
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(connection));
    }

private:
    std::mutex mutex_;
    std::vector<PostgresConnection> idle_;
};

IdleConnections& idle_connections() {
    static IdleConnections connections;
    return connections;
}

PostgresConnection connection_in(const std::string& schema, const std::string& url) {
    const std::string use_schema = "SET search_path TO " + schema;
    if (auto connection = idle_connections().take()) {
        try {
            connection->run(use_schema);
            return std::move(*connection);
        } catch (const std::runtime_error&) {
            // The server has closed it.
        }
    }
    PostgresConnection connection(url);
    connection.run(use_schema);
    return connection;
}

}  // namespace

SqlRows PostgresSchema::sql(const std::string& statement) const {
    PostgresConnection connection = connection_in(name_, patient_url());
    SqlRows rows = connection.run(statement);
    idle_connections().give_back(std::move(connection));
    return rows;
}

PostgresSchema::PostgresSchema() : name_(fresh_namespace()), url_(shared_postgres_url()) {
    url_ += url_.contains('?') ? '&' : '?';
    url_ += "options=-c%20search_path%3D" + name_;
    sql("CREATE SCHEMA " + name_);
}

std::string PostgresSchema::patient_url() const { return url_ + "&connect_timeout=30"; }

PostgresSchema::~PostgresSchema() {
    try {
        sql("DROP SCHEMA " + name_ + " CASCADE");
    } catch (const std::exception&) {
        // The servers are gone, and the schema with them.
    }
}

}  // namespace consentry::tests
