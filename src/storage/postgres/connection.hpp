// One connection to the server: opened and used by blocking calls, or lent to a Channel, which uses it without
// blocking.
#pragma once

#include <chrono>
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

// What the server said of a statement. The text has its SQLSTATE and, where it can hold no value of a row or parameter,
// its words.
class ServerError : public std::runtime_error {
public:
    explicit ServerError(const PGresult* result, std::string_view sql);
    const std::string& sqlstate() const { return sqlstate_; }

    bool is_unique_violation() const { return sqlstate_ == "23505"; }
    // Nothing happened and the same again may succeed: a deadlock, or two transactions that could not both be.
    bool may_be_repeated() const { return sqlstate_ == "40001" || sqlstate_ == "40P01"; }
    // The server is going away, or is not the one that takes writes any more: another connection is needed.
    bool ends_connection() const;
    // Its disk is full or broken: reads may go on, writes do not.
    bool is_storage_failure() const;

private:
    std::string sqlstate_;
};

class Connection {
public:
    enum class Use { serving, maintenance };  // maintenance: no limit on a statement's time

    // Blocks for connecting, at most two seconds a host unless the address says otherwise. Throws std::runtime_error
    // with the cause as libpq tells it, which names the host and never the password; also for a server that is too old.
    explicit Connection(const PostgresOptions& options, Use use);

    // Blocks. One statement; without parameters several, the last one's rows being returned. Throws ServerError, and
    // Unavailable where the connection is lost.
    Rows run(std::string_view sql, const Params& params = {});

    // One reading statement that may take long, planned for its values each time. Unavailable once `wanted` says no, or
    // where the server has worked on it for so long; after that, and after a ServerError, the connection is of no use.
    Rows run_while(const std::function<bool()>& wanted, std::chrono::milliseconds time_max, std::string_view sql,
                   const Params& params);

    PGconn* raw() const { return connection_.get(); }
    std::string trouble() const;  // what the client library last complained of, on one line
    // Closed by the server, or something arrived that nobody asked for, while nothing is under way. No waiting.
    bool is_stale() const;

private:
    static void require_sent(int sent);
    Result wait_while(const std::function<bool()>& wanted);
    Rows read(const PGresult* result, std::string_view sql) const;

    std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace consentry::storage::postgres
