// Which accounts need a two-factor key that the settings lack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/config/config.hpp"

namespace consentry {

// The query for the number, as text, of accounts whose second factor needs another key than the first `count` of
// AUTH_TWO_FACTOR_ENCRYPTION_KEY; nullopt: than all of them. `config` has its secrets.
std::string accounts_with_another_key(const Config& config, std::optional<std::size_t> count = {});

// Describes the consequence if the key of this many accounts is missing.
std::string text_of_missing_key(std::int64_t accounts);

// For `config check`, before any service runs: empty if no account needs a key that is missing.
std::string missing_two_factor_key(const Config& given);

}  // namespace consentry
