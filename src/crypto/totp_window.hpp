// Which of the steps around the present one a code belongs to. Apart from totp.cpp so that a test can count the tries.
#pragma once

#include <cstdint>
#include <optional>

namespace consentry::crypto {

// Calls `fits` for every step from present - window to present + window, whatever the earlier calls answered: the time
// that this takes must not tell which step a code belongs to (CRY-5). Of several steps that fit, the one nearest to the
// present counts, and of two at the same distance the later.
template <class Fits>
std::optional<std::int64_t> step_that_fits(std::int64_t present, std::int64_t window, Fits fits) {
    std::int64_t found = 0;
    bool any = false;
    const auto try_step = [&](std::int64_t step) {
        const bool fitting = fits(step);
        found = fitting ? step : found;
        any |= fitting;
    };
    // From the outside in, and the later of a pair last: what is written last counts.
    for (std::int64_t distance = window; distance > 0; --distance) {
        try_step(present - distance);
        try_step(present + distance);
    }
    try_step(present);
    if (!any) return std::nullopt;
    return found;
}

}  // namespace consentry::crypto
