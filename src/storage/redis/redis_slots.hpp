// Which part of a cluster a key belongs to (Redis cluster specification, "Key distribution model").
#pragma once

#include <cstdint>
#include <string_view>

namespace consentry::storage::redis {

constexpr std::uint16_t slot_count = 16384;

// Of the key's hash tag, that is what stands between its first '{' and the next '}' unless that is nothing; else of the
// whole key.
std::uint16_t slot_of(std::string_view key);

}  // namespace consentry::storage::redis
