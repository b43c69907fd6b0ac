// The PostgreSQL database that a copy goes into.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/copy/copy_schema.hpp"
#include "storage/postgres/connection.hpp"
#include "storage/postgres/options.hpp"

namespace consentry {

// What serves queries and is in the way of many rows at once: an index, a key, a foreign key; as statements.
struct CopyAid {
    std::string drop;
    std::string create;
};

// One transaction: where the object ends without commit(), or the process does, nothing of it has happened. All throw
// std::runtime_error with what the server says, and Unavailable where the connection is lost; after that, the object is
// only to be destroyed. Used by one thread, and blocks.
class CopyTarget {
public:
    // The schema must be up to date. From here on nobody else reads or writes its tables.
    explicit CopyTarget(const storage::PostgresOptions& options);

    // By name, without the account of migrations.
    const std::vector<CopiedTable>& tables() const { return tables_; }
    bool has_rows(const CopiedTable& table);

    // Around all rows, which are then indexed and checked against the foreign keys at once and not one by one: that is
    // several times faster, and the order of the tables does not matter.
    void take_aids_down();
    void put_aids_up();

    // The rows of one table, in the place of those it has: begin(), any number of times put(), end(), which tells how
    // many there were.
    void begin(const CopiedTable& table);
    void put(std::string_view part);
    std::int64_t end();
    // The stream that would make the table what it is now.
    void read(const CopiedTable& table, const CopySink& part);

    void commit();

private:
    storage::postgres::Connection connection_;
    std::vector<CopiedTable> tables_;
    std::vector<CopyAid> aids_;
    std::string copying_;  // the statement between begin() and end()
};

}  // namespace consentry
