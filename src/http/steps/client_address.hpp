// Determines the client address of a request. This is the peer's address, unless the peer is a proxy listed by the
// operator (LIM-2). Then it is the last hop of X-Forwarded-For that is not a listed proxy.
#pragma once

#include "http/request.hpp"
#include "http/steps/networks.hpp"

namespace consentry::http {

struct Client {
    Address address;      // canonical
    bool secure = false;  // received over TLS, as reported by the proxy (X-Forwarded-Proto)
    // Whether the headers show that the request passed through an unlisted proxy. `address` is then that proxy's.
    bool through_stranger = false;
};

Client client_of(const Request& request, const Networks& proxies);

}  // namespace consentry::http
