// The tokens in the links of mails. Whoever holds one reads the mails of the address it was sent to, and that is all it
// proves. In the database lies its digest, good once and for some minutes (REC-2).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "features/users/user.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

enum class TokenPurpose { verify_email, forgot_password };

struct LinkSettings {
    std::chrono::minutes expired{5};
    std::chrono::minutes resend{2};  // between two links that are asked for with one address
    std::size_t token_length = 100;
    std::string reference_prefix;
    std::size_t reference_length = 25;
};

class AccountTokens {
public:
    explicit AccountTokens(storage::Database& database) : database_(database) {}

    // Adds a token in the place of an older one of the purpose and returns it. Expect::one: there is such an account.
    static std::string add(storage::Transaction& transaction, UserId user, TokenPurpose purpose,
                           const LinkSettings& settings, TimePoint now);
    // Whose it is, if it can be spent: unknown, spent, expired and meant for something else are one answer.
    awaitable<std::optional<UserId>> find(std::string token, TokenPurpose purpose, TimePoint now);
    // Expect::one: find() would still find it.
    static void add_spend(storage::Transaction& transaction, const std::string& token, TokenPurpose purpose,
                          TimePoint now);
    // All of an account.
    static void add_erase(storage::Transaction& transaction, UserId user);
    awaitable<void> erase_expired(TimePoint now);

private:
    storage::Database& database_;
};

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::TokenPurpose> {
    static constexpr std::array names{
        std::pair{consentry::TokenPurpose::verify_email, std::string_view{"verifyEmail"}},
        std::pair{consentry::TokenPurpose::forgot_password, std::string_view{"forgotPassword"}}};
};
