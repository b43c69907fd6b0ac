#pragma once

namespace consentry {

// Runs the service until SIGTERM or SIGINT.
int serve();

}  // namespace consentry
