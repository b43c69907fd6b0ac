// Parameters and results in PostgreSQL's binary formats (pg_type.dat; the send and receive functions of each type).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

#include "storage/database.hpp"

namespace consentry::storage::postgres {

// The parameters of one execution as libpq takes them: parallel arrays. Refers to the Params, which must outlive it.
class Encoded {
public:
    explicit Encoded(const Params& params);
    // One parameter: an array of UUIDs.
    explicit Encoded(const std::vector<Uuid>& keys);
    Encoded(Encoded&&) = default;  // a move keeps the buffers' addresses
    Encoded(const Encoded&) = delete;
    Encoded& operator=(const Encoded&) = delete;

    int count() const { return static_cast<int>(types.size()); }
    // A NULL has no type here: the server infers it.
    std::vector<Oid> types;
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;

private:
    void add(Oid type, std::string_view value);  // a null pointer means NULL
    std::vector<std::array<char, 8>> numbers_;
    std::string array_;
};

// Decodes all rows of a binary result. With `affected_in_last_column`, that column is the number of rows changed and
// not part of the rows; a 0 there means that the result has no rows. Throws std::logic_error for a column type outside
// the dialect.
Rows decode(const PGresult* result, bool affected_in_last_column);

}  // namespace consentry::storage::postgres
