// One message to the server: the statements of one transaction, and the callback that receives the answer.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "storage/database.hpp"
#include "storage/postgres/connection.hpp"

namespace consentry::storage::postgres {

struct WireStatement {
    Expect expect = Expect::any;
    std::string sql;
    Params params;
    std::vector<Uuid> keys = {};  // a look-up of all these keys, with no other parameters
};

struct Answer {
    std::exception_ptr error =
        {};  // Unavailable, OutcomeUnknown; std::logic_error if the statement is not in the dialect
    Outcome outcome = {};
    std::string violation = {};  // if a unique constraint was violated: which one
};

struct Job {
    std::vector<WireStatement> statements;
    bool writes = false;
    std::move_only_function<void(Answer)> done;
    std::chrono::steady_clock::time_point deadline = {};
    std::chrono::steady_clock::time_point not_before = {};  // if it pauses: when it may be sent
    int repeats = 0;
    bool is_over = false;  // its caller has an answer; the server's is awaited only because it comes before others

    // Filled in as results arrive.
    std::vector<Rows> results = {};
    std::optional<ServerError> error = {};
    std::size_t failed_at = 0;
    std::exception_ptr unreadable = {};  // the result has a type outside the dialect

    bool pauses() const {
        return not_before != decltype(not_before){} && not_before > std::chrono::steady_clock::now();
    }

    void begin_again() {
        results.clear();
        error.reset();
        ++repeats;
    }
};

}  // namespace consentry::storage::postgres
