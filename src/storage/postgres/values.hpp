// Parameters and results in PostgreSQL's binary forms (pg_type.dat; the send and receive functions of each type).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "storage/database.hpp"

namespace consentry::storage::postgres {

// The parameters of one execution as libpq wants them: five parallel arrays. Refers into the Params.
class Encoded {
public:
    explicit Encoded(const Params& params);
    // One parameter: an array of UUIDs.
    explicit Encoded(const std::vector<Uuid>& keys);
    Encoded(Encoded&&) = default;  // the addresses of what it holds stay
    Encoded(const Encoded&) = delete;
    Encoded& operator=(const Encoded&) = delete;

    int count() const { return static_cast<int>(types.size()); }
    // NULL has no type of its own: the server infers it.
    std::vector<Oid> types;
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;

private:
    void add(Oid type, const char* value, std::size_t length);
    std::vector<std::array<char, 8>> numbers_;
    std::string array_;
};

// All rows of a binary result. With `affected_in_last_column`, that column is not part of the rows but says how many
// there are; none where it says 0. Throws std::logic_error for a column type that the dialect does not have.
Rows decode(const PGresult* result, bool affected_in_last_column);

}  // namespace consentry::storage::postgres
