// Tests many concurrent logins: they allow no more guesses than sequential ones, and run no more hashes than there are
// cores. And what a check costs its account that finds no memory.
#include <algorithm>
#include <atomic>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "features/passwords/repository.hpp"
#include "features/users/actor.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/little_memory.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

constexpr const char* login = "/api/public/user/login/credential";

std::vector<Call> guesses(std::size_t count, const std::function<Call(std::size_t)>& guess) {
    std::vector<Call> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(guess(i));
    return out;
}

TEST(PWD_6, FiveHundredWrongPasswordsAtOnceAreFiveGuesses) {
    Service& service = suite_service();
    const Person person = service.make_person();
    expect_five_evaluated(
        all_at_once(service,
                    guesses(500, [&](std::size_t) { return Call{login, credentials(person.email, wrong_password)}; })),
        [&] { return service.log_in(person.email, wrong_password); });
    EXPECT_EQ(service.sql("SELECT password_attempt FROM users WHERE email = '" + person.email + "'")[0][0], "5");
    expect_lock(service.log_in(person), 403, "passwordAttemptMax", 240);
}

TEST(PWD_6, FiveHundredGuessesAtNobodyAreFiveGuesses) {
    constexpr const char* unknown = "nobody-at-once@example.org";
    Service& service = suite_service();
    expect_five_evaluated(
        all_at_once(service,
                    guesses(500, [&](std::size_t) { return Call{login, credentials(unknown, wrong_password)}; })),
        [&] { return service.log_in(unknown, wrong_password); });
}

TEST(LIM_3, OneGuessFromEachOfManyAddressesIsFiveGuesses) {
    Service& service = suite_service();
    const Person person = service.make_person();
    expect_five_evaluated(all_at_once(service, guesses(300,
                                                       [&](std::size_t i) {
                                                           Call call{login, credentials(person.email, wrong_password)};
                                                           call.from = "127.1." + std::to_string(i / 200) + "." +
                                                                       std::to_string(1 + i % 200);
                                                           return call;
                                                       })),
                          [&] { return service.log_in(person.email, wrong_password); });
}

TEST(PWD_6, ParallelRightLoginsLockNobodyOut) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto answers = all_at_once(
        service, guesses(64, [&](std::size_t) { return Call{login, credentials(person.email, person.password)}; }));
    EXPECT_EQ(count(answers, 200) + count(answers, 503), 64U);
    EXPECT_GE(count(answers, 200), 1U);
    EXPECT_EQ(service.log_in(person).status, 200U);
}

TEST(PWD_6, ParallelRightLoginsWithTwoFactorLockNobodyOut) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const auto answers = all_at_once(
        service, guesses(64, [&](std::size_t) { return Call{login, credentials(person.email, person.password)}; }));
    EXPECT_EQ(count(answers, 200) + count(answers, 503), 64U);
    EXPECT_EQ(service.log_in(person).status, 200U);
}

constexpr const char* checks_of = "SELECT password_attempt, password_pending FROM users WHERE email = '";

std::vector<std::string> checks(const Service& service, const Person& person) {
    return service.sql(checks_of + person.email + "'").at(0);
}

// Simulates `count` password checks of this account on other instances that may still run for `rest`.
void put_under_way(Service& service, const Person& person, int count, milliseconds rest) {
    service.sql("UPDATE users SET password_pending = " + std::to_string(count) + ", password_pending_until = " +
                std::to_string(epoch_ms(service.clock().now() + rest)) + " WHERE email = '" + person.email + "'");
}

TEST(PWD_6, ChecksUnderWayAreNoFailures) {
    Service& service = suite_service();
    const Person person = service.make_person();
    put_under_way(service, person, 5, seconds{60});
    const Answer full = service.log_in(person);
    EXPECT_EQ(full.status, 503U) << "as many as may fail are under way elsewhere";
    EXPECT_EQ(full.headers.at("retry-after"), "1");
    put_under_way(service, person, 4, seconds{60});
    EXPECT_EQ(service.log_in(person).status, 200U);
    EXPECT_EQ(checks(service, person), (std::vector<std::string>{"0", "0"}));
}

