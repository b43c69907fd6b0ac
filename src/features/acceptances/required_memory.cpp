#include "features/acceptances/required_memory.hpp"

#include <utility>

namespace consentry {

std::optional<RequiredVersions> RequiredMemory::find(std::string_view state) const {
    const std::lock_guard lock(mutex_);
    if (state_ != state || state_.empty()) return std::nullopt;
    return required_;
}

void RequiredMemory::put(std::string state, const RequiredVersions& required) {
    const std::lock_guard lock(mutex_);
    state_ = std::move(state);
    required_ = required;
}

}  // namespace consentry
