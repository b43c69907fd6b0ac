// One connection to the server. Used through blocking calls, or lent to a Channel, which uses it without blocking.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <libpq-fe.h>

#include "storage/database.hpp"
#include "storage/postgres/options.hpp"

namespace consentry::storage::postgres {

struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clear>;

// The server's error for a statement. The message has the SQLSTATE and, if the server's text cannot contain a value of
// a row or parameter, that text.
class ServerError : public std::runtime_error {
public:
    explicit ServerError(const PGresult* result, std::string_view sql);
    const std::string& sqlstate() const { return sqlstate_; }

    bool is_unique_violation() const { return sqlstate_ == "23505"; }
    // Rolled back, and a retry may succeed: a serialization failure (40001), a deadlock (40P01), or a wait for a lock
    // that took too long (55P03).
    bool may_be_repeated() const { return sqlstate_ == "40001" || sqlstate_ == "40P01" || sqlstate_ == "55P03"; }
    // The server is shutting down or no longer accepts writes: a new connection is needed.
    bool ends_connection() const;
    // The server is read-only, or its disk is full or broken: reads may still succeed, writes do not.
    bool refuses_writes() const;

private:
    std::string sqlstate_;
};

class Connection {
public:
    enum class Use { serving, maintenance };  // maintenance: no timeouts

    // Blocks while connecting, at most two seconds per host unless the URL says otherwise, and as long again for the
    // settings of the session. Throws std::runtime_error with libpq's cause, which names the host and never the
    // password; also if the server is too old.
    explicit Connection(const PostgresOptions& options, Use use) : Connection(options, use, 0) {}

    // The same, for connections that follow each other: of several hosts, tries the one at the place `host` of the
    // URL's list first, then those behind it, then those before it, and sets `host` to the one that let it in. Without
    // this, each connection would wait for a silent host before the one that works.
    static std::unique_ptr<Connection> open(const PostgresOptions& options, Use use, std::atomic<std::size_t>& host);

    // Blocks. Changes what the connection is used for. Throws like run().
    void use_for(Use use, const PostgresOptions& options);

    // Blocks. Runs one statement; without parameters it accepts several and returns the rows of the last one. Throws
    // ServerError, and Unavailable if the connection is lost.
    Rows run(std::string_view sql, const Params& params = {});

    // Runs one read that may take long, planned for its values each time. Throws Unavailable once `wanted` returns
    // false, or after the server has worked on it for `time_max`. After that, and after a ServerError, the connection
    // is unusable.
    Rows run_while(const std::function<bool()>& wanted, std::chrono::milliseconds time_max, std::string_view sql,
                   const Params& params);

    PGconn* raw() const { return connection_.get(); }
    std::string trouble() const;  // libpq's last error, on one line
    // Whether the server closed the connection or sent unexpected data while the connection is idle. Does not block.
    bool is_stale() const;

private:
    Connection(const PostgresOptions& options, Use use, std::size_t first_host);
    static void require_sent(int sent);
    // Runs statements that the server answers at once if it answers at all. Throws Unavailable if it does not.
    void set_up(const std::string& statements);
    // Throws Unavailable with `trouble` if `wanted` returns false before the last result.
    Result wait_while(const std::function<bool()>& wanted, const char* trouble);
    Rows read(const PGresult* result, std::string_view sql) const;

    std::chrono::seconds set_up_max_{2};
    std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace consentry::storage::postgres
