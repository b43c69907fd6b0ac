// Many accounts at once, all of them or none.
//
//     CsvSource source(stream);
//     const auto report = co_await import.run(source, {.cause = cause});
//
// One reading: each row is checked against the rules of the API, the rest of the source and the accounts there are, and
// staged beside them where everything was right so far. After the last row one transaction makes accounts of them all.
// So nothing that was not checked gets in, however the source changes meanwhile, and whatever stops an import, also the
// end of its process, leaves no account behind; what was staged is swept.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "features/activity/audit.hpp"
#include "features/administration/import/repository.hpp"
#include "features/administration/import/source.hpp"
#include "features/roles/roles.hpp"

namespace consentry {

struct ImportSettings {
    std::chrono::seconds password_expiry{0};  // zero: passwords do not expire
    std::chrono::seconds reuse_barred{0};
};

struct ImportProgress {
    std::int64_t rows = 0;           // read so far
    std::optional<double> fraction;  // of the source
    bool finishing = false;          // all rows are read, the accounts are being made
};

struct ImportOptions {
    bool dry_run = false;
    bool skip_existing = false;              // rows whose address has an account are left alone
    std::optional<std::int64_t> rows_max{};  // beyond: file_too_many_rows
    SignUpFrom sign_up_from = SignUpFrom::system;
    Actor by = Actor::operator_at_the_machine();  // nobody hands out a role beyond their own rights
    Cause cause{};
    std::function<void(const ImportProgress&)> progress{};
};

struct RowErrors {
    std::int64_t row = 0;
    std::vector<Violation> errors;
};

struct ImportReport {
    std::int64_t rows = 0;      // read
    std::int64_t imported = 0;  // accounts made; with dry_run those that would be made
    std::int64_t skipped = 0;   // there already (skip_existing), or left out by the source
    // Whichever is not empty, nothing was imported. Bounded: what lies beyond is counted only.
    std::vector<RowErrors> bad_rows;
    std::int64_t bad_rows_total = 0;
    std::vector<std::string> existing;  // addresses that have an account; with skip_existing no obstacle
    std::int64_t existing_total = 0;
    // What could not be taken over, and is no obstacle.
    std::vector<RowErrors> notes;
    std::int64_t notes_total = 0;
    // Accounts that had a password where they come from, and come without one.
    std::int64_t passwords_lost = 0;

    bool refused(const ImportOptions& options) const {
        return bad_rows_total > 0 || (existing_total > 0 && !options.skip_existing);
    }
};

class UserImport {
public:
    // All outlive it.
    UserImport(storage::Database& database, Roles& roles, const Clock& clock, Audit audit, ImportSettings settings);

    // Errors: file_unreadable, with a message of its own that tells where; file_too_many_rows.
    awaitable<Result<ImportReport>> run(ImportSource& source, ImportOptions options);
    // Deletes what imports that never ended left behind.
    awaitable<void> forget_abandoned();

private:
    class Run;

    storage::Database& database_;
    ImportRepository repository_;
    Roles& roles_;
    const Clock& clock_;
    Audit audit_;
    ImportSettings settings_;
};

}  // namespace consentry
