// The time that a UUID of version 7 begins with (RFC 9562).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/uuid.hpp"

namespace consentry {

inline TimePoint time_of(const Uuid& id) {
    std::int64_t ms = 0;
    for (std::size_t i = 0; i < 6; ++i) ms = ms << 8 | id.bytes()[i];
    return from_epoch_ms(ms);
}

}  // namespace consentry
