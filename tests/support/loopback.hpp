// Options of servers that tests start.
#pragma once

#include "http/server.hpp"

namespace consentry::tests {

// One thread, on any free port.
inline http::ServerOptions on_loopback() {
    http::ServerOptions options;
    options.host = "127.0.0.1";
    options.port = 0;
    options.threads = 1;
    return options;
}

}  // namespace consentry::tests
