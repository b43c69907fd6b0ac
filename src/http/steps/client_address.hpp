// Who a request comes from. The peer tells it, and nobody else, unless the peer is a proxy that the operator listed
// (LIM-2): then the last hop of X-Forwarded-For that is not such a proxy.
#pragma once

#include "http/request.hpp"
#include "http/steps/networks.hpp"

namespace consentry::http {

struct Client {
    Address address;      // canonical
    bool secure = false;  // came over TLS, as the proxy says (X-Forwarded-Proto)
    // Whether the request went through a proxy that nobody listed, as far as it says so itself: then `address` is that
    // proxy's.
    bool through_stranger = false;
};

Client client_of(const Request& request, const Networks& proxies);

}  // namespace consentry::http