TEST(PWD_6, AsManyAreUnderWayAsFailuresAreLeft) {
    Service& service = suite_service();
    const Person person = service.make_person();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    put_under_way(service, person, 2, seconds{60});
    EXPECT_EQ(service.log_in(person.email, wrong_password).status, 503U);
    put_under_way(service, person, 1, seconds{60});
    EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    EXPECT_EQ(checks(service, person), (std::vector<std::string>{"4", "1"}));
}

TEST(PWD_6, ChecksThatNeverEndedCountAndDoNotLock) {
    // Otherwise guesses would be free if their process ended before the answer.
    Service& service = suite_service();
    const Person person = service.make_person();
    put_under_way(service, person, 5, milliseconds{0});
    EXPECT_EQ(service.log_in(person).status, 200U) << "a lock is told only where somebody failed";
    put_under_way(service, person, 5, milliseconds{0});
    EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    expect_lock(service.log_in(person), 403, "passwordAttemptMax", 276);
}

// Waits until the owner was told of as many locks, by mail, and returns how many the activity log has.
std::string told(Service& service, const Person& person, std::size_t mails) {
    Mailbox(service).wait_for(person.email, "passwordLocked", mails - 1);
    return one(service,
               "SELECT count(*) FROM activity_log WHERE action = 'userReachMaxPasswordAttempt' "
               "AND user_id = '" +
                   person.id.text() + "'");
}

TEST(PWD_7, TheOwnerHearsOnceOfALockThatLostChecksBroughtOn) {
    // Regression: the count grew from 4 to 7 at once, so no failure was the fifth, and the owner heard nothing.
    Service& service = suite_service();
    const Person person = service.make_person();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    put_under_way(service, person, 2, milliseconds{0});
    EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    EXPECT_EQ(checks(service, person), (std::vector<std::string>{"7", "0"}));
    expect_lock(service.log_in(person), 403, "passwordAttemptMax", 317);
    EXPECT_EQ(told(service, person, 1), "1");

    service.pass(seconds{317});
    EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    expect_lock(service.log_in(person), 403, "passwordAttemptMax", 364);

    service.pass(seconds{364});
    EXPECT_EQ(service.log_in(person).status, 200U);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    EXPECT_EQ(told(service, person, 2), "2") << "of another run, and not of the further lock of the same run";
    EXPECT_EQ(mails(service, person.email, "passwordLocked"), 2U);
}

TEST(PWD_7, OneOfManyFailuresAtOnceIsTheFirstLock) {
    Service& service = suite_service();
    const Person person = service.make_person();
    service.sql("UPDATE users SET password_attempt = 6 WHERE email = '" + person.email + "'");
    PasswordRepository repository(service.app().services().database);
    std::vector<awaitable<PasswordFailure>> failing;
    for (int i = 0; i < 16; ++i) failing.push_back(repository.fail(person.id, {}, service.clock().lock_time()));
    const auto failures = values_of(std::move(failing));
    EXPECT_EQ(std::ranges::count_if(failures, &PasswordFailure::is_first_lock), 1);
    EXPECT_EQ(checks(service, person), (std::vector<std::string>{"22", "0"}));
}

// The ways to give an account all its attempts back.
void unlock(Service& service, Person& person) {
    Administration& administration = service.app().services().administration;
    EXPECT_TRUE(run(administration.unlock({.actor = Actor::operator_at_the_machine(), .cause = {}}, person.id)));
}

void reactivate(Service& service, Person& person) {
    Administration& administration = service.app().services().administration;
    const Administrator by{.actor = Actor::operator_at_the_machine(), .cause = {}};
    EXPECT_TRUE(run(administration.set_status(by, person.id, UserStatus::inactive)));
    EXPECT_TRUE(run(administration.set_status(by, person.id, UserStatus::active)));
}

void reset_by_mail(Service& service, Person& person) {
    EXPECT_EQ(forget(service, person.email).status, 200U);
    EXPECT_EQ(reset(service, forgotten_token(service, person.email), new_password).status, 200U);
    person.password = new_password;
}

