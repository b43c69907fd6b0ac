// The columns of a row that make an addendum.
#pragma once

#include "features/consent_log/entry.hpp"
#include "storage/columns.hpp"

namespace consentry {

// Of term_policy_acceptances as `a`.
inline constexpr auto addendum_columns = storage::columns<Addendum>(
    storage::column<"a.id", &Addendum::acceptance>, storage::column<"a.user_id", &Addendum::user>,
    storage::column<"a.session_id", &Addendum::session>, storage::column<"a.ip_address", &Addendum::ip_address>,
    storage::column<"a.user_agent", &Addendum::user_agent>,
    storage::column<"a.shown_diff_hash", &Addendum::shown_diff_hash>);

}  // namespace consentry
