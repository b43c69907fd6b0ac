// What a row must be to become an account: the rules of the API's own fields, under the same names.
#pragma once

#include <string_view>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/report.hpp"
#include "features/administration/import/repository.hpp"
#include "features/administration/import/source.hpp"

namespace consentry {

// Letters, digits, '-' and '_', 3 to 50 of them, as in the names that the service makes up.
bool is_username(std::string_view lowered);

class ImportChecks {
public:
    explicit ImportChecks(const Clock& clock) : clock_(clock) {}

    // The row as it would be staged, without its role, as far as the report has nothing against it.
    StagedUser check(ImportRow& row, Report& report);

private:
    // Digests of what must be there once: 16 bytes for each, however long the values are.
    using Digest = std::array<std::uint8_t, 16>;
    struct Spread {
        std::size_t operator()(const Digest& digest) const noexcept;
    };
    void check_once(std::string_view kind, std::string_view value, std::string_view property, Report& report);

    const Clock& clock_;
    boost::unordered_flat_set<Digest, Spread> seen_;
};

}  // namespace consentry
