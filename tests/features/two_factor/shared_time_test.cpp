// Tests two instances on one database, one of them on a machine whose clock is an hour ahead.
#include <array>
#include <atomic>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "app/config/read_config.hpp"
#include "crypto/totp.hpp"
#include "tests/support/base32.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"

namespace consentry::tests {
namespace {

using std::chrono::hours;

// The clock of this machine with an error, which the test can advance.
class WrongClock final : public Clock {
public:
    explicit WrongClock(milliseconds wrong) : wrong_ms_(wrong.count()) {}
    TimePoint now() const override { return machine_.now() + milliseconds{wrong_ms_.load()}; }
    TimePoint lock_time() const override { return machine_.lock_time() + milliseconds{wrong_ms_.load()}; }
    void advance(milliseconds by) { wrong_ms_ += by.count(); }

private:
    SystemClock machine_;
    std::atomic<std::int64_t> wrong_ms_;
};

struct Instance {
    Instance(const Config& config, milliseconds wrong) : clock(wrong), app(config, clock) { app.start(hours{1}); }

    Answer post(const std::string& path, const json::object& body, const Headers& headers = {}) const {
        return HttpClient(app.port()).post(path, body, headers);
    }
    Answer log_in(const std::string& email, std::string_view password = right_password) const {
        return post("/api/public/user/login/credential", credentials(email, std::string(password)));
    }
    // Logs in up to the challenge and answers it with the backup code.
    Answer log_in_with_backup_code(const std::string& email, const std::string& code) const {
        const std::string challenge = log_in(email).text("data.challengeToken");
        return post("/api/public/user/login/2fa/verify", {{"challengeToken", challenge}, {"backupCode", code}});
    }

    WrongClock clock;
    App app;
};

class TwoInstances {
public:
    const Instance& one() const { return one_; }
    const Instance& ahead() const { return ahead_; }
    void pass(milliseconds time) {
        one_.clock.advance(time);
        ahead_.clock.advance(time);
    }
    void make_person(const std::string& email) {
        User user;
        user.email = email;
        user.role_id = built_in_role(Role::user);
        user.is_verified = true;
        ASSERT_TRUE(run(one_.app.services().passwords.create(std::move(user), right_password)).has_value());
    }
    // Returns the backup codes.
    std::vector<std::string> turn_two_factor_on(const std::string& email) {
        const Headers signed_in = bearer(one_.log_in(email).text("data.tokens.accessToken"));
        const Answer setup = one_.post("/api/shared/user/2fa/setup", {}, signed_in);
        const auto secret = from_base32(setup.text("data.secret"));
        const auto step = static_cast<std::uint64_t>(crypto::totp_step(one_.clock.now(), {}));
        const Answer enabled =
            one_.post("/api/shared/user/2fa/enable", {{"code", crypto::hotp(secret, step, 6)}}, signed_in);
        EXPECT_EQ(enabled.status, 200U) << enabled.body;
        std::vector<std::string> codes;
        for (const auto& code : enabled.json.at("data").at("backupCodes").as_array())
            codes.emplace_back(code.as_string());
        return codes;
    }

private:
    PostgresSchema schema_;
    TempFolder folder_;
    Config config_ = read_config(test_settings(folder_.path(), {{"HTTP_THREADS", "1"},
                                                                {"DATABASE_URL", schema_.patient_url()},
                                                                {"DATABASE_TIMEOUT", "25s"},
                                                                {"CACHE_URL", shared_redis_url()},
                                                                {"CACHE_TIMEOUT", "10s"},
                                                                {"CACHE_NAMESPACE", fresh_namespace()}}))
                         .value();
    Instance one_{config_, milliseconds{0}};
    Instance ahead_{config_, hours{1}};
};

// Expects that one instance, the other, and the first again answered with the same lock.
void expect_one_lock(const std::array<Answer, 3>& answers, unsigned status, std::string_view name) {
    std::array<std::int64_t, 3> left{};
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_EQ(answers.at(i).status, status) << "asked for the " << i << ". time: " << answers.at(i).body;
        EXPECT_EQ(answers.at(i).code_name(), name);
        left.at(i) = answers.at(i).number("data.retryAfterSeconds");
    }
    constexpr std::int64_t inaccuracy = 2;  // in case the machine stood still while it asked for the time
    EXPECT_LE(left[0], 240);
    EXPECT_LE(left[1], left[0] + inaccuracy);
    EXPECT_GE(left[1], left[2] - inaccuracy);
}

constexpr milliseconds longer_than_the_lock = seconds{250};

TEST(RAC_6, InstancesWhoseClocksDifferAgreeOnTheEndOfALockOfPasswords) {
    TwoInstances two;
    ASSERT_NO_FATAL_FAILURE(two.make_person("ada@example.org"));
    const auto lock = [&](const Instance& first, const Instance& other, const std::string& email) {
        for (int i = 0; i < 5; ++i) EXPECT_EQ(first.log_in(email, "Wrong-Harbor-42").status, 400U);
        expect_one_lock({first.log_in(email), other.log_in(email), first.log_in(email)}, 403, "passwordAttemptMax");
    };
    lock(two.one(), two.ahead(), "ada@example.org");
    lock(two.one(), two.ahead(), "nobody@example.org");
    two.pass(longer_than_the_lock);
    EXPECT_EQ(two.ahead().log_in("ada@example.org").status, 200U);
    EXPECT_EQ(two.ahead().log_in("nobody@example.org").status, 400U);

    lock(two.ahead(), two.one(), "ada@example.org");
    lock(two.ahead(), two.one(), "nobody.else@example.org");
    two.pass(longer_than_the_lock);
    EXPECT_EQ(two.one().log_in("ada@example.org").status, 200U);
    EXPECT_EQ(two.one().log_in("nobody.else@example.org").status, 400U);
}

TEST(RAC_6, InstancesWhoseClocksDifferAgreeOnTheEndOfALockOfTheSecondFactor) {
    TwoInstances two;
    const std::string ada = "ada@example.org";
    ASSERT_NO_FATAL_FAILURE(two.make_person(ada));
    const auto codes = two.turn_two_factor_on(ada);
    ASSERT_EQ(codes.size(), 8U);
    const auto lock = [&](const Instance& first, const Instance& other) {
        for (int i = 0; i < 5; ++i) EXPECT_EQ(first.log_in_with_backup_code(ada, wrong_backup_code).status, 401U);
        expect_one_lock({first.log_in_with_backup_code(ada, codes[0]), other.log_in_with_backup_code(ada, codes[0]),
                         first.log_in_with_backup_code(ada, codes[0])},
                        429, "twoFactorAttemptTemporaryLock");
    };
    lock(two.one(), two.ahead());
    two.pass(longer_than_the_lock);
    EXPECT_EQ(two.ahead().log_in_with_backup_code(ada, codes[1]).status, 200U);

    lock(two.ahead(), two.one());
    two.pass(longer_than_the_lock);
    EXPECT_EQ(two.one().log_in_with_backup_code(ada, codes[2]).status, 200U);
}

}  // namespace
}  // namespace consentry::tests
