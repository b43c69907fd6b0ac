// Tests that the duration of a failed login reveals neither whose address it was nor which program made the hash
// (PWD-1).
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/little_memory.hpp"
#include "tests/support/mailbox.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

constexpr const char* bcrypt_hash = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

void give_hash(const Service& service, const Person& person, std::string_view hash) {
    service.sql("UPDATE users SET password_hash = '" + std::string(hash) + "' WHERE email = '" + person.email + "'");
}

// A kind whose hashes need a gibibyte each.
constexpr const char* huge_kind = "$argon2id$v=19$m=1048576,t=1,p=1$";

TEST(PWD_1, FailuresAreAnsweredAtTheSameMomentWhileHashesOfSeveralKindsExist) {
    Service service;
    const Person ours = service.make_person();
    const Person imported = service.make_person();
    const Person without = service.make_person();
    FailureFloor& floor = service.app().services().passwords.failure_floor();
    EXPECT_EQ(service.log_in(ours.email, wrong_password).status, 400U);
    EXPECT_EQ(floor.held_back(), 0U) << "all hashes cost the same";

    give_hash(service, imported, bcrypt_hash);
    service.sql("UPDATE users SET password_hash = NULL WHERE email = '" + without.email + "'");
    // The failure that reveals the new kind is itself the first to be held back.
    EXPECT_EQ(service.log_in(imported.email, wrong_password).status, 400U);
    EXPECT_EQ(floor.held_back(), 1U);
    EXPECT_GT(floor.floor().count(), 0);
    std::uint64_t held_back = 1;
    for (const std::string& email : {ours.email, imported.email, without.email, std::string("nobody@example.org")}) {
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(service.log_in(email, wrong_password).status, 400U) << email;
        EXPECT_GE(std::chrono::steady_clock::now() - begin, floor.floor()) << email;
        EXPECT_EQ(floor.held_back(), ++held_back) << email;
    }
    EXPECT_EQ(service.log_in(ours).status, 200U);
    EXPECT_EQ(floor.held_back(), held_back) << "who logs in does not wait";
}

TEST(PWD_1, AnInstanceKnowsTheKindsOfAllAndForgetsThoseThatNobodyHas) {
    Service service;
    const Person imported = service.make_person();
    give_hash(service, imported, bcrypt_hash);
    EXPECT_EQ(service.log_in(imported.email, wrong_password).status, 400U);
    service.restart();
    const auto floor = [&]() -> FailureFloor& { return service.app().services().passwords.failure_floor(); };
    EXPECT_EQ(service.log_in("nobody@example.org", wrong_password).status, 400U);
    EXPECT_EQ(floor().held_back(), 1U) << "before anybody tried an imported account";

    EXPECT_EQ(service.log_in(imported.email, "U*U").status, 200U) << "its hash is one of ours now";
    run(service.app().services().clean_up());
    EXPECT_EQ(service.sql("SELECT kind FROM password_kinds").size(), 1U) << "an import may be under way";
    service.pass(std::chrono::days{2});
    run(service.app().services().clean_up());
    EXPECT_TRUE(service.sql("SELECT kind FROM password_kinds").empty());
    EXPECT_EQ(service.log_in("nobody@example.org", wrong_password).status, 400U);
    EXPECT_EQ(floor().held_back(), 1U);
}

TEST(PWD_1, AKindThatAnAccountStillHasIsKept) {
    Service service;
    const Person imported = service.make_person();
    give_hash(service, imported, bcrypt_hash);
    EXPECT_EQ(service.log_in(imported.email, wrong_password).status, 400U);
    service.pass(std::chrono::days{2});
    run(service.app().services().clean_up());
    EXPECT_EQ(service.sql("SELECT kind FROM password_kinds"), (std::vector<std::vector<std::string>>{{"$2b$05$"}}));
}

TEST(PWD_1, AKindThatCannotBeComputedFailsNoLogin) {
    Service service;
    const std::string seen_at = ", " + std::to_string(service.clock().now().time_since_epoch().count()) + ")";
    service.sql("INSERT INTO password_kinds (kind, seen_at) VALUES ('" + std::string(huge_kind) + "'" + seen_at);
    service.sql("INSERT INTO password_kinds (kind, seen_at) VALUES ('$2b$05$'" + seen_at);
    FailureFloor& floor = service.app().services().passwords.failure_floor();
    const LittleMemory little;
    ::testing::internal::CaptureStderr();
    for (std::uint64_t attempt = 1; attempt <= 3; ++attempt) {
        const Answer answer = service.log_in("nobody@example.org", wrong_password);
        EXPECT_EQ(answer.status, 400U) << answer.body;
        EXPECT_EQ(floor.held_back(), attempt) << "as long as the other kind takes";
        floor.look_again();
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, ::testing::HasSubstr(huge_kind));
    EXPECT_EQ(said.find(huge_kind), said.rfind(huge_kind)) << "said once: " << said;
}

