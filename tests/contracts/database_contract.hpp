// The fixture shared by the tests of the database port: it opens an empty database with a few tables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/contracts/engines.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {

// Uses the column types that the migrations use.
inline const std::vector<storage::Migration>& contract_schema() {
    static const std::vector<storage::Migration> schema{
        {1,
         "0001_contract.sql",
         {"CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT UNIQUE, note TEXT, flag BOOLEAN, ratio DOUBLE "
          "PRECISION, "
          "data BYTEA, uid UUID);",
          "CREATE TABLE parts (id BIGINT PRIMARY KEY, thing BIGINT NOT NULL REFERENCES things (id));",
          "CREATE TABLE counters (id BIGINT PRIMARY KEY, attempt BIGINT NOT NULL);"}}};
    return schema;
}

class DatabaseContract : public ::testing::TestWithParam<DatabaseEngine> {
protected:
    DatabaseContract() : place(GetParam().make()) {
        place->migrate(contract_schema());
        database = place->open();
    }

    template <class... Args>
    storage::Rows query(std::string_view sql, const Args&... args) {
        return run(database->query(sql, args...));
    }
    template <class... Args>
    storage::Rows execute(std::string_view sql, const Args&... args) {
        return run(database->execute(sql, args...));
    }
    storage::Outcome commit(storage::Transaction transaction) { return run(database->commit(std::move(transaction))); }
    std::int64_t count_things() { return query("SELECT count(*) FROM things")[0].integer(0); }

    std::unique_ptr<DatabasePlace> place;
    std::unique_ptr<storage::Database> database;
};

inline std::string engine_name(const ::testing::TestParamInfo<DatabaseEngine>& info) { return info.param.name; }

}  // namespace consentry::tests
