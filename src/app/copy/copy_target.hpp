// The PostgreSQL database that receives a copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/copy/copy_schema.hpp"
#include "storage/postgres/connection.hpp"
#include "storage/postgres/options.hpp"

namespace consentry {

// A schema object that speeds up queries but slows down bulk inserts (an index, a key, a foreign key), as statements.
struct CopyAid {
    std::string drop;
    std::string create;
};

// One transaction: if the object is destroyed, or the process ends, without commit(), everything is rolled back. All
// functions throw std::runtime_error with the server's message, or Unavailable if the connection is lost; afterwards
// the object may only be destroyed. Blocking; not thread-safe.
class CopyTarget {
public:
    // Requires an up-to-date schema. Locks its tables against other readers and writers.
    explicit CopyTarget(const storage::PostgresOptions& options);

    // Sorted by name, without the migrations table.
    const std::vector<CopiedTable>& tables() const { return tables_; }
    bool has_rows(const CopiedTable& table);

    // Called before and after all rows are written. Building indexes and checking foreign keys once, rather than row by
    // row, is several times faster and makes the order of the tables irrelevant.
    void take_aids_down();
    void put_aids_up();

    // Replaces the rows of one table: call begin(), put() any number of times, then end(), which returns the number of
    // rows.
    void begin(const CopiedTable& table);
    void put(std::string_view part);
    std::int64_t end();
    // Returns the stream that would reproduce the table's present contents.
    void read(const CopiedTable& table, const CopySink& part);

    void commit();

private:
    storage::postgres::Connection connection_;
    std::vector<CopiedTable> tables_;
    std::vector<CopyAid> aids_;
    std::string copying_;  // the active COPY statement between begin() and end()
};

}  // namespace consentry
