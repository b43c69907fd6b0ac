// The view of an account that its owner and administrators get.
#pragma once

#include "base/error.hpp"
#include "features/accounts/repository.hpp"
#include "features/users/dto.hpp"

namespace consentry {

class Profiles {
public:
    // The database must outlive this object.
    explicit Profiles(storage::Database& database) : repository_(database) {}

    // Error: notFound, also for a deleted account.
    awaitable<Result<UserProfileResponse>> get(UserId user);
    // nullopt: likewise.
    awaitable<std::optional<Profile>> find(UserId user);

private:
    ProfileRepository repository_;
};

}  // namespace consentry
