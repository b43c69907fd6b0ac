// The source of an import: a table, or the export of another program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace consentry {

// One account as the source describes it. Fields missing in the source are absent; nothing has been checked.
struct ImportRow {
    std::int64_t number = 0;  // position in the source, from 0
    std::optional<std::string> email = {};
    std::optional<std::string> name = {};
    std::optional<std::string> username = {};
    bool username_is_optional = false;       // if another account has the username, one is generated, and noted
    std::optional<std::string> role = {};    // a role's name
    std::optional<std::string> status = {};  // UserStatus
    std::optional<std::string> is_verified = {};
    std::optional<std::string> language = {};
    std::optional<std::string> password_hash = {};  // in a format of crypto/password_hash.hpp
    std::optional<std::string> created_at = {};     // ISO 8601
    std::optional<std::string> google_subject = {};
    std::optional<std::string> apple_subject = {};
    // Violations found by the source itself: the row cannot be read as an account.
    std::vector<Violation> broken = {};
    // Names what is not imported although the account is, or why the account itself is `left_out`.
    std::vector<Violation> notes = {};
    bool left_out = false;
    // The account has a password that cannot be imported. One of the notes says so.
    bool lost_password = false;
};

// A source is read once, from start to end.
class ImportSource {
public:
    virtual ~ImportSource() = default;
    // Returns nullopt after the last row. Error: file_unreadable, if the rest of the source cannot be read.
    virtual Result<std::optional<ImportRow>> next() = 0;
    // Returns the fraction read so far, from 0 to 1, or nullopt if unknown.
    virtual std::optional<double> progress() { return std::nullopt; }
};

}  // namespace consentry
