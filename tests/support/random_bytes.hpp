// Bytes for tests that try many messages: the same in every run that seeds alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "base/bytes.hpp"

namespace consentry::tests {

inline Bytes random_bytes_of(std::mt19937_64& random, std::size_t size) {
    Bytes out(size);
    for (auto& byte : out) byte = static_cast<std::uint8_t>(random());
    return out;
}

}  // namespace consentry::tests
