// Helpers for the tests of passwords, second factors and challenges: many calls at the same moment, codes that are
// certainly wrong, comparable answers.
#pragma once

#include <array>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/worker_pool.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

struct Call {
    std::string path;
    json::object body;
    Headers headers{};
    std::string method = "POST";
    std::string from = "127.0.0.1";  // any address of 127.0.0.0/8
};

// Opens a connection for each call, then sends all at once; a single thread waits for all. Returns the answers in the
// given order.
std::vector<Answer> all_at_once(const Service& service, const std::vector<Call>& calls);

// Returns the n-th code that matches no currently accepted step.
std::string wrong_code(const Service& service, const Person& person, int n = 0);
inline constexpr const char* wrong_backup_code = "AAAAAAAAAA";

// An account with a second factor, on the service of the suite, or on one of its own with these settings. The code of
// the current step is used up.
struct Enrolled {
    Enrolled() : service(suite_service()) {}
    explicit Enrolled(Environment settings) : own(std::make_unique<Service>(std::move(settings))), service(*own) {}

    std::string challenge() const { return service.challenge_of(person); }
    Answer verify(const std::string& code) const { return service.verify(challenge(), code); }
    Answer verify_backup(const std::string& code) const { return service.verify_backup(challenge(), code); }
    std::string wrong(int n = 0) const { return wrong_code(service, person, n); }

    std::unique_ptr<Service> own;  // null on the service of the suite
    Service& service;
    Person person = service.make_person();
    TokenTexts tokens = service.turn_two_factor_on(person);
};

// Expects the refusal of a wrong code or backup code.
void expect_wrong_factor(const Answer& answer);

// Resets the second factor of an account, as a new administrator.
void reset_two_factor(Service& service, const Person& person);

// Logs in `count` times in sequence and returns the challenges.
std::vector<std::string> challenges_of(const Service& service, const Person& person, std::size_t count);

// Creates an account with the given address.
Person person_named(Service& service, const std::string& email, std::string password = right_password);

// Returns status, headers and body without what is specific to one request: its ids and duration.
std::string comparable(const Answer& answer);

// Expects the refusal of a lock: status, name, and the same number of seconds in body and header.
void expect_lock(const Answer& answer, unsigned status, std::string_view name, std::int64_t seconds);
// Expects exactly five attempts to be evaluated and refused, and all others to meet the lock. Attempts that waited too
// long may be told to retry. If the machine is so busy that fewer than five were evaluated, `guess` makes up for them
// one by one.
void expect_five_evaluated(std::vector<Answer> answers, const std::function<Answer()>& guess);
void expect_two_factor_lock(const Answer& answer, std::int64_t seconds);

// The states in which an account cannot be used: a change of its row in `users`, and the names of the refusals.
struct UnusableState {
    const char* change;
    const char* login;
    const char* session;
};
inline constexpr std::array unusable_states{
    UnusableState{"status = 'inactive'", "inactiveForbidden", "inactiveForbidden"},
    UnusableState{"status = 'blocked'", "inactiveForbidden", "blockedForbidden"},
    UnusableState{"is_verified = FALSE", "emailNotVerified", "emailNotVerified"},
    UnusableState{"password_expires_at = 1", "passwordExpired", "passwordExpired"}};

json::object credentials(const std::string& email, const std::string& password);

// Returns the attempt count in the second factor's row.
std::string two_factor_attempt(const Service& service, const Person& person);
// Returns the number of unspent backup codes.
std::string backup_codes_left(const Service& service, const Person& person);

// Occupies every thread and every queue slot of a pool for its lifetime.
class FullPool {
public:
    FullPool(WorkerPool& pool, std::size_t places);
    ~FullPool();
    FullPool(const FullPool&) = delete;
    FullPool& operator=(const FullPool&) = delete;

private:
    std::latch release_{1};
    std::jthread waiting_;
};

}  // namespace consentry::tests
