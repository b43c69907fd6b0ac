// The cluster slot of a key (Redis cluster specification, "Key distribution model").
#pragma once

#include <cstdint>
#include <string_view>

namespace consentry::storage::redis {

constexpr std::uint16_t slot_count = 16384;

// Hashes the key's hash tag, the text between its first '{' and the next '}' if that is not empty; otherwise the whole
// key.
std::uint16_t slot_of(std::string_view key);

}  // namespace consentry::storage::redis
