#pragma once

#include "features/sessions/key_ring.hpp"
#include "features/sessions/sessions.hpp"
#include "http/router.hpp"

namespace consentry {

// Refresh, logout, the caller's sessions, and the public keys. Requires a SessionGuard to be provided.
void add_session_endpoints(http::Router& router, Sessions& sessions, KeyRing& keys);

}  // namespace consentry
