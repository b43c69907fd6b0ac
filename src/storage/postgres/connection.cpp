#include "storage/postgres/connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "storage/postgres/values.hpp"

namespace consentry::storage::postgres {
namespace {

constexpr int oldest_server = 130'000;  // 13: the oldest version supported upstream at the time of writing

struct FreeOptions {
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using ConnectionOptions = std::unique_ptr<PQconninfoOption, FreeOptions>;

ConnectionOptions parse(const std::string& url) {
    char* error = nullptr;
    ConnectionOptions out(PQconninfoParse(url.c_str(), &error));
    PQfreemem(error);  // the message quotes the URL
    return out;
}

std::optional<std::string> find(const ConnectionOptions& given, std::string_view keyword) {
    for (const PQconninfoOption* option = given.get(); option != nullptr && option->keyword != nullptr; ++option)
        if (keyword == option->keyword && option->val != nullptr) return option->val;
    return std::nullopt;
}

bool says(const ConnectionOptions& given, std::string_view keyword) { return find(given, keyword).has_value(); }

// Whether the host is this machine, so that traffic cannot be intercepted. No host means a Unix socket.
bool is_local(std::string_view host) {
    if (host.empty() || host.starts_with('/') || host.starts_with('@') || host == "localhost") return true;
    boost::system::error_code failed;
    const auto address = boost::asio::ip::make_address(std::string(host), failed);
    return !failed && address.is_loopback();
}

std::vector<std::string> parts_of(std::string_view list) {
    std::vector<std::string> out;
    while (!list.empty()) out.emplace_back(take_part(list, ','));
    return out;
}

// The hosts of a URL: libpq's lists of names, addresses and ports, of which an empty element stands for the default.
class Hosts {
public:
    explicit Hosts(const ConnectionOptions& given)
        : has_others_(find(given, "service") || is_list("PGHOSTADDR") || is_list("PGPORT") ||
                      std::getenv("PGSERVICE") != nullptr) {
        for (List& list : lists_) list.elements = elements_of(find(given, list.keyword).value_or(""));
    }
    // The lists that begin with the host at this place, as parameters to replace those of the URL.
    std::vector<std::pair<const char*, std::string>> beginning_at(std::size_t place) const {
        std::vector<std::pair<const char*, std::string>> out;
        if (place == 0 || place >= count() || has_others_) return out;
        for (const List& list : lists_) {
            if (list.elements.size() != count()) continue;  // none, or one port for all hosts
            auto elements = list.elements;
            std::ranges::rotate(elements, elements.begin() + static_cast<std::ptrdiff_t>(place));
            out.emplace_back(list.keyword, fmt::format("{}", fmt::join(elements, ",")));
        }
        return out;
    }
    // Zero if it is none of them.
    std::size_t place_of(const PGconn* connection) const {
        const std::array<const char*, 3> used{PQhost(connection), PQhostaddr(connection), PQport(connection)};
        for (std::size_t place = 0; place < count(); ++place) {
            bool is_same = true;
            for (std::size_t i = 0; i < used.size(); ++i) is_same = is_same && may_be(lists_[i], place, used[i]);
            if (is_same) return place;
        }
        return 0;
    }

private:
    struct List {
        const char* keyword;
        std::vector<std::string> elements = {};
    };
    static std::vector<std::string> elements_of(std::string_view list) {
        std::vector<std::string> out = parts_of(list);
        if (list.ends_with(',')) out.emplace_back();
        return out;
    }
    static bool is_list(const char* variable) {
        const char* value = std::getenv(variable);
        return value != nullptr && std::string_view(value).contains(',');
    }
    std::size_t count() const { return std::max(lists_[0].elements.size(), lists_[1].elements.size()); }
    bool may_be(const List& list, std::size_t place, const char* used) const {
        if (list.elements.size() != count() || list.elements[place].empty()) return true;
        return used != nullptr && list.elements[place] == used;
    }

