// The answer of a refresh, kept in the cache for as long as a repeat of the request is the same request.
//
// It is sealed with the token that asked for it and the jti that it brings: whoever does not hold that very token
// cannot read it, nor can whoever reads the cache. Two refreshes of one token at the same moment make two answers, of
// which the database lets one be true; each has a key of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "features/sessions/tokens.hpp"

namespace consentry {

std::string seal_successor(std::string_view old_token, std::string_view new_jti, const TokenPair& pair);
// nullopt: of another token or jti, or damaged.
std::optional<TokenPair> open_successor(std::string_view old_token, std::string_view new_jti, std::string_view sealed);

}  // namespace consentry
