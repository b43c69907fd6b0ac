// Where accounts that are brought in come from: a table, or the export of another program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace consentry {

// One account as its source tells it; what it does not tell is absent, and nothing is checked yet.
struct ImportRow {
    std::int64_t number = 0;  // its place in the source, from 0
    std::optional<std::string> email = {};
    std::optional<std::string> name = {};
    std::optional<std::string> username = {};
    std::optional<std::string> role = {};    // the name of one
    std::optional<std::string> status = {};  // UserStatus
    std::optional<std::string> is_verified = {};
    std::optional<std::string> language = {};
    std::optional<std::string> password_hash = {};  // in a form of crypto/password_hash.hpp
    std::optional<std::string> created_at = {};     // ISO 8601
    std::optional<std::string> google_subject = {};
    std::optional<std::string> apple_subject = {};
    // Found by the source itself: it cannot be read as an account.
    std::vector<Violation> broken = {};
    // What is not taken over, though the account is; or why the account itself is `left_out`.
    std::vector<Violation> notes = {};
    bool left_out = false;
    // It had a password that cannot be taken over. One of the notes says so.
    bool lost_password = false;
};

// Read once, from its beginning to its end.
class ImportSource {
public:
    virtual ~ImportSource() = default;
    // nullopt after the last one. An error, of kind file_unreadable, where there is no telling what follows.
    virtual Result<std::optional<ImportRow>> next() = 0;
    // From 0 to 1, where that is known.
    virtual std::optional<double> progress() { return std::nullopt; }
};

}  // namespace consentry
