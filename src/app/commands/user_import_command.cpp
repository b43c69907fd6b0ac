#include "app/commands/user_import_command.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include <boost/json/value_from.hpp>
#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/results.hpp"
#include "base/standard_error.hpp"
#include "features/administration/import/converters.hpp"
#include "features/administration/import/csv_source.hpp"
#include "storage/sqlite/sqlite_database.hpp"

namespace consentry {
namespace {

// The last transaction creates all accounts at once. It takes longer than any request may, and with SQLite it touches
// many pages of each index.
constexpr std::chrono::hours statement_time{1};
constexpr int sqlite_cache_kib = 65'536;

// Shows how far an import is. The last step, of which Consentry cannot tell how much is done, has no bar.
void show(ProgressBar& bar, const ImportProgress& progress, double elapsed) {
    if (progress.finishing)
        return bar.show_now(fmt::format("{} rows read, creating the accounts", progress.rows), std::nullopt);
    const double rate = elapsed > 0 ? static_cast<double>(progress.rows) / elapsed : 0;
    bar.show(fmt::format("{} rows, {:.0f}/s", progress.rows, rate), progress.fraction);
}

std::unique_ptr<std::ifstream> open_file(const std::string& path) {
    std::error_code error;
    auto stream = std::make_unique<std::ifstream>(path, std::ios::binary);
    if (*stream && !std::filesystem::is_directory(path, error)) return stream;
    say("consentry: cannot read {}\n", path);
    return nullptr;
}

// A source and the streams it reads.
struct Input {
    std::unique_ptr<std::ifstream> file;
    std::unique_ptr<std::ifstream> beside;
    std::unique_ptr<ImportSource> source;
};

std::optional<std::uint64_t> size_of(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return error ? std::nullopt : std::optional<std::uint64_t>(size);
}

// Returns nullopt on failure, and has then reported it.
std::optional<Input> open_input(const UserImportOptions& options, TimePoint now) {
    Input out;
    const bool standard_input = options.file == "-";
    const auto open = [](std::unique_ptr<std::ifstream>& into, const std::string& file) {
        into = open_file(file);
        return into != nullptr;
    };
    if (!standard_input && !open(out.file, options.file)) return std::nullopt;
    std::istream& stream = standard_input ? std::cin : *out.file;
    if (options.from == "keycloak") {
        out.source = keycloak_export(stream);
    } else if (options.from == "auth0") {
        const std::string& hashes = options.auth0_password_hashes;
        if (!hashes.empty() && !open(out.beside, hashes)) return std::nullopt;
        out.source = auth0_export(stream, out.beside.get());
    } else if (options.from == "firebase") {
        if (options.firebase_hash_config.empty()) {
            say("consentry: --from firebase requires --firebase-hash-config to verify passwords\n");
            return std::nullopt;
        }
        if (!open(out.beside, options.firebase_hash_config)) return std::nullopt;
        auto config = FirebaseHashConfig::read(*out.beside);
        if (!config) {
            say("consentry: --firebase-hash-config must contain the hash_config from the Firebase console\n");
            return std::nullopt;
        }
        out.source = firebase_export(stream, std::move(*config));
    } else if (options.from == "supabase") {
        out.source = supabase_export(stream, now);
    } else {
        out.source = std::make_unique<CsvSource>(stream, standard_input ? std::nullopt : size_of(options.file));
    }
    return out;
}

void print_rows(const Services& services, const std::vector<RowErrors>& rows, std::int64_t total,
                std::string_view kind) {
    for (const auto& [row, errors] : rows)
        for (const Violation& error : errors)
            fmt::print("row {}: {}{}: {}\n", row, kind, error.property,
                       services.locales.text(Language::en, "request.error." + error.key, error.placeholders));
    if (const auto more = total - static_cast<std::int64_t>(rows.size()); more > 0)
        fmt::print("and {} more rows\n", more);
}

void print_report(const Services& services, const ImportReport& report) {
    print_rows(services, report.bad_rows, report.bad_rows_total, "");
    for (const std::string& email : report.existing) fmt::print("account exists: {}\n", email);
    if (const auto more = report.existing_total - static_cast<std::int64_t>(report.existing.size()); more > 0)
        fmt::print("and {} more addresses\n", more);
    print_rows(services, report.notes, report.notes_total, "note: ");
}

boost::json::array json_of(const Services& services, const std::vector<RowErrors>& rows) {
    boost::json::array out;
    for (const auto& [row, errors] : rows)
        for (const Violation& error : errors)
            out.push_back(
                {{"row", row},
                 {"property", error.property},
                 {"key", error.key},
                 {"text", services.locales.text(Language::en, "request.error." + error.key, error.placeholders)}});
    return out;
}

// The lists are cut at the same number of rows as in the text; the totals are not.
boost::json::object json_of(const Services& services, const ImportReport& report, const ImportOptions& how) {
    return {{"refused", report.refused(how)},
            {"dryRun", how.dry_run},
            {"rows", report.rows},
            {"imported", report.imported},
            {"skipped", report.skipped},
            {"passwordsLost", report.passwords_lost},
            {"invalidRows", report.bad_rows_total},
            {"invalid", json_of(services, report.bad_rows)},
            {"existingAccounts", report.existing_total},
            {"existing", boost::json::value_from(report.existing)},
            {"rowsWithNotes", report.notes_total},
            {"notes", json_of(services, report.notes)}};
}

}  // namespace

int import_users(const UserImportOptions& options) {
    const SystemClock clock;
    auto input = open_input(options, clock.now());
    if (!input) return wrong_use;
    const auto opened = open_services(clock, statement_time);
    if (!opened) return wrong_use;
    const Services& services = *opened;
    std::optional<storage::SqliteDatabase> sqlite;
    if (const auto& database = services.config.database; database.url.empty())
        sqlite.emplace(storage::SqliteOptions{.file = database.file, .writer_cache_kib = sqlite_cache_kib});
    Roles roles(services.database, clock);
    UserImport import(sqlite ? *sqlite : services.database, roles, clock, services.audit,
                      import_settings(services.config));

    ProgressBar bar;
    const auto begun = std::chrono::steady_clock::now();
    ImportOptions how{.dry_run = options.dry_run, .skip_existing = options.skip_existing};
    if (bar.is_shown())
        how.progress = [&bar, begun](const ImportProgress& progress) {
            show(bar, progress, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
        };
    const auto report = run(import.run(*input->source, how));
    bar.clear();
    if (!report) return tell(services, report.error());
    if (options.json)
        print_json(json_of(services, *report, how));
    else
        print_report(services, *report);
    if (report->refused(how)) {
        say("consentry: {} of {} rows are invalid and {} addresses already have an account; nothing was imported\n",
            report->bad_rows_total, report->rows, report->existing_total);
        return failed;
    }
    say("{} of {} accounts {}imported, {} skipped\n", report->imported, report->rows,
        options.dry_run ? "would be " : "", report->skipped);
    if (report->passwords_lost > 0)
        say("consentry: {} of them {} without a password; their owners must set one with \"forgot password\". "
            "The notes list the rows\n",
            report->passwords_lost, options.dry_run ? "would be imported" : "were imported");
    return 0;
}

}  // namespace consentry