TEST(PWD_1, HashesThatBeginAlikeAreOfSeveralKindsIfTheirCostsDiffer) {
    Service service;
    const Person keycloak = service.make_person();
    const Person django = service.make_person();
    const auto kinds = [&] {
        std::set<std::string> out;
        for (const auto& row : service.sql("SELECT kind FROM password_kinds")) out.insert(row.front());
        return out;
    };
    const std::string long_hash(86, 'A');  // 64 bytes, which cost twice as much as 32
    give_hash(service, keycloak, "$pbkdf2-sha256$i=1000$c2FsdA$" + long_hash);
    give_hash(service, django, "scrypt$16$seasalt$8$5$" + long_hash + "==");
    // An earlier version wrote these, as if the costs were those of most hashes that begin so.
    for (const char* former : {"$pbkdf2-sha256$i=1000$", "scrypt$16$"})
        service.sql("INSERT INTO password_kinds (kind, seen_at) VALUES ('" + std::string(former) + "', 1)");
    for (const Person& imported : {keycloak, django})
        EXPECT_EQ(service.log_in(imported.email, wrong_password).status, 400U);
    const std::set<std::string> all{"$pbkdf2-sha256$i=1000$", "$pbkdf2-sha256$i=1000$~64", "scrypt$16$",
                                    "scrypt$16$~8$5"};
    EXPECT_EQ(kinds(), all);
    service.pass(std::chrono::days{2});
    run(service.app().services().clean_up());
    EXPECT_EQ(kinds(), all) << "in use";
    for (const Person& imported : {keycloak, django}) give_hash(service, imported, bcrypt_hash);
    run(service.app().services().clean_up());
    EXPECT_TRUE(kinds().empty());
}

awaitable<bool> is_right(Passwords& passwords, std::optional<User> user, std::string email) {
    const auto checked = co_await passwords.check(std::move(user), std::move(email), wrong_password, {});
    co_return checked.has_value();
}

// Compares the database calls of every failure up to and into the lock.
TEST(PWD_1, EachFailureIsTheSameWorkForAnAccountAndForNobody) {
    Service service;
    const Person person = service.make_person();
    Services& real = service.app().services();
    std::vector<std::string> calls;
    FaultyDatabase counting(real.database, [&](std::string_view call) { calls.emplace_back(call); });
    PasswordSettings settings;
    settings.address_key = "of this test";
    Passwords passwords(counting, real.clock, real.hasher, real.two_factor, real.consents, real.mails, real.audit,
                        settings);
    const auto calls_of = [&](std::optional<User> user, const std::string& email) {
        calls.clear();
        EXPECT_FALSE(run(is_right(passwords, std::move(user), email)));
        return std::exchange(calls, {});
    };
    calls_of(std::nullopt, "first@example.org");  // loads the kinds of hashes
    for (int attempt = 1; attempt <= 7; ++attempt)
        EXPECT_EQ(calls_of(run(real.users.find(person.id)), person.email), calls_of(std::nullopt, "nobody@example.org"))
            << "attempt " << attempt;
    const auto entries = [&] {
        return one(service, "SELECT count(*) FROM activity_log WHERE action = 'userReachMaxPasswordAttempt'");
    };
    EXPECT_EQ(entries(), "0") << "nobody waited for the owner's notice";
    run(passwords.lock_notices().work_off());
    EXPECT_EQ(entries(), "1");
    EXPECT_FALSE(Mailbox(service).wait_for(person.email, "passwordLocked").text.empty());
    run(passwords.lock_notices().work_off());
    EXPECT_EQ(entries(), "1") << "told once";
}

TEST(PWD_1, ANoticeThatAnOutagePreventsIsWrittenLater) {
    Service service;
    const Person person = service.make_person();
    service.break_writes("INSERT ON activity_log");
    for (int i = 0; i < 5; ++i) EXPECT_EQ(service.log_in(person.email, wrong_password).status, 400U);
    expect_lock(service.log_in(person), 403, "passwordAttemptMax", 240);
    service.mend_writes();
    EXPECT_FALSE(Mailbox(service).wait_for(person.email, "passwordLocked").text.empty());
}

TEST(PWD_1, ANoticeThatAlwaysFailsHoldsUpNoOther) {
    Service service;
    const Person unlucky = service.make_person();
    const Person person = service.make_person();
    service.break_writes("INSERT ON activity_log FOR EACH ROW WHEN NEW.user_id = '" + unlucky.id.text() + "'");
    for (const Person& locked : {unlucky, person})
        for (int i = 0; i < 5; ++i) EXPECT_EQ(service.log_in(locked.email, wrong_password).status, 400U);
    EXPECT_FALSE(Mailbox(service).wait_for(person.email, "passwordLocked").text.empty());
    service.mend_writes();
    EXPECT_FALSE(Mailbox(service).wait_for(unlucky.email, "passwordLocked").text.empty());
}

}  // namespace
}  // namespace consentry::tests
