// How many files this process may open at once. Each connection is one.
#pragma once

#include <cstddef>

namespace consentry {

// Raises the soft limit; the hard limit is the operator's decision.
void raise_file_limit();

// As many of the `wanted` connections as the limit allows. Reserves an eighth of it for other purposes: if accept()
// failed for lack of descriptors, no idle connection would be closed to make room.
std::size_t connections_that_can_be(std::size_t wanted);

// The limit with which all `wanted` connections can be.
std::size_t files_for_connections(std::size_t wanted);

}  // namespace consentry
