// What the system says of this process.
#pragma once

#include <cstdint>

namespace consentry {

// Resident memory; 0 where the system does not say.
std::int64_t resident_bytes();

}  // namespace consentry
