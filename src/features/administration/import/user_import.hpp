// Imports many accounts at once: all of them or none.
//
//     CsvSource source(stream);
//     const auto report = co_await import.run(source, {.cause = cause});
//
// The source is read once. Each row is checked against the rules of the API, the other rows and the existing accounts,
// and is staged as long as no row has failed. After the last row, one transaction turns all staged rows into accounts.
// So no unchecked data is imported even if the source changes meanwhile, and an import that stops for any reason,
// including a crash of the process, leaves no accounts behind. Abandoned staged rows are swept later.
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
    std::string username_prefix;  // of accounts without a username in the source
};

struct ImportProgress {
    std::int64_t rows = 0;           // read so far
    std::optional<double> fraction;  // of the source, if known
    bool finishing = false;          // all rows have been read, the accounts are being created
};

struct ImportOptions {
    bool dry_run = false;
    bool skip_existing = false;              // skip rows whose address belongs to an account
    std::optional<std::int64_t> rows_max{};  // if exceeded: file_too_many_rows
    SignUpFrom sign_up_from = SignUpFrom::system;
    Actor by = Actor::operator_at_the_machine();  // cannot assign a role beyond the actor's own rights
    Cause cause{};
    std::function<void(const ImportProgress&)> progress{};
};

struct RowErrors {
    std::int64_t row = 0;
    std::vector<Violation> errors;
};

struct ImportReport {
    std::int64_t rows = 0;      // read
    std::int64_t imported = 0;  // accounts created; in a dry run, accounts that would be created
    std::int64_t skipped = 0;   // already existing (skip_existing), or left out by the source
    // If one of these lists is not empty, nothing was imported. The lists are bounded; further rows are only counted.
    std::vector<RowErrors> bad_rows;
    std::int64_t bad_rows_total = 0;
    std::vector<std::string> existing;  // addresses of existing accounts; no obstacle with skip_existing
    std::int64_t existing_total = 0;
    // Data that could not be imported. Notes do not stop the import.
    std::vector<RowErrors> notes;
    std::int64_t notes_total = 0;
    // Accounts that had a password in the source and were imported without one.
    std::int64_t passwords_lost = 0;

    bool refused(const ImportOptions& options) const {
        return bad_rows_total > 0 || (existing_total > 0 && !options.skip_existing);
    }
};

class UserImport {
public:
    // The references must outlive this object.
    UserImport(storage::Database& database, Roles& roles, const Clock& clock, Audit audit, ImportSettings settings);

    // Errors: file_unreadable, whose message names the position; file_too_many_rows.
    awaitable<Result<ImportReport>> run(ImportSource& source, ImportOptions options);
    // Deletes the staged rows of abandoned imports.
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
