// How a statement of the port is put to the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <libpq-fe.h>

#include "storage/database.hpp"

namespace consentry::storage::postgres {

// The statement with its expectation made part of it: where it changes something else than expected it fails with
// `expectation_failed`. So a whole transaction is one message to the server, with nothing decided in between. Unless
// nothing is expected, the last column of its result says how many rows it changed.
std::string with_expectation(std::string_view sql, Expect expect);
inline constexpr std::string_view expectation_failed = "22012";  // division by zero

// The highest n of its parameters $n. A server that is told of more types than it meets does not mind.
std::size_t parameters_of(std::string_view sql);

// "… = $1 …" for many keys at once.
std::string for_many_keys(std::string_view sql);

// What is prepared on one connection, under which name.
class PreparedStatements {
public:
    struct Entry {
        std::string name;  // empty: unnamed, prepared for each execution
        std::string text;  // as the server gets it
        bool prepared = false;
    };
    // The statement for these parameter types; a named one stays where it is as long as this object, another until the
    // next call.
    Entry& find(std::string_view sql, Expect expect, const std::vector<Oid>& types);

private:
    struct Variant {
        Expect expect;
        std::vector<Oid> types;
        Entry entry;
    };
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    std::unordered_map<std::string, std::deque<Variant>, TextHash, std::equal_to<>> entries_;
    std::uint64_t named_ = 0;
    Entry unnamed_;
};

}  // namespace consentry::storage::postgres
