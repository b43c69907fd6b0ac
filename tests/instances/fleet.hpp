// Several instances of the program with common keys, database and cache, and the accounts in them.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/program_people.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

inline constexpr std::size_t everywhere = 4;  // number of instances

class Fleet {
public:
    // Adds `settings` to quick_settings(). They must contain DATABASE_URL and CACHE_URL.
    Fleet(std::size_t instances, Settings settings);

    std::size_t size() const { return instances_.size(); }
    // Returns a client of instance `index % size()`.
    HttpClient client(std::size_t index) const { return at(index).client(); }
    ServiceProcess& at(std::size_t index) const { return *instances_.at(index % instances_.size()); }
    // Starts an instance that has ended again, with these settings changed and usually on another port.
    void start(std::size_t index, Settings changes = {});
    // Starts another instance, with these settings changed.
    void add(Settings changes);
    // Where all of them keep their files.
    std::filesystem::path data() const { return folder_.path() / "data"; }
    // Runs a command of the program with their settings.
    Finished run(const std::vector<std::string>& arguments) const;
    // Gives them new signing keys through the command line.
    void rotate_keys() const;

    // Creates an account with a new address through the command line.
    Person make_person(const std::string& role = "user");
    // Creates an account and turns two-factor on; `tokens` receives the tokens of the session that did so. This uses up
    // the code of the current time step.
    Person make_protected_person(TokenTexts* tokens = nullptr);

private:
    TempFolder folder_;
    Settings settings_;
    std::vector<std::unique_ptr<ServiceProcess>> instances_;
    int people_ = 0;
};

// A fleet on the shared servers, with its own schema and name space.
class SharedFleet {
public:
    explicit SharedFleet(std::size_t instances, const Settings& more = {});

    Fleet* operator->() { return &fleet_; }
    Fleet& operator*() { return fleet_; }
    const PostgresSchema& schema() const { return schema_; }
    SqlRows sql(const std::string& statement) const { return schema_.sql(statement); }
    // Returns the first column of the first row.
    int number(const std::string& statement) const { return std::stoi(sql(statement).at(0).at(0)); }

private:
    PostgresSchema schema_;
    Fleet fleet_;
};

// Returns whether the service refused to evaluate the request for now and says when to retry, because too many requests
// for the account were in progress.
bool is_put_off(const Answer& answer);
// Logs in, and retries up to 100 times if the login is put off. Only for tests that do not take away a server that
// logins need.
Answer log_in_at_last(const HttpClient& client, const Person& person);

std::string challenge_of(const HttpClient& client, const Person& person);
// Returns a code that is wrong now and for the next minutes.
std::string wrong_code(const Person& person);
// Sends a valid session and a wrong second factor, which counts a failure without a challenge.
Answer disable_two_factor(const HttpClient& client, const std::string& access, const std::string& code);
Answer refresh(const HttpClient& client, const std::string& refresh_token);
TokenTexts refreshed_tokens_in(const Answer& answer);
Answer log_out(const HttpClient& client, const std::string& access);
// Replaces the backup codes and returns the eight new ones.
std::vector<std::string> new_backup_codes(const HttpClient& client, const std::string& access);

// Returns whether the condition becomes true before `end`.
bool eventually_before(std::chrono::steady_clock::time_point end, const std::function<bool()>& condition);

struct TimedAnswer {
    Answer answer;
    std::chrono::milliseconds took;
};
template <class Call>
TimedAnswer timed(Call call) {
    const auto begin = std::chrono::steady_clock::now();
    Answer answer = call();
    return {std::move(answer),
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin)};
}

}  // namespace consentry::tests
