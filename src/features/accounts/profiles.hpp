// The view of an account that its owner and administrators get.
#pragma once

#include "base/error.hpp"
#include "features/two_factor/two_factor.hpp"
#include "features/users/dto.hpp"
#include "features/users/repository.hpp"

namespace consentry {

class Profiles {
public:
    // The references must outlive this object.
    Profiles(UserRepository& users, TwoFactor& two_factor, Consents& consents)
        : users_(users), two_factor_(two_factor), consents_(consents) {}

    // Error: notFound, also for a deleted account.
    awaitable<Result<UserProfileResponse>> get(UserId user);

private:
    UserRepository& users_;
    TwoFactor& two_factor_;
    Consents& consents_;
};

}  // namespace consentry
