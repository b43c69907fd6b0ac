// Accounts and sessions by the million, written by PostgreSQL itself, and tokens for some of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stage.hpp"

namespace consentry::bench {

// Fills a database, which has the schema and nothing else, with accounts whose second factor is on and with sessions
// that the accounts began in turn. The sessions lie in the order in which they began, as they would. On return the
// server has cleaned up behind it. Takes minutes for ten million.
void fill_database(const Servers& servers, const std::string& database, const Masses& masses);

// Access tokens for sessions picked at random from all of them, each for another one. `count` divides their number.
std::vector<std::string> sign_tokens(const Servers& servers, const std::string& database, const Masses& masses,
                                     const Tokens& tokens, std::size_t count);

}  // namespace consentry::bench
