// The result of a refresh, cached for as long as a repeat counts as the same request.
//
// The entry is sealed with a key derived from the old token and the new jti, so only the bearer of that token can read
// it, and access to the cache is not enough. Two concurrent refreshes of one token produce two results, of which the
// database accepts one; each has its own key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "features/sessions/tokens.hpp"

namespace consentry {

std::string seal_successor(std::string_view old_token, std::string_view new_jti, const TokenPair& pair);
// Returns nullopt if `sealed` is damaged, or belongs to another token or jti.
std::optional<TokenPair> open_successor(std::string_view old_token, std::string_view new_jti, std::string_view sealed);

}  // namespace consentry
