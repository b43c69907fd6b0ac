// The import and export endpoints, whose bodies are tables of accounts.
#pragma once

#include "features/administration/administration.hpp"
#include "features/administration/dto.hpp"
#include "features/administration/import/user_import.hpp"
#include "http/endpoint.hpp"

namespace consentry {

inline constexpr std::int64_t import_rows_max = 1'000;

awaitable<Result<http::Stream>> export_table(Administration& administration, Administrator by, UserExportQuery wanted,
                                             TimePoint now);
// `file` refers to the memory of the request.
awaitable<Result<UserImportResponse>> import_table(UserImport& import, Administrator by, bool dry_run,
                                                   http::Upload file);

}  // namespace consentry
