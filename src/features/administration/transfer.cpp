#include "features/administration/transfer.hpp"

#include <spanstream>

#include "features/administration/import/csv_source.hpp"
#include "features/administration/user_export.hpp"

namespace consentry {
namespace {

// Fills the answer's `errors`. write_violations() of http/envelope.cpp interprets the number in front.
Error bad_rows(std::vector<RowErrors> rows) {
    std::vector<Violation> out;
    for (RowErrors& row : rows)
        for (Violation& violation : row.errors) {
            violation.property.insert(0, std::to_string(row.row) + ".");
            out.push_back(std::move(violation));
        }
    return Error{errors::file_validation, std::move(out)};
}

template <class T>
Result<void> add_filter(const http::Filter<UserListing, T>& filter, const std::optional<std::string>& text,
                        ListQuery& out) {
    auto understood = http::detail::understand(filter, text.value_or(""));
    if (!understood) return fail(std::move(understood.error()));
    if (*understood) out.conditions.push_back(std::move((*understood)->condition));
    return {};
}

Result<ListQuery> query_of(const UserExportQuery& wanted) {
    ListQuery out;
    const auto [status, role] = UserListing::filters();
    if (auto added = add_filter(status, wanted.status, out); !added) return fail(std::move(added.error()));
    if (auto added = add_filter(role, wanted.role, out); !added) return fail(std::move(added.error()));
    if (wanted.search) http::add_search(trim(*wanted.search), UserListing::searchable, out);
    return out;
}

}  // namespace

awaitable<Result<http::Stream>> export_table(Administration& administration, Administrator by, UserExportQuery wanted,
                                             TimePoint now) {
    auto query = query_of(wanted);
    if (!query) co_return fail(std::move(query.error()));
    auto noted = co_await administration.note_export(std::move(by));
    if (!noted) co_return fail(std::move(noted.error()));
    co_return http::Stream{.content_type = "text/csv; charset=utf-8",
                           .file_name = "export-" + std::to_string(epoch_ms(now)) + ".csv",
                           .next = export_users(administration, std::move(*query))};
}

awaitable<Result<UserImportResponse>> import_table(UserImport& import, Administrator by, bool dry_run,
                                                   http::Upload file) {
    std::ispanstream stream(std::span<const char>(file.body.data(), file.body.size()));
    // An administrator who supplies a password or an identity for an account could log in to it (REC-6).
    CsvSource source(stream, file.body.size(), CsvSource::Credentials::unknown);
    const ImportOptions options{.dry_run = dry_run,
                                .rows_max = import_rows_max,
                                .sign_up_from = SignUpFrom::admin,
                                .by = by.actor,
                                .cause = std::move(by.cause)};
    auto report = co_await import.run(source, options);
    if (!report) co_return fail(std::move(report.error()));
    if (report->bad_rows_total > 0) co_return fail(bad_rows(std::move(report->bad_rows)));
    if (report->existing_total > 0)
        co_return fail(errors::import_email_exist,
                       {{"emails", boost::json::array(report->existing.begin(), report->existing.end())}});
    co_return UserImportResponse{.rows = report->rows, .imported = report->imported, .is_dry_run = dry_run};
}

}  // namespace consentry