    const bool has_others_;  // lists from elsewhere, which libpq pairs with these by their places
    std::array<List, 3> lists_{List{"host"}, List{"hostaddr"}, List{"port"}};
};

// If a password is not percent-encoded, or the host after it is missing, libpq takes part of the password for a host or
// port and quotes it in its errors.
bool has_stray_password(std::string_view url) {
    const std::string_view rest = url.substr(url.find("://") + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const auto signs = std::ranges::count(authority, '@');
    if (signs > 1 || (signs == 0 && rest.contains('@'))) return true;
    std::string_view hosts = authority.substr(authority.find('@') + 1);  // the whole authority if there is no '@'
    while (!hosts.empty()) {
        const std::string_view host = take_part(hosts, ',');
        const auto colon = host.find(':', host.find(']') == std::string_view::npos ? 0 : host.find(']'));
        if (colon == std::string_view::npos) continue;
        const std::string_view port = host.substr(colon + 1);
        if (!std::ranges::all_of(port, is_digit)) return true;
    }
    return false;
}

// libpq reports each host's error on its own line; a log entry is one line.
std::string one_line(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    std::string out(text);
    std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return out;
}

// Whether the message for this SQLSTATE never quotes caller data (that of a failed cast quotes the value).
bool words_are_safe(std::string_view sqlstate) {
    constexpr std::array<std::string_view, 10> classes{"08", "25", "28", "3F", "40", "42", "53", "55", "57", "58"};
    return std::ranges::any_of(classes, [&](std::string_view one) { return sqlstate.starts_with(one); });
}

std::string_view field(const PGresult* result, int code) {
    const char* text = PQresultErrorField(result, code);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

std::string describe(const PGresult* result, std::string_view sql) {
    const std::string_view sqlstate = field(result, PG_DIAG_SQLSTATE);
    std::string out = fmt::format("postgres: {}", sqlstate.empty() ? "connection lost" : sqlstate);
    if (words_are_safe(sqlstate)) out += fmt::format(" {}", field(result, PG_DIAG_MESSAGE_PRIMARY));
    if (const auto constraint = field(result, PG_DIAG_CONSTRAINT_NAME); !constraint.empty())
        out += fmt::format(" (constraint {})", constraint);
    if (!sql.empty()) out += fmt::format(": {:.200}", sql);
    return out;
}

// A statement's time is slightly shorter than the caller's timeout, so that a slow one fails alone instead of costing
// the connection. It waits for a lock for half of that: then its transaction is repeated, which resolves a deadlock.
// The server itself looks for deadlocks after a second, when the default timeout is over, and lets only superusers
// change that.
std::string timeouts_sql(const PostgresOptions& options) {
    const auto part_of_timeout = [&](std::int64_t percent) {
        return std::max<std::int64_t>(options.timeout.count() * percent / 100, 1);
    };
    return fmt::format("SET statement_timeout = {}; SET lock_timeout = {}", part_of_timeout(90), part_of_timeout(45));
}

}  // namespace

ServerError::ServerError(const PGresult* result, std::string_view sql)
    : std::runtime_error(describe(result, sql)), sqlstate_(field(result, PG_DIAG_SQLSTATE)) {}

bool ServerError::ends_connection() const {
    // 25006: read-only; 57P01..57P05: shutdown, crash, startup, dropped database, idle timeout; 08: connection.
    return sqlstate_ == "25006" || sqlstate_.starts_with("57P") || sqlstate_.starts_with("08");
}

bool ServerError::refuses_writes() const {
    // 25006: read-only, as some hosts set a server whose disk is nearly full; 53100: disk full; 58030: input/output
    // error; XX001, XX002: damaged data or index.
    return sqlstate_ == "25006" || sqlstate_ == "53100" || sqlstate_ == "58030" || sqlstate_ == "XX001" ||
           sqlstate_ == "XX002";
}

std::unique_ptr<Connection> Connection::open(const PostgresOptions& options, Use use, std::atomic<std::size_t>& host) {
    std::unique_ptr<Connection> out(new Connection(options, use, host.load()));
    host.store(Hosts(parse(options.url)).place_of(out->raw()));
    return out;
}

Connection::Connection(const PostgresOptions& options, Use use, std::size_t first_host) {
    const ConnectionOptions given = parse(options.url);
    std::vector<const char*> names{"dbname"};  // the URL, which libpq expands
    std::vector<const char*> values{options.url.c_str()};
    const auto hosts = Hosts(given).beginning_at(first_host);
    for (const auto& [name, list] : hosts) {
        names.push_back(name);
        values.push_back(list.c_str());
    }
    // Later parameters override earlier ones, so set a default only if the URL does not.
    const auto unless_said = [&](const char* name, const char* value) {
        if (says(given, name)) return;
        names.push_back(name);
        values.push_back(value);
    };
    unless_said("application_name", "consentry");
    unless_said("connect_timeout", "2");  // seconds per host; libpq's minimum
    // Behind a pooler, and if the server is frozen later, the settings below may get no answer (0: libpq has no limit).
    if (const auto said = find(given, "connect_timeout"))
        if (const int seconds = std::atoi(said->c_str()); seconds > 0) set_up_max_ = std::chrono::seconds(seconds);
    unless_said("target_session_attrs", "read-write");
    unless_said("client_encoding", "UTF8");
    unless_said("keepalives_idle", "30");
    names.push_back(nullptr);
    values.push_back(nullptr);
    connection_.reset(PQconnectdbParams(names.data(), values.data(), 1));
    if (!connection_) throw std::bad_alloc();
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(trouble());
    if (const int version = PQserverVersion(connection_.get()); version < oldest_server)
        throw std::runtime_error(
            fmt::format("the server is PostgreSQL {}.{}; 13 or newer is required", version / 10'000, version % 10'000));
    PQsetNoticeProcessor(connection_.get(), [](void*, const char*) {}, nullptr);
    if (options.keeps_session_state) {
        // An acknowledged commit must be on disk, whatever the server's default. JIT compilation is off: the statements
        // read few rows by a key, while compilation costs milliseconds. The server enables it by its row estimate,
        // which is far too high for a table without statistics.
        set_up(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'; "
            "SELECT set_config('jit', 'off', false) WHERE current_setting('jit', true) = 'on'" +
            (use == Use::serving ? "; " + timeouts_sql(options) : std::string()));
    }
}

void Connection::use_for(Use use, const PostgresOptions& options) {
    if (!options.keeps_session_state) return;
    set_up(use == Use::serving ? timeouts_sql(options) : "RESET statement_timeout; RESET lock_timeout");
}

void Connection::set_up(const std::string& statements) {
    const auto end = std::chrono::steady_clock::now() + set_up_max_;
    require_sent(PQsendQuery(raw(), statements.c_str()));
    const Result last = wait_while([&] { return std::chrono::steady_clock::now() < end; },
                                   "postgres: no answer to the settings of a new connection");
    read(last.get(), statements);
}

Rows Connection::run(std::string_view sql, const Params& params) {
    const std::string text(sql);
    const Encoded encoded(params);
    // Several statements are allowed only in the simple protocol, which takes no parameters. Its results are text,
    // which decode() does not read, so only a single statement returns rows.
    const Result result(params.empty() && sql.contains(';')
                            ? PQexec(raw(), text.c_str())
                            : PQexecParams(raw(), text.c_str(), encoded.count(), encoded.types.data(),
                                           encoded.values.data(), encoded.lengths.data(), encoded.formats.data(), 1));
    return read(result.get(), sql);
}

Rows Connection::run_while(const std::function<bool()>& wanted, std::chrono::milliseconds time_max,
                           std::string_view sql, const Params& params) {
    // The client may be gone and unable to cancel the statement, so the server ends it by itself, and since version 14
    // as soon as the connection closes. SET LOCAL, because a pooler may hand the session to other clients.
    constexpr int notices_closing = 140'000;
    constexpr auto too_long = "postgres: a search took too long";
    const std::string begin = fmt::format(
        "BEGIN READ ONLY; SET LOCAL statement_timeout = {}{}", time_max.count(),
        PQserverVersion(raw()) >= notices_closing ? "; SET LOCAL client_connection_check_interval = 1000" : "");
    require_sent(PQsendQuery(raw(), begin.c_str()));
    read(wait_while(wanted, too_long).get(), begin);

    const std::string text(sql);
    const Encoded encoded(params);
    require_sent(PQsendQueryParams(raw(), text.c_str(), encoded.count(), encoded.types.data(), encoded.values.data(),
                                   encoded.lengths.data(), encoded.formats.data(), 1));
    Rows rows = read(wait_while(wanted, too_long).get(), sql);

    require_sent(PQsendQuery(raw(), "COMMIT"));
    read(wait_while(wanted, too_long).get(), "COMMIT");
    return rows;
}

void Connection::require_sent(int sent) {
    if (sent != 1) throw Unavailable("postgres: connection lost");
}

// Returns the last result of the statements sent.
Result Connection::wait_while(const std::function<bool()>& wanted, const char* trouble) {
    Result last;
    for (;;) {
        while (PQisBusy(raw()) == 1) {
            if (!wanted()) throw Unavailable(trouble);
            constexpr int look_again_ms = 50;
            pollfd socket{.fd = PQsocket(raw()), .events = POLLIN, .revents = 0};
            ::poll(&socket, 1, look_again_ms);
            require_sent(PQconsumeInput(raw()));
        }
        Result next(PQgetResult(raw()));
        if (!next) return last;
        last = std::move(next);
    }
}

Rows Connection::read(const PGresult* result, std::string_view sql) const {
    switch (PQresultStatus(result)) {
        case PGRES_COMMAND_OK:
            return decode(result, false);
        case PGRES_TUPLES_OK:
            return PQbinaryTuples(result) == 1 ? decode(result, false) : Rows{};
        default:
            if (PQstatus(raw()) != CONNECTION_OK) throw Unavailable("postgres: connection lost");
            throw ServerError(result, sql);
    }
}

std::string Connection::trouble() const { return one_line(PQerrorMessage(raw())); }

bool Connection::is_stale() const {
    char byte = 0;
    const auto got = ::recv(PQsocket(raw()), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace consentry::storage::postgres

namespace consentry::storage {

std::expected<void, std::string> check_postgres_url(std::string_view url) {
    const std::string text(url);
    if (!text.starts_with("postgresql://") && !text.starts_with("postgres://"))
        return std::unexpected("must begin with postgresql://");
    try {
        if (!text.contains('\0') && !postgres::has_stray_password(text) && postgres::parse(text)) return {};
    } catch (const std::runtime_error& missing) {  // libpq itself, which parse() is the first to need
        return std::unexpected(missing.what());
    }
    return std::unexpected(
        "is not a valid PostgreSQL URL: postgresql://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE, "
        "special characters percent-encoded");
}

bool may_go_unencrypted(std::string_view postgres_url) {
    const postgres::ConnectionOptions given = postgres::parse(std::string(postgres_url));
    // libpq itself honors PGSSLMODE and similar variables.
    const postgres::ConnectionOptions defaults(PQconndefaults());
    const auto value = [&](std::string_view keyword) {
        auto out = postgres::find(given, keyword);
        return out ? out : postgres::find(defaults, keyword);
    };
    const std::string mode = value("sslmode").value_or("prefer");
    if (mode != "disable" && mode != "allow" && mode != "prefer") return false;
    // A hostaddr takes precedence over the host at the same position.
    const auto names = postgres::parts_of(value("host").value_or(""));
    const auto addresses = postgres::parts_of(value("hostaddr").value_or(""));
    for (std::size_t i = 0; i < std::max(names.size(), addresses.size()); ++i) {
        const std::string name = i < names.size() ? names[i] : "";
        if (!postgres::is_local(i < addresses.size() && !addresses[i].empty() ? addresses[i] : name)) return true;
    }
    return false;
}

}  // namespace consentry::storage
