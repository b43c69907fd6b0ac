#include "base/lock_ladder.hpp"

#include <cmath>

namespace consentry {

milliseconds LockLadder::duration(std::int64_t attempt) const {
    if (attempt < attempts_max) return milliseconds{0};
    const double exponent = static_cast<double>(attempt) / attempts_max;
    const double ms = std::ceil(std::exp2(exponent) * static_cast<double>(base.count()));
    if (!(ms < static_cast<double>(lock_max.count()))) return lock_max;  // also catches infinity
    return milliseconds{static_cast<std::int64_t>(ms)};
}

}  // namespace consentry
