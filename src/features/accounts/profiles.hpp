// What is shown of an account, to its owner and to administrators.
#pragma once

#include "base/error.hpp"
#include "features/roles/roles.hpp"
#include "features/two_factor/two_factor.hpp"
#include "features/users/dto.hpp"
#include "features/users/repository.hpp"

namespace consentry {

class Profiles {
public:
    // All outlive this.
    Profiles(UserRepository& users, Roles& roles, TwoFactor& two_factor, Consents& consents)
        : users_(users), roles_(roles), two_factor_(two_factor), consents_(consents) {}

    // Error: notFound, also of an account that was deleted.
    awaitable<Result<UserProfileResponse>> get(UserId user);

private:
    UserRepository& users_;
    Roles& roles_;
    TwoFactor& two_factor_;
    Consents& consents_;
};

}  // namespace consentry
