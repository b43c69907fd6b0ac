// The database port. Features write each statement once, in the subset of SQL that SQLite 3.40 and PostgreSQL 15 share.
//
// Dialect: parameters $1..$n (in any order, each used any number of times), RETURNING, ON CONFLICT, CTEs, TRUE/FALSE,
// CAST, power(), ceil(). Column types: UUID, TEXT, BIGINT, BOOLEAN, BYTEA, DOUBLE PRECISION. Times are BIGINT
// milliseconds since 1970 UTC. The engines do not share data-modifying CTEs, LIMIT -1, ILIKE and JSON operators, so no
// statement uses them.
//
// An outage (server unreachable, disk full, broken statement) throws consentry::Unavailable. On a unique constraint
// violation execute() throws UniqueViolation, while commit() reports it in its Outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/uuid.hpp"
#include "storage/migrations.hpp"

namespace consentry::storage {

using boost::asio::awaitable;

// A statement parameter. SQLite stores a Uuid as 36 characters of text, PostgreSQL as its native type.
using Param = std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes, Uuid>;
using Params = std::vector<Param>;

inline Param bind(std::nullopt_t) { return {}; }
inline Param bind(bool value) { return value; }
inline Param bind(int value) { return std::int64_t{value}; }
inline Param bind(std::int64_t value) { return value; }
inline Param bind(double value) { return value; }
inline Param bind(std::string_view value) { return std::string(value); }
inline Param bind(const std::string& value) { return value; }
inline Param bind(const char* value) { return std::string(value); }
inline Param bind(const Bytes& value) { return value; }
inline Param bind(BytesView value) { return Bytes(value.begin(), value.end()); }
inline Param bind(const Uuid& value) { return value; }
inline Param bind(TimePoint value) { return epoch_ms(value); }
template <class Tag>
Param bind(const Id<Tag>& value) {
    return value.uuid();
}
template <class T>
Param bind(const std::optional<T>& value) {
    return value ? bind(*value) : Param{};
}
template <class... Args>
Params bind_all(const Args&... args) {
    Params out;
    out.reserve(sizeof...(Args));
    (out.push_back(bind(args)), ...);
    return out;
}

// A column value in a result: NULL, integer (also BOOLEAN from SQLite), boolean, real, text (also UUID from SQLite),
// bytes, UUID.
using Value = std::variant<std::monostate, std::int64_t, bool, double, std::string, Bytes, Uuid>;

// One row. Columns are numbered in the order of the SELECT list; storage/columns.hpp reads rows of more than two
// columns. Throws std::logic_error if the value has another type than requested or the index is out of range, since the
// statement and its reader then disagree. A Row refers to its Rows, which must outlive it.
class Row {
public:
    Row(const Value* values, std::size_t columns) : values_(values), columns_(columns) {}
    std::size_t size() const { return columns_; }
    bool is_null(std::size_t column) const;
    std::int64_t integer(std::size_t column) const;
    bool boolean(std::size_t column) const;
    double real(std::size_t column) const;
    const std::string& text(std::size_t column) const;
    const Bytes& bytes(std::size_t column) const;
    Uuid uuid(std::size_t column) const;
    TimePoint time(std::size_t column) const { return from_epoch_ms(integer(column)); }
    template <class IdType>
    IdType id(std::size_t column) const {
        return IdType{uuid(column)};
    }
    std::optional<std::int64_t> integer_or_null(std::size_t column) const;
    std::optional<std::string> text_or_null(std::size_t column) const;
    std::optional<TimePoint> time_or_null(std::size_t column) const;

private:
    const Value& at(std::size_t column) const;
    const Value* values_;
    std::size_t columns_;
};

// Copies share the same immutable values, so copying is cheap.
class Rows {
public:
    Rows() = default;
    Rows(std::size_t columns, std::vector<Value> values, std::int64_t affected)
        : columns_(columns),
          size_(columns == 0 ? 0 : values.size() / columns),
          values_(std::make_shared<const std::vector<Value>>(std::move(values))),
          affected_(affected) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Row operator[](std::size_t row) const { return {values_->data() + (first_ + row) * columns_, columns_}; }
    // These return a single row, or no rows, of the same result.
    Rows only(std::size_t row) const {
        Rows out = *this;
        out.first_ += row;
        out.size_ = 1;
        return out;
    }
    Rows none() const {
        Rows out = *this;
        out.size_ = 0;
        return out;
    }
    // The number of rows that an INSERT, UPDATE or DELETE changed (with RETURNING, the number of rows returned); 0 for
    // a SELECT.
    std::int64_t affected() const { return affected_; }

private:
    std::size_t columns_ = 0;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
    std::shared_ptr<const std::vector<Value>> values_;
    std::int64_t affected_ = 0;
};

class UniqueViolation : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The answer to a write was lost, or its commit failed on the disk: the write may have taken effect, may not have, or
// may still take effect. Callers must check the state before repeating it, and must never repeat a write which is not
// idempotent.
class OutcomeUnknown : public Unavailable {
public:
    using Unavailable::Unavailable;
};

// How many rows a statement must change for its transaction to commit.
enum class Expect {
    any,
    one,  // exactly one row changed
    at_least_one,
    none,  // no row changed
};

// The subject of a statement, to which a listener can subscribe (Database::listen). Topics are compared by address.
struct Topic {
    std::string_view name;
};

struct Statement {
    Expect expect;
    std::string_view sql;  // a literal, or text that outlives the call
    Params params;
    const Topic* topic = nullptr;  // its listener receives the rows that the statement returns
};

// A transaction: its statements take effect together or not at all. Each statement may state how many rows it must
// change; if one changes a different number, the whole transaction rolls back. Callers therefore express a decision as
// statements instead of making it between them:
//
//     Transaction tx;
//     tx.add(Expect::one,
//            "UPDATE users SET security_version = security_version + 1 WHERE id = $1 AND security_version = $2",
//            user, expected);
//     tx.add(Expect::any, "INSERT INTO activity_log ...", ...);
//     const Outcome outcome = co_await database.commit(std::move(tx));
//     if (!outcome.committed) ...   // outcome.failed_at == 0: another caller was faster
class Transaction {
public:
    template <class... Args>
    Transaction& add(Expect expect, std::string_view sql, const Args&... args) {
        statements_.push_back({expect, sql, bind_all(args...)});
        return *this;
    }
    Transaction& add(Statement statement) {
        statements_.push_back(std::move(statement));
        return *this;
    }
    // The same for a statement with RETURNING whose rows go to the listener of the topic after the commit.
    template <class... Args>
    Transaction& add_about(const Topic& topic, Expect expect, std::string_view sql, const Args&... args) {
        statements_.push_back({expect, sql, bind_all(args...), &topic});
        return *this;
    }
    const std::vector<Statement>& statements() const { return statements_; }

private:
    std::vector<Statement> statements_;
};

struct Outcome {
    bool committed = false;
    // If not committed: the first statement whose expectation or unique constraint was violated.
    std::size_t failed_at = 0;
    // If committed: the result of each statement, in order (RETURNING rows, affected()).
    std::vector<Rows> results;
};

class Database {
public:
    virtual ~Database() = default;

