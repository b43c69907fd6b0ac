// Whether somebody accepted what an application wants accepted.
#pragma once

#include <span>

#include "base/error.hpp"
#include "features/users/user.hpp"
#include "http/schema/fields.hpp"
#include "storage/database.hpp"

namespace consentry {

enum class PolicyType { terms_of_service, privacy, marketing, cookies };

class ConsentCheck {
public:
    virtual ~ConsentCheck() = default;
    // A type without a published version is not asked for. Throws Unavailable where it cannot tell.
    virtual storage::awaitable<Result<void>> admit(UserId user, std::span<const PolicyType> wanted) = 0;
};

// Of a service that cannot publish policies yet: there is none that anybody could have failed to accept.
class NothingPublished final : public ConsentCheck {
public:
    storage::awaitable<Result<void>> admit(UserId, std::span<const PolicyType>) override { co_return Result<void>{}; }
};

}  // namespace consentry

template <>
struct consentry::http::EnumNames<consentry::PolicyType> {
    static constexpr std::array names{
        std::pair{consentry::PolicyType::terms_of_service, std::string_view{"termsOfService"}},
        std::pair{consentry::PolicyType::privacy, std::string_view{"privacy"}},
        std::pair{consentry::PolicyType::marketing, std::string_view{"marketing"}},
        std::pair{consentry::PolicyType::cookies, std::string_view{"cookies"}}};
};
