// Creates accounts through the command line, and uses them on a running program as their owners do.
#pragma once

#include <filesystem>
#include <string>

#include "base/clock.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/person.hpp"
#include "tests/support/process.hpp"

namespace consentry::tests {

// Creates what the first start or `migrate` leaves behind; without it, other commands refuse to run.
void make_data(const std::filesystem::path& folder, const Settings& settings = quick_settings());
// Takes back the newest migration of an SQLite database. Throws if there is a newer migration than the one it knows.
void take_back_newest_migration(const std::filesystem::path& database);

// Creates an account through the command line, and first the data if the folder has none. A failure fails the test.
Person make_person(const std::filesystem::path& folder, const std::string& email, const std::string& role = "user",
                   const Settings& settings = quick_settings());

// Gives each signing key this time as the one at which it was made: KIND-ALGORITHM-TIME-ID.pem.
void redate_keys(const std::filesystem::path& folder, TimePoint made_at);

// quick_settings() for a service that makes no keys of its own.
Settings production_settings(Settings more = {});

Answer log_in(const HttpClient& client, const Person& person);
// For accounts without a second factor.
TokenTexts tokens_of(const HttpClient& client, const Person& person);
TokenTexts tokens_in(const Answer& answer);
// Uses the code of the current time step; code_of() describes which codes are accepted next.
TokenTexts turn_two_factor_on(const HttpClient& client, Person& person);
// The service accepts codes up to one step ahead of the current one, and each step once.
std::string code_of(const Person& person, std::int64_t steps_ahead = 0);
Answer verify(const HttpClient& client, const std::string& challenge, const std::string& code);
Answer verify_backup(const HttpClient& client, const std::string& challenge, const std::string& backup_code);
// Returns the status of the two-factor status endpoint, which every signed-in caller may use: 200 or 401.
unsigned knock(const HttpClient& client, const std::string& access_token);

}  // namespace consentry::tests
