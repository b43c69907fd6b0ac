// Several instances of the program that share keys, database and cache, and the accounts in them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "process/account.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

class Fleet {
public:
    // `settings` on top of quick_settings(): DATABASE_URL and CACHE_URL must be among them.
    Fleet(std::size_t instances, Settings settings);

    std::size_t size() const { return instances_.size(); }
    // Of instance `index % size()`.
    HttpClient client(std::size_t index) const { return at(index).client(); }
    ServiceProcess& at(std::size_t index) const { return *instances_.at(index % instances_.size()); }
    // Starts it again; it ended before. With the same settings and, most likely, another port.
    void start(std::size_t index);
    // One more, with these settings changed.
    void add(Settings changes);

    // By the command line, with a fresh address.
    Account make_account();
    // With two-factor on and the tokens of the session that did it. The code of the present time step is used up.
    Account make_protected_account(Tokens* tokens = nullptr);

private:
    TempFolder folder_;
    Settings settings_;
    std::vector<std::unique_ptr<ServiceProcess>> instances_;
    int accounts_ = 0;
};

// On the shared servers, in a schema and a name space of its own.
class SharedFleet {
public:
    explicit SharedFleet(std::size_t instances, const Settings& more = {});

    Fleet* operator->() { return &fleet_; }
    Fleet& operator*() { return fleet_; }
    SqlRows sql(const std::string& statement) const { return schema_.sql(statement); }
    // The first column of the first row.
    int number(const std::string& statement) const { return std::stoi(sql(statement).at(0).at(0)); }

private:
    PostgresSchema schema_;
    Fleet fleet_;
};

// Whether the service did not evaluate it and says when to come again: too many of the account were under way.
bool is_put_off(const Answer& answer);
// Comes again as often as it is put off, up to a point. Only where the test itself makes nothing unavailable that
// logins need.
Answer log_in_at_last(const HttpClient& client, const Account& account);

std::string challenge_of(const HttpClient& client, const Account& account);
// No code of the present time or of the next minutes.
std::string wrong_code(const Account& account);
// With the right session and a wrong second factor: what counts a failure without a challenge.
Answer disable_two_factor(const HttpClient& client, const std::string& access, const std::string& code);
Answer refresh(const HttpClient& client, const std::string& refresh_token);
Tokens refreshed_tokens_in(const Answer& answer);
Answer log_out(const HttpClient& client, const std::string& access);
// Eight new ones.
std::vector<std::string> new_backup_codes(const HttpClient& client, const std::string& access);

// How many of them have this status and, where it is told, this name of their code.
std::size_t count(const std::vector<Answer>& answers, unsigned status, std::string_view code_name = {});

// Whether it comes true before that moment.
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
