// Tokens in links sent by mail. A token proves only that its bearer can read mail sent to the address. The database
// stores its digest; a token works once and expires within minutes (REC-2).
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
    std::chrono::minutes resend{2};  // minimum time between two links requested for one address
    std::size_t token_length = 100;
    std::string reference_prefix;
    std::size_t reference_length = 25;
};

class AccountTokens {
public:
    explicit AccountTokens(storage::Database& database) : database_(database) {}

    // Creates a token that replaces an older one of the same purpose, and returns it. Expect::one: the account exists.
    static std::string add(storage::Transaction& transaction, UserId user, TokenPurpose purpose,
                           const LinkSettings& settings, TimePoint now);
    // Returns the owner of a token that can be spent. Unknown, spent and expired tokens and those of another purpose
    // are indistinguishable: all return nullopt.
    awaitable<std::optional<UserId>> find(std::string token, TokenPurpose purpose, TimePoint now);
    // Spends the token. Expect::one: find() would still return its owner.
    static void add_spend(storage::Transaction& transaction, const std::string& token, TokenPurpose purpose,
                          TimePoint now);
    // Deletes all tokens of an account.
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
