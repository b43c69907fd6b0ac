// What statements read to learn whether the demands of the published policies have changed.
#pragma once

#include "storage/sql.hpp"

namespace consentry {

// The state of the published policies, as a short text: what they demand changes only if this text does. A publication
// changes the first two numbers; the others notice changes that an operator or a migration makes to published rows.
inline constexpr storage::Text policy_state_sql =
    "(SELECT count(*) || ' ' || COALESCE(SUM(p.published_at), 0) || ' ' || COALESCE(SUM(p.version), 0) || ' ' || "
    "COALESCE(SUM(CASE WHEN p.is_material = TRUE THEN p.version END), 0) || ' ' || COALESCE(SUM(p.grace_until), 0) || "
    "' ' || "
    "COALESCE(SUM(p.grace_version), 0) FROM term_policies p WHERE p.status = 'published')";

}  // namespace consentry
