// Exports accounts as a table, page by page: only one page is in memory at any time.
//
//     email;name;username;role;status;isVerified;language;createdAt
//
// The columns are those that an import accepts, without credentials. formulas.hpp says which
// fields are prefixed with a quote.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "features/administration/administration.hpp"
#include "http/response.hpp"

namespace consentry {

// Streams the table in pieces. `query` holds conditions and search; this function sets order and page. `administration`
// must outlive the stream.
http::NextPiece export_users(Administration& administration, ListQuery query);

// Returns one field, quoted if necessary (RFC 4180).
std::string csv_field(std::string_view text);

}  // namespace consentry
