// Remembers the required versions of policies for as long as nothing is published (docs/decisions/0018).
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "features/acceptances/repository.hpp"

namespace consentry {

// The required versions in the latest known state of the published policies. Thread-safe.
class RequiredMemory {
public:
    // `state`: as policy_state_sql reads it. Returns nullopt if the versions of this state are not known.
    std::optional<RequiredVersions> find(std::string_view state) const;
    // `required` was read after the state.
    void put(std::string state, const RequiredVersions& required);

private:
    mutable std::mutex mutex_;
    std::string state_;  // empty: none is known
    RequiredVersions required_ = {};
};

}  // namespace consentry
