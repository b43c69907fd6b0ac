// Creates and uses accounts of a running program as users do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.hpp"
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
    std::string secret{};  // base32; empty until two-factor is on
    std::vector<std::string> backup_codes{};
};

// Creates what the first start or `migrate` leaves behind; without it, other commands refuse to run.
void make_data(const std::filesystem::path& folder, const Settings& settings = quick_settings());
// Makes the schema of an SQLite database that of the version before, 21. Throws if there is a newer migration than the
// one it knows.
void take_back_newest_migration(const std::filesystem::path& database);

// Creates an account through the command line, and first the data if the folder has none. A failure fails the test.
Account create_account(const std::filesystem::path& folder, const std::string& email, const std::string& role = "user",
                       const Settings& settings = quick_settings());

// Gives each signing key this time as the one at which it was made: KIND-ALGORITHM-TIME-ID.pem.
void redate_keys(const std::filesystem::path& folder, TimePoint made_at);

// quick_settings() for a service that makes no keys of its own.
Settings production_settings(Settings more = {});

Answer log_in(const HttpClient& client, const Account& account);
// For accounts without a second factor.
Tokens tokens_of(const HttpClient& client, const Account& account);
Tokens tokens_in(const Answer& answer);
// Uses the code of the current time step; code_of() describes which codes are accepted next.
Tokens turn_two_factor_on(const HttpClient& client, Account& account);
// The service accepts codes up to one step ahead of the current one, and each step once.
std::string code_of(const Account& account, std::int64_t steps_ahead = 0);
Answer verify(const HttpClient& client, const std::string& challenge, const std::string& code);
Answer verify_backup(const HttpClient& client, const std::string& challenge, const std::string& backup_code);
// Returns the status of the two-factor status endpoint, which every signed-in caller may use: 200 or 401.
unsigned knock(const HttpClient& client, const std::string& access_token);

}  // namespace consentry::tests
