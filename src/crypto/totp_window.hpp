// Finds the step around the current one that a code matches. Separate from totp.cpp so that a test can count the
// comparisons.
#pragma once

#include <cstdint>
#include <optional>

namespace consentry::crypto {

// Calls `fits` for every step from present - window to present + window, whatever earlier calls returned: the running
// time must not reveal which step matched (CRY-5). If several steps match, the one nearest to the present wins, and of
// two at the same distance the later.
template <class Fits>
std::optional<std::int64_t> step_that_fits(std::int64_t present, std::int64_t window, Fits fits) {
    std::int64_t found = 0;
    bool any = false;
    const auto try_step = [&](std::int64_t step) {
        const bool fitting = fits(step);
        found = fitting ? step : found;
        any |= fitting;
    };
    // From the outside in, with the later step of a pair last: the last match overwrites the earlier ones.
    for (std::int64_t distance = window; distance > 0; --distance) {
        try_step(present - distance);
        try_step(present + distance);
    }
    try_step(present);
    if (!any) return std::nullopt;
    return found;
}

}  // namespace consentry::crypto