    // Runs a read. Sees everything committed before the call.
    template <class... Args>
    awaitable<Rows> query(std::string_view sql, const Args&... args) {
        return read(sql, bind_all(args...));
    }
    // The same, with parameters assembled at run time.
    awaitable<Rows> query_with(std::string_view sql, Params params) { return read(sql, std::move(params)); }
    // A read by one key which many callers request at the same time; an engine may answer several callers with one
    // statement. The key is unique. The SQL selects it as its first column and contains " = $1" exactly once.
    awaitable<Rows> look_up(std::string_view sql, Uuid key) { return read_by_key(sql, key); }
    template <class Tag>
    awaitable<Rows> look_up(std::string_view sql, const Id<Tag>& key) {
        return read_by_key(sql, key.uuid());
    }
    // A read without parameters, which returns the same rows to every caller. The engine may share one answer here too.
    awaitable<Rows> query_shared(std::string_view sql) { return read_shared(sql); }
    // A read that may scan a whole table and whose best plan depends on its values. Searches run one after another and
    // never delay other calls. Throws Unavailable after Searches::time_max, which includes the wait for other searches.
    awaitable<Rows> search_with(std::string_view sql, Params params) { return search(sql, std::move(params)); }
    // Runs one writing statement in its own transaction. The change is durable on return: on disk, or acknowledged by
    // the server.
    template <class... Args>
    awaitable<Rows> execute(std::string_view sql, const Args&... args) {
        return write({Expect::any, sql, bind_all(args...)});
    }
    // Applies all statements or none. A committed transaction is durable on return, and its listeners have run by then.
    awaitable<Outcome> commit(Transaction transaction);
    // Called with the rows that a statement about the topic returned, after the commit and before the caller of
    // commit() resumes. It is not called if there are no rows. Thus no writer has to remember which caches or services
    // depend on its change. The database swallows the listener's exceptions, because the change is already committed.
    // Each topic has one listener, which must be set before the first commit; an empty function removes it.
    using Listener = std::function<awaitable<void>(Rows)>;
    void listen(const Topic& topic, Listener listener);

    // Readiness check. Throws Unavailable if the engine does not answer a trivial statement.
    virtual awaitable<void> ping() = 0;

    // The time of the database server, the clock that all processes on this database share; nullopt if a single process
    // owns the database. server_time_at_start() blocks: like migrate(), call it before serving. It calls `asking` once
    // it is connected, right before it asks, so that the caller does not take a slow connection for a slow answer.
    virtual std::optional<TimePoint> server_time_at_start(const std::function<void()>& /*asking*/) {
        return std::nullopt;
    }
    virtual awaitable<std::optional<TimePoint>> server_time() { co_return std::nullopt; }

    // Applies the pending migrations. Blocks, and waits for another process that is migrating the same database. Call
    // it before serving. Throws std::runtime_error if the schema is newer than `migrations`, the database is not
    // writable, or a statement fails. Migrations completed before the error stay applied, and the next call continues
    // from there.
    virtual void migrate(const std::vector<Migration>& migrations) = 0;
    // Whether migrate() would upgrade an existing schema, which the version before could then not use any more. False
    // for a new database. Blocks, and throws as migrate() does.
    virtual bool upgrade_is_due(const std::vector<Migration>& migrations) = 0;

protected:
    virtual awaitable<Outcome> apply(Transaction transaction) = 0;
    virtual awaitable<Rows> read_by_key(std::string_view sql, Uuid key) { return read(sql, {Param{key}}); }
    virtual awaitable<Rows> read_shared(std::string_view sql) { return read(sql, {}); }
    virtual awaitable<Rows> read(std::string_view sql, Params params) = 0;
    virtual awaitable<Rows> search(std::string_view sql, Params params) = 0;
    virtual awaitable<Rows> write(Statement statement) = 0;

private:
    awaitable<Outcome> apply_and_tell(Transaction transaction, std::vector<const Topic*> topics);
    std::map<const Topic*, Listener> listeners_;
};

}  // namespace consentry::storage
