// The database port: plain SQL in what SQLite 3.40 and PostgreSQL 15 share, written once by each feature.
//
// Dialect: parameters $1..$n (any order, any number of times), RETURNING, ON CONFLICT, CTEs, TRUE/FALSE,
// CAST, power(), ceil(). Column types: UUID, TEXT, BIGINT, BOOLEAN, BYTEA, DOUBLE PRECISION; times are BIGINT
// milliseconds since 1970 UTC. Not shared, hence not used: data-modifying CTEs, LIMIT -1, ILIKE, JSON operators.
//
// An outage (engine away, disk full, statement broken) is thrown as consentry::Unavailable; a unique
// constraint that does not hold is thrown as UniqueViolation by execute() and reported by commit().
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

// What travels to the engine. Uuid is stored as 36 characters by SQLite and natively by PostgreSQL.
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

// What comes back: NULL, integer (also BOOLEAN from SQLite), boolean, real, text (also UUID from SQLite), bytes, UUID.
using Value = std::variant<std::monostate, std::int64_t, bool, double, std::string, Bytes, Uuid>;

// One row, by column index in the order of the SELECT list; storage/columns.hpp counts for whoever reads more than two.
// A value of another type than asked for, or an index out of range, throws std::logic_error: the statement and its
// reader disagree. `Row` refers into its Rows.
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
    template <class IdType>
    std::optional<IdType> id_or_null(std::size_t column) const {
        if (is_null(column)) return std::nullopt;
        return id<IdType>(column);
    }
    std::optional<std::int64_t> integer_or_null(std::size_t column) const;
    std::optional<std::string> text_or_null(std::size_t column) const;
    std::optional<TimePoint> time_or_null(std::size_t column) const;
    std::optional<Bytes> bytes_or_null(std::size_t column) const;

private:
    const Value& at(std::size_t column) const;
    const Value* values_;
    std::size_t columns_;
};

// Copies are cheap and share what they hold, which nobody changes.
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
    // One row alone, or none.
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
    // Rows that an INSERT, UPDATE or DELETE changed (with RETURNING, the rows returned); 0 for a SELECT.
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

// The answer to a write was lost on its way: it took effect, or it did not, or it still may. Nobody repeats it before
// looking; what is not idempotent is never repeated.
class OutcomeUnknown : public Unavailable {
public:
    using Unavailable::Unavailable;
};

// Statements that take effect together or not at all. Each may demand what it must change; where one changes
// something else, all are undone. So a decision is written down as statements, not taken between them:
//
//     Transaction tx;
//     tx.add(Expect::one, "UPDATE challenges SET used_at = $1 WHERE digest = $2 AND used_at IS NULL", now, digest);
//     tx.add(Expect::any, "INSERT INTO sessions ...", ...);
//     const Outcome outcome = co_await database.commit(std::move(tx));
//     if (!outcome.committed) ...   // outcome.failed_at == 0: somebody was faster
enum class Expect {
    any,
    one,  // exactly one row changed
    at_least_one,
    none,  // no row changed
};

// What a statement is about, for those who must hear of it (Database::listen). Told apart by their place in memory.
struct Topic {
    std::string_view name;
};

struct Statement {
    Expect expect;
    std::string_view sql;  // a literal, or text that outlives the call
    Params params;
    const Topic* topic = nullptr;  // whoever listens to it hears of the rows that the statement returned
};

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
    // Where not committed: the first statement whose expectation, or unique constraint, did not hold.
    std::size_t failed_at = 0;
    // Where committed: of each statement, in order (RETURNING rows, affected()).
    std::vector<Rows> results;
};

class Database {
public:
    virtual ~Database() = default;

    // Reads. Sees everything committed before the call.
    template <class... Args>
    awaitable<Rows> query(std::string_view sql, const Args&... args) {
        return read(sql, bind_all(args...));
    }
    // The same with parameters that were put together at run time.
    awaitable<Rows> query_with(std::string_view sql, Params params) { return read(sql, std::move(params)); }
    // A read by one key that many ask for at the same time: an engine may answer several callers with one statement.
    // The key is unique; the SQL selects it as its first column and has " = $1" once.
    awaitable<Rows> look_up(std::string_view sql, Uuid key) { return read_by_key(sql, key); }
    template <class Tag>
    awaitable<Rows> look_up(std::string_view sql, const Id<Tag>& key) {
        return read_by_key(sql, key.uuid());
    }
    // A read without parameters, the same for whoever asks; likewise.
    awaitable<Rows> query_shared(std::string_view sql) { return read_shared(sql); }
    // A read that may have to look at a whole table, and whose best way depends on its values. No other call waits for
    // it; it waits for other searches, and takes as long as it takes: Unavailable after Searches::time_max.
    awaitable<Rows> search_with(std::string_view sql, Params params) { return search(sql, std::move(params)); }
    // One writing statement, a transaction of its own. On return it is durable (on disk; acknowledged by the server).
    template <class... Args>
    awaitable<Rows> execute(std::string_view sql, const Args&... args) {
        return write({Expect::any, sql, bind_all(args...)});
    }
    // All or nothing; durable on return when committed. Listeners have heard of it by then.
    awaitable<Outcome> commit(Transaction transaction);
    // Called with the rows that a statement about the topic returned, if any, once they are committed and before the
    // caller of commit() goes on: so nobody who changes something has to remember whom to tell. What it throws is
    // lost, for the change stands. One listener for each topic; to be set before the first commit. Empty: nobody.
    using Listener = std::function<awaitable<void>(Rows)>;
    void listen(const Topic& topic, Listener listener);

    // Throws Unavailable where the engine does not answer a trivial statement. For readiness.
    virtual awaitable<void> ping() = 0;

    // What the clock of the server shows that all processes with this database share; nullopt where one process has the
    // database to itself. The first blocks, and is to be called before serving, as migrate() is.
    virtual std::optional<TimePoint> server_time_at_start() { return std::nullopt; }
    virtual awaitable<std::optional<TimePoint>> server_time() { co_return std::nullopt; }

    // Brings the schema up to date; blocks, and waits for another process that does the same. To be called before
    // serving. Throws std::runtime_error where the database is newer than `migrations`, cannot be written to, or a
    // statement fails: then what was finished before it stays, and the next call goes on from there.
    virtual void migrate(const std::vector<Migration>& migrations) = 0;

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