TEST(PWD_7, ChecksThatNeverEndedAreForgottenWithTheFailures) {
    // Regression: after a crash during five checks, these stayed behind. The first wrong password locked the account
    // for almost five minutes, and for fifteen seconds the right one got 503.
    Service& service = suite_service();
    for (const auto& give_back : {unlock, reactivate, reset_by_mail})
        for (const milliseconds rest : {milliseconds{0}, milliseconds{60'000}}) {
            Person person = service.make_person();
            put_under_way(service, person, 5, rest);
            give_back(service, person);
            EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
            EXPECT_EQ(service.log_in(person).status, 200U);
        }
}

TEST(PWD_6, AReservationOfAnInstanceWhoseClockIsALittleAheadCounts) {
    // Regression: clocks that differed by one millisecond let more checks run than the account had attempts left.
    Service& service = suite_service();
    const Person person = service.make_person();
    put_under_way(service, person, 5, seconds{61});
    EXPECT_EQ(service.log_in(person).status, 503U);
}

TEST(PWD_6, AReservationOfAClockThatWasPutBackHasEnded) {
    Service& service = suite_service();
    const Person person = service.make_person();
    put_under_way(service, person, 5, std::chrono::hours{1});
    EXPECT_EQ(service.log_in(person).status, 200U);
}

TEST(PWD_8, ChangesOfOnePasswordHashOneAfterTheOther) {
    // A comparison with former passwords costs a hash for each. Regression: concurrent changes of one account took
    // every thread.
    Service service({{"AUTH_PASSWORD_HASH_THREADS", "4"}});
    const Person person = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    const std::string id = person.id.text();
    for (int i = 0; i < 9; ++i)
        service.sql("INSERT INTO password_history (id, user_id, password_hash, type, created_at, expires_at) SELECT '" +
                    Uuid::v7(service.clock().now()).text() +
                    "', user_id, password_hash, type, created_at, expires_at FROM "
                    "password_history WHERE user_id = '" +
                    id + "' LIMIT 1");
    std::vector<Call> calls;
    for (int i = 0; i < 24; ++i)
        calls.push_back({"/api/shared/user/change-password",
                         {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-" + std::to_string(i)}},
                         bearer(tokens.access),
                         "PATCH"});
    const WorkerPool& pool = service.app().services().hash_pool;
    std::atomic<bool> done{false};
    std::size_t most = 0;
    std::jthread watch([&] {
        while (!done) most = std::max(most, pool.waiting());
    });
    const auto answers = all_at_once(service, calls);
    done = true;
    watch.join();
    EXPECT_LE(most, 4U) << "as many as the account's turns";
    EXPECT_EQ(count(answers, 200), 1U) << "and ends the session of all others";
}

Environment narrow_pool() { return {{"AUTH_PASSWORD_HASH_THREADS", "1"}, {"AUTH_PASSWORD_HASH_QUEUE_MAX", "1"}}; }

TEST(PWD_8, WhatThePoolCannotTakeIsAskedToComeAgain) {
    Service service(narrow_pool());
    {
        const FullPool full(service.app().services().hash_pool, 2);
        const auto answers = all_at_once(
            service, guesses(200, [&](std::size_t i) {
                return Call{login, credentials("stranger" + std::to_string(i) + "@example.org", wrong_password)};
            }));
        EXPECT_EQ(count(answers, 503, "serviceUnavailable"), 200U);
        for (const Answer& answer : answers) {
            const auto wait = answer.headers.find("retry-after");
            ASSERT_NE(wait, answer.headers.end());
            EXPECT_GE(std::stoi(wait->second), 1);
            EXPECT_EQ(std::to_string(answer.number("data.retryAfterSeconds")), wait->second);
        }
    }
    EXPECT_EQ(service.log_in("stranger1@example.org", wrong_password).status, 400U);
}

awaitable<bool> hold_guest_thread(WorkerPool& pool, std::latch& release) {
    const ClientNetwork guest = ClientNetwork::of(boost::asio::ip::make_address("192.0.2.1"));
    co_return co_await pool.run(
        [&release] {
            release.wait();
            return true;
        },
        guest);
}

TEST(PWD_8, AStormOfLoginsFromOneNetworkLeavesRoomForAnother) {
    // Regression: one address filled the queue, and all other clients were told to retry for as long as that lasted.
    Service service({{"AUTH_PASSWORD_HASH_THREADS", "1"}, {"AUTH_PASSWORD_HASH_QUEUE_MAX", "17"}});
    const Person person = service.make_person();
    WorkerPool& pool = service.app().services().hash_pool;
    std::optional<FullPool> busy(std::in_place, pool, 1);
    std::latch release{1};
    std::jthread guest([&] { run(hold_guest_thread(pool, release)); });
    while (pool.waiting() < 2) std::this_thread::yield();
    const std::uint64_t before = pool.refused();
    std::vector<Answer> storm;
    std::jthread sending([&] {
        storm = all_at_once(
            service, guesses(100, [&](std::size_t i) {
                return Call{login, credentials("stranger" + std::to_string(i) + "@example.org", wrong_password)};
            }));
    });
    while (pool.waiting() + pool.refused() - before < 102) std::this_thread::yield();
    const std::size_t taken = pool.waiting();
    EXPECT_LT(taken, pool.capacity());
    const std::uint64_t refused = pool.refused();
    std::vector<Answer> other;
    std::jthread owner([&] {
        Call call{login, credentials(person.email, person.password)};
        call.from = "127.0.0.2";
        other = all_at_once(service, {call});
    });
    while (pool.waiting() == taken && pool.refused() == refused) std::this_thread::yield();
    release.count_down();
    busy.reset();
    owner.join();
    EXPECT_EQ(other.at(0).status, 200U);
    sending.join();
    EXPECT_GE(count(storm, 503), 1U);
}

TEST(PWD_8, AnUnevaluatedAttemptIsNotCounted) {
    // Regression: each 503 for lack of a place in the pool counted as a wrong password, and five of them locked the
    // account of a user who had typed the right one.
    Service service(narrow_pool());
    const Person person = service.make_person();
    {
        const FullPool full(service.app().services().hash_pool, 2);
        for (int i = 0; i < 7; ++i) EXPECT_EQ(service.log_in(person).status, 503U);
        for (int i = 0; i < 7; ++i) EXPECT_EQ(service.log_in("nobody@example.org", wrong_password).status, 503U);
    }
    EXPECT_EQ(service.log_in("nobody@example.org", wrong_password).status, 400U);
    EXPECT_EQ(service.log_in(person).status, 200U);
}

TEST(PWD_8, WhatIsTooLongIsRefusedWithoutAHash) {
    Service service(narrow_pool());
    const Person person = service.make_person();
    const TokenTexts tokens = service.tokens_of(person);
    const FullPool full(service.app().services().hash_pool, 2);
    const std::string large(400'000, 'x');
    const Answer refused = service.log_in(person.email, large);
    EXPECT_EQ(refused.status, 422U);
    EXPECT_TRUE(refused.violates("password", "maxLength"));
    EXPECT_EQ(service
                  .patch("/api/shared/user/change-password",
                         {{"oldPassword", large}, {"newPassword", "Copper-Meadow-77"}}, bearer(tokens.access))
                  .status,
              422U);
    EXPECT_LT(refused.body.size(), 2'000U);
    EXPECT_EQ(service.sql("SELECT password_attempt FROM users WHERE email = '" + person.email + "'")[0][0], "0");
    // Requests that need no hash are still served.
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(tokens.access)).status, 200U);
}

// Needs a gibibyte.
constexpr const char* huge_hash =
    "$argon2id$v=19$m=1048576,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

// How many of these addresses without an account have their four failures forgotten within this time.
std::size_t forgotten_within(std::chrono::days time, std::string_view prefix, std::size_t addresses) {
    Service service;
    const auto email = [&](std::size_t i) { return std::string(prefix) + std::to_string(i) + "@example.org"; };
    for (std::size_t i = 0; i < addresses; ++i)
        for (int attempt = 0; attempt < 4; ++attempt) EXPECT_EQ(service.log_in(email(i), wrong_password).status, 400U);
    service.pass(time);
    std::size_t forgotten = 0;
    for (std::size_t i = 0; i < addresses; ++i) {
        EXPECT_EQ(service.log_in(email(i), wrong_password).status, 400U);
        const auto status = service.log_in(email(i), wrong_password).status;
        EXPECT_TRUE(status == 400 || status == 403);
        forgotten += status == 400 ? 1 : 0;
    }
    return forgotten;
}

TEST(PWD_1, FailuresAtUnknownAddressesAreForgottenAsIfSomeOwnersHadLoggedIn) {
    // Regression: only an account forgot failures, when its owner logged in, and so the lock told that it exists.
    constexpr std::size_t addresses = 80;
    const std::size_t in_a_day = forgotten_within(std::chrono::days{1}, "a", addresses);
    EXPECT_GE(in_a_day, addresses / 20) << "a quarter on average";
    EXPECT_LE(in_a_day, addresses / 2);
    const std::size_t in_a_month = forgotten_within(std::chrono::days{29}, "b", addresses);
    EXPECT_GE(in_a_month, addresses / 2) << "four fifths on average";
    EXPECT_LT(in_a_month, addresses) << "as there are accounts whose owner stays away";
}

TEST(PWD_1, AMadeUpOwnerLogsInOnlyWithoutALock) {
    Service& service = suite_service();
    PasswordRepository repository(service.app().services().database);
    const TimePoint begin = service.clock().lock_time();
    const LockLadder ladder;
    const auto attempt = [&](const crypto::Sha256& address, TimePoint now, TimePoint cleared) {
        EXPECT_TRUE(run(repository.reserve_unknown(address, ladder, now, cleared)));
        return run(repository.fail_unknown(address, ladder, now)).attempt;
    };
    const auto address = crypto::sha256("an address of this test");
    for (int i = 1; i <= 4; ++i) EXPECT_EQ(attempt(address, begin, begin), i);
    EXPECT_EQ(attempt(address, begin + seconds{2}, begin + seconds{1}), 1);
    EXPECT_EQ(attempt(address, begin + seconds{2}, begin + seconds{1}), 2) << "was tried since";
    for (int i = 3; i <= 5; ++i) EXPECT_EQ(attempt(address, begin + seconds{2}, begin), i);
    const TimePoint end = begin + seconds{2 + 240};
    EXPECT_FALSE(run(repository.reserve_unknown(address, ladder, end - seconds{1}, end - seconds{2})));
    EXPECT_EQ(attempt(address, end, end - seconds{1}), 6) << "the lock kept the owner out";
    const TimePoint later = end + seconds{276};
    EXPECT_EQ(attempt(address, later + seconds{1}, later), 1);
}

TEST(PWD_6, ACheckThatFailsInTheServiceIsNoGuess) {
    Service service;
    const Person person = service.make_person();
    const std::string of_person = " WHERE email = '" + person.email + "'";
    const std::string hash = one(service, "SELECT password_hash FROM users" + of_person);
    const LittleMemory little;
    service.sql("UPDATE users SET password_hash = '" + std::string(huge_hash) + "'" + of_person);
    for (int attempt = 1; attempt <= 4; ++attempt) EXPECT_EQ(service.log_in(person).status, 500U);
    service.sql("UPDATE users SET password_hash = '" + hash + "'" + of_person);
    service.pass(std::chrono::seconds{16});  // longer than the lease of a reservation
    EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    EXPECT_EQ(one(service, "SELECT password_attempt FROM users" + of_person), "1");
    EXPECT_EQ(service.log_in(person).status, 200U);
}

awaitable<void> guess_unknown(Passwords& passwords) {
    static_cast<void>(co_await passwords.check(std::nullopt, "nobody@example.org", wrong_password, {}));
}

TEST(PWD_6, ACheckOfAnUnknownAddressThatFailsInTheServiceIsNoGuess) {
    Service service;
    Services& real = service.app().services();
    PasswordHasher huge(real.hash_pool, {.memory_kib = 1'048'576, .passes = 1});
    PasswordSettings settings;
    settings.address_key = "of this test";
    Passwords passwords(real.database, real.clock, huge, real.two_factor, real.consents, real.mails, real.audit,
                        settings);
    const LittleMemory little;
    for (int attempt = 1; attempt <= 4; ++attempt) EXPECT_THROW(run(guess_unknown(passwords)), std::runtime_error);
    EXPECT_EQ(service.sql("SELECT attempt, pending FROM unknown_logins"),
              (std::vector<std::vector<std::string>>{{"0", "0"}}));
}

}  // namespace
}  // namespace consentry::tests
