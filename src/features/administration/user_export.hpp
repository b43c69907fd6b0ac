// Accounts as a table, page by page: however many there are, one page of them is in memory.
//
//     email;name;username;role;status;isVerified;language;createdAt
//
// The columns are those that an import takes, without anything that lets somebody in. A field that a spreadsheet would
// run as a formula gets a quote in front (OWASP, CSV injection).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "features/administration/administration.hpp"
#include "http/response.hpp"

namespace consentry {

// The pieces of the table. `query`: conditions and search; order and page are this function's. `administration`
// outlives the stream.
http::NextPiece export_users(Administration& administration, ListQuery query);

// One field, quoted where it must be (RFC 4180).
std::string csv_field(std::string_view text);

}  // namespace consentry
