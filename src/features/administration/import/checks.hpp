// The rules for an imported row. They equal those of the API's own fields and have the same names.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/report.hpp"
#include "features/administration/import/repository.hpp"
#include "features/administration/import/source.hpp"

namespace consentry {

// Returns true for 3 to 50 letters, digits, '-' and '_', as in the usernames that the service generates.
bool is_username(std::string_view lowered);
// Returns true for one line of at most 100 characters, some of them visible.
bool is_name(std::string_view text);

class ImportChecks {
public:
    ImportChecks(const Clock& clock, std::string username_prefix)
        : clock_(clock), username_prefix_(std::move(username_prefix)) {}

    // Returns the row as it is to be staged, without its role. Fields with a violation in the report are not filled in.
    // May add a note to the row.
    StagedUser check(ImportRow& row, Report& report);
    // Generates a username in place of one that another account has, and notes that.
    void replace_username(StagedUser& user, std::vector<Violation>& notes) const;

private:
    // Digests of the values that must be unique: 16 bytes each, however long the values are.
    using Digest = std::array<std::uint8_t, 16>;
    struct Spread {
        std::size_t operator()(const Digest& digest) const noexcept;
    };
    // Returns whether the value is the first of its kind with this text.
    bool is_first(std::string_view kind, std::string_view value);
    void check_once(std::string_view kind, std::string_view value, std::string_view property, Report& report);
    void take_username(ImportRow& row, StagedUser& out, Report& report);

    const Clock& clock_;
    const std::string username_prefix_;  // of rows without a username
    boost::unordered_flat_set<Digest, Spread> seen_;
};

}  // namespace consentry
