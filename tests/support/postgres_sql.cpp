#include "tests/support/postgres_sql.hpp"

#include <array>
#include <memory>
#include <stdexcept>

#include <libpq-fe.h>

namespace consentry::tests {
namespace {

std::string text_of(const PGresult* result, int row, int column) {
    constexpr Oid boolean = 16;  // OID in pg_type.dat; returned as 0 and 1, as by SQLite
    std::string text(PQgetvalue(result, row, column), static_cast<std::size_t>(PQgetlength(result, row, column)));
    if (PQftype(result, column) == boolean && !text.empty()) return text == "t" ? "1" : "0";
    return text;
}

PGconn* connect(const std::string& url) {
    const std::array<const char*, 2> names{"dbname", nullptr};  // the URL, which libpq expands
    const std::array<const char*, 2> values{url.c_str(), nullptr};
    return PQconnectdbParams(names.data(), values.data(), 1);
}

}  // namespace

PostgresConnection::PostgresConnection(const std::string& url) : connection_(connect(url)) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
    // Suppresses notices such as "drop cascades to ...".
    PQsetNoticeProcessor(connection_.get(), [](void*, const char*) {}, nullptr);
}

void PostgresConnection::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

SqlRows PostgresConnection::run(const std::string& statement) const {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), statement.c_str()), &PQclear);
    switch (PQresultStatus(result.get())) {
        case PGRES_COMMAND_OK:
        case PGRES_EMPTY_QUERY:
        case PGRES_TUPLES_OK:
            break;
        default:
            throw std::runtime_error(PQerrorMessage(connection_.get()));
    }
    SqlRows rows(static_cast<std::size_t>(PQntuples(result.get())));
    for (int row = 0; row < PQntuples(result.get()); ++row)
        for (int column = 0; column < PQnfields(result.get()); ++column)
            rows[static_cast<std::size_t>(row)].push_back(text_of(result.get(), row, column));
    return rows;
}

SqlRows run_postgres_sql(const std::string& url, const std::string& statement) {
    return PostgresConnection(url).run(statement);
}

}  // namespace consentry::tests
