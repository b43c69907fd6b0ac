// Columns of the row that describes a document's file.
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "features/term_policies/policy.hpp"
#include "features/users/stored.hpp"
#include "storage/columns.hpp"

namespace consentry {

inline std::string digest_text(const Bytes& digest) { return to_hex(digest); }

// `of` is empty, or the table's alias followed by a dot.
template <storage::Text of>
inline constexpr auto content_columns = storage::columns<PolicyContent>(
    storage::column<of + "language", &PolicyContent::language>, storage::column<of + "size", &PolicyContent::size>,
    storage::column<of + "digest", &PolicyContent::digest, digest_text>);

}  // namespace consentry
