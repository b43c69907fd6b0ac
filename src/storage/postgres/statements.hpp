// Translates the port's statements for the server.
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

// Embeds the expectation in the statement: if it changes another number of rows than expected, it fails with
// `expectation_failed`. A whole transaction is thus one message to the server, with no decision in between. Unless the
// expectation is Expect::any, the last column of the result is the number of rows changed.
std::string with_expectation(std::string_view sql, Expect expect);
inline constexpr std::string_view expectation_failed = "22012";  // division by zero

// Returns the highest n of the parameters $n. The server accepts more parameter types than the statement uses.
std::size_t parameters_of(std::string_view sql);

// Rewrites "… = $1 …" to look up many keys at once, with one plan for all numbers of keys. The server would plan
// "= ANY($1)" anew for each short list, which takes longer than to find the rows: with a list that it knows, it expects
// fewer rows than the ten of its general plan. Hence the sub-SELECT, which hides the list from the planner. OFFSET 0
// keeps the keys apart from the statement, so that one key at a time is sought in the index, even in a table that was
// empty when the server made its plan.
std::string for_many_keys(std::string_view sql);

// The statements prepared on one connection, and their names.
class PreparedStatements {
public:
    struct Entry {
        std::string name;  // empty: unnamed, prepared for each execution
        std::string text;  // as sent to the server
        bool prepared = false;
    };
    // Returns the statement for these parameter types. A named entry stays valid for the lifetime of this object, an
    // unnamed one until the next call.
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
