// Accounts of a running program, made and used as people do it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/http_client.hpp"
#include "tests/support/process.hpp"

namespace consentry::tests {

inline const std::string usual_password = "Velvet-Harbor-42";

struct Tokens {
    std::string access;
    std::string refresh;
};

struct Account {
    std::string email{};
    std::string password = usual_password;
    std::string id{};
    std::string secret{};  // base32, once two-factor is on
    std::vector<std::string> backup_codes{};
};

// What the first start, or `migrate`, leaves: other commands refuse to begin without it.
void make_data(const std::filesystem::path& folder, const Settings& settings = quick_settings());

// By the command line, in a folder with data, or else in one that it makes first; a failure of the command fails the
// test.
Account create_account(const std::filesystem::path& folder, const std::string& email, const std::string& role = "user",
                       const Settings& settings = quick_settings());

Answer log_in(const HttpClient& client, const Account& account);
// Where no second factor stands in the way.
Tokens tokens_of(const HttpClient& client, const Account& account);
Tokens tokens_in(const Answer& answer);
// With the code of the present time step; see code_of() for what is accepted next.
Tokens turn_two_factor_on(const HttpClient& client, Account& account);
// Up to one step after the present one is accepted, and each step once.
std::string code_of(const Account& account, std::int64_t steps_ahead = 0);
Answer verify(const HttpClient& client, const std::string& challenge, const std::string& code);
Answer verify_backup(const HttpClient& client, const std::string& challenge, const std::string& backup_code);
// Of the status endpoint, which every signed-in caller may ask: 200 or 401.
unsigned knock(const HttpClient& client, const std::string& access_token);

}  // namespace consentry::tests
