// The view of an account that its owner and administrators get.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "features/acceptances/acceptances.hpp"
#include "features/accounts/repository.hpp"
#include "features/users/dto.hpp"

namespace consentry {

class Profiles {
public:
    // Both must outlive this object.
    Profiles(storage::Database& database, Acceptances& acceptances)
        : repository_(database), acceptances_(acceptances) {}

    // `policy_state`: what the guard has read along with the session. Error: notFound, also for a deleted account.
    awaitable<Result<UserProfileResponse>> get(UserId user, std::optional<std::string> policy_state = {});
    // nullopt: likewise.
    awaitable<std::optional<Profile>> find(UserId user);

private:
    ProfileRepository repository_;
    Acceptances& acceptances_;
};

}  // namespace consentry
