// The record of a rotation of signing keys. The keys are files, so no transaction can write both: the act comes first,
// because an unrecorded rotation must not be possible.
#pragma once

#include <vector>

#include "features/sessions/key_ring.hpp"
#include "storage/database.hpp"

namespace consentry {

// An act of the operator, in the administration log. Throws Unavailable if the database does not record it.
storage::awaitable<void> record_key_rotation(storage::Database& database, std::vector<TokenKind> kinds, TimePoint now);

}  // namespace consentry
