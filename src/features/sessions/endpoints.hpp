#pragma once

#include "features/sessions/key_ring.hpp"
#include "features/sessions/sessions.hpp"
#include "http/router.hpp"

namespace consentry {

// Refresh, logout, the own sessions, the public keys. Needs SessionGuard provided.
void add_session_endpoints(http::Router& router, Sessions& sessions, KeyRing& keys);

}  // namespace consentry
