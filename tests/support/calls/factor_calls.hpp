// What the tests of passwords, second factors and challenges share: many calls at the same moment, codes that are wrong
// for sure, answers made comparable.
#pragma once

#include <functional>
#include <latch>
#include <string>
#include <thread>
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

// Opens a connection for each, then sends all at once; one thread of the test waits for all. In the order given.
std::vector<Answer> all_at_once(const Service& service, const std::vector<Call>& calls);

// How many answers carry this status and this name of an error; an empty name stands for any.
std::size_t count(const std::vector<Answer>& answers, unsigned status, std::string_view name = {});

// The n-th code that belongs to no step which is accepted now.
std::string wrong_code(const Service& service, const Person& person, int n = 0);
inline constexpr const char* wrong_backup_code = "AAAAAAAAAA";

// Logs in that often, one after the other.
std::vector<std::string> challenges_of(const Service& service, const Person& person, std::size_t count);

// An account under an address of the test's choice.
Person person_named(Service& service, const std::string& email, std::string password = std::string(right_password));

// Status, headers and body, without what is of one request alone: its ids and the time it took.
std::string comparable(const Answer& answer);

// The refusal of a lock: status, name, and the same number of seconds in body and header.
void expect_lock(const Answer& answer, unsigned status, std::string_view name, std::int64_t seconds);
// Five are evaluated and refused, all others meet the lock; who had to wait too long may be asked to come again. On a
// machine so busy that most are, fewer than five may be evaluated: `guess` then makes up for them, one by one.
void expect_five_evaluated(std::vector<Answer> answers, const std::function<Answer()>& guess);
void expect_two_factor_lock(const Answer& answer, std::int64_t seconds);

json::object credentials(const std::string& email, const std::string& password);

// What the second factor's row says: attempt.
std::string two_factor_attempt(const Service& service, const Person& person);

// Keeps every thread and every place of a pool busy for as long as it lives.
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
