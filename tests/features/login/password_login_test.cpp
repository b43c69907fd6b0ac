// Tests logins with a password: what a stranger can learn from them, and how often anyone may guess.
#include <cmath>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

constexpr const char* login_a = "/api/user/login/credential";
constexpr const char* login_b = "/api/v1/public/user/login/credential";

void expect_password_lock(const Answer& answer, std::int64_t seconds) {
    expect_lock(answer, 403, "passwordAttemptMax", seconds);
}

TEST(PWD_1, ARightPasswordStartsOneSessionAndRecordsTheLogin) {
    Service& service = suite_service();
    const Person person = service.make_person();
    EXPECT_EQ(service.log_in(person).status, 200U);
    using Rows = std::vector<std::vector<std::string>>;
    EXPECT_EQ(service.sql("SELECT login_with, login_from, ip_address FROM sessions WHERE user_id = '" +
                          person.id.text() + "'"),
              (Rows{{"credential", "website", "127.0.0.1"}}));
    EXPECT_EQ(service.sql("SELECT last_login_at, last_login_with, last_login_from, last_ip_address FROM users "
                          "WHERE id = '" +
                          person.id.text() + "'"),
              (Rows{{std::to_string(epoch_ms(service.clock().now())), "credential", "website", "127.0.0.1"}}));
}

TEST(PWD_1, UnknownWrongAndWithoutPasswordAreOneAnswerUpToAndIntoTheLock) {
    Service& service = suite_service();
    const Person known = person_named(service, "known@example.org");
    const Person without = person_named(service, "nopwd@example.org");
    service.sql("UPDATE users SET password_hash = NULL WHERE email = '" + without.email + "'");
    for (int attempt = 1; attempt <= 7; ++attempt) {
        const Answer wrong = service.log_in(known.email, "Wrong-Harbor-42");
        EXPECT_EQ(wrong.status, attempt <= 5 ? 400U : 403U);
        EXPECT_EQ(wrong.code_name(), attempt <= 5 ? "passwordNotMatch" : "passwordAttemptMax");
        const std::string answer = comparable(wrong);
        EXPECT_EQ(comparable(service.log_in("stranger@example.org", "Wrong-Harbor-42")), answer) << attempt;
        EXPECT_EQ(comparable(service.log_in(without.email, "Wrong-Harbor-42")), answer) << attempt;
    }
}

TEST(PWD_1, UnknownWrongAndWithoutPasswordCostAHashEach) {
    Service service({{"AUTH_PASSWORD_HASH_THREADS", "1"}, {"AUTH_PASSWORD_HASH_QUEUE_MAX", "1"}});
    const Person known = person_named(service, "known@example.org");
    const Person without = person_named(service, "nopwd@example.org");
    service.sql("UPDATE users SET password_hash = NULL WHERE email = '" + without.email + "'");
    // With the pool full, every login that needs a hash is refused. A login that skipped the hash would stand out.
    const FullPool full(service.app().services().hash_pool, 2);
    const Answer answer = service.log_in(known.email, "Wrong-Harbor-42");
    EXPECT_EQ(answer.status, 503U);
    EXPECT_EQ(comparable(service.log_in("stranger@example.org", "Wrong-Harbor-42")), comparable(answer));
    EXPECT_EQ(comparable(service.log_in(without.email, "Wrong-Harbor-42")), comparable(answer));
}

TEST(PWD_1, TheStateOfAnAccountShowsOnlyAfterTheRightPassword) {
    Service& service = suite_service();
    for (const auto& [change, name, session] : unusable_states) {
        const Person person = service.make_person();
        service.sql(std::string("UPDATE users SET ") + change + " WHERE email = '" + person.email + "'");
        const Answer wrong = service.log_in(person.email, "Wrong-Harbor-42");
        EXPECT_EQ(wrong.status, 400U) << name;
        EXPECT_EQ(wrong.code_name(), "passwordNotMatch") << name;
        const Answer right = service.log_in(person);
        EXPECT_EQ(right.status, 403U) << name;
        EXPECT_EQ(right.code_name(), name);
    }
}

struct Imported {
    const char* name;
    const char* password;
    const char* stored;
};
// Published vectors, as in src/crypto/password_hash_test.cpp.
constexpr Imported imported[] = {
    {"bcrypt", "U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"},
    {"scrypt", "password", "$scrypt$ln=4,r=1,p=1$TmFDbA$rsa3SD7SbgiAK0H0AyCGoOiGvnrEj8/ZL/DO+BCXUvQ"},
    {"pbkdf2", "password", "$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44"},
    {"argon2id of other costs", "password",
     "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"}};

std::string give_hash(const Service& service, const Person& person, const char* stored) {
    service.sql(std::string("UPDATE users SET password_hash = '") + stored + "' WHERE email = '" + person.email + "'");
    return stored;
}
std::string hash_of(const Service& service, const Person& person) {
    return service.sql("SELECT password_hash FROM users WHERE email = '" + person.email + "'").at(0).at(0);
}

TEST(PWD_2, ImportedHashesLogInAndAreRewritten) {
    // Failed logins take longer from now on, as long as the slowest of these hashes.
    Service service({{"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "9216"}});
    for (const Imported& row : imported) {
        const Person person = service.make_person();
        give_hash(service, person, row.stored);
        EXPECT_EQ(service.log_in(person.email, std::string(row.password) + "x").status, 400U) << row.name;
        EXPECT_EQ(hash_of(service, person), row.stored) << "a wrong password rewrites nothing";
        EXPECT_EQ(service.log_in(person.email, row.password).status, 200U) << row.name;
        EXPECT_TRUE(hash_of(service, person).starts_with("$argon2id$v=19$m=9216,t=1,p=1$")) << row.name;
        EXPECT_EQ(service.log_in(person.email, row.password).status, 200U) << row.name << ", rewritten";
        EXPECT_EQ(service.log_in(person.email, std::string(row.password) + "x").status, 400U) << row.name;
    }
}

TEST(PWD_2, ALoginOutlivesAFailingRewrite) {
    Service service;
    const Person person = service.make_person();
    give_hash(service, person, imported[0].stored);
    service.break_writes("UPDATE OF password_hash ON users");
    EXPECT_EQ(service.log_in(person.email, imported[0].password).status, 200U);
    EXPECT_EQ(hash_of(service, person), imported[0].stored);
    service.mend_writes();
    EXPECT_EQ(service.log_in(person.email, imported[0].password).status, 200U);
    EXPECT_TRUE(hash_of(service, person).starts_with("$argon2id$"));
}

TEST(PWD_2, EveryByteOfALongPasswordCounts) {
    std::string first = "Kv9";
    for (int i = 0; i < 46; ++i) first += "\xF0\x9F\x94\x91";
    std::string second = first;
    first += "\xF0\x9F\x94\x91";
    second += "\xF0\x9F\x94\x92";  // fifty characters that share far more than the first 72 bytes
    Service& service = suite_service();
    const Person person = service.make_person(Role::user, first);
    EXPECT_EQ(service.log_in(person.email, second).status, 400U);
    EXPECT_EQ(service.log_in(person.email, first.substr(0, 75)).status, 400U);
    EXPECT_EQ(service.log_in(person.email, first).status, 200U);
}

TEST(PWD_2, WhatFollowsANulIsNotCutOff) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const std::string body =
        R"({"email":")" + person.email + R"(","password":")" + person.password + R"(\u0000x","from":"website"})";
    const Answer refused = service.call("POST", login_a, body);
    EXPECT_EQ(refused.status, 422U) << "rather than cut";
    EXPECT_TRUE(refused.violates("password", "isString"));
}

TEST(PWD_6, RightPasswordsDuringAnOutageDoNotLockTheOwnerOut) {
    Service service;
    const Person person = service.make_person();
    Person careful = service.make_person();
    service.turn_two_factor_on(careful);
    service.sql("UPDATE users SET password_attempt = 3");
    for (const char* writes : {"INSERT ON sessions", "INSERT ON activity_log", "UPDATE OF challenge_seq ON users"}) {
        service.break_writes(writes);
        const Person& owner = std::string_view(writes).starts_with("UPDATE") ? careful : person;
        for (int i = 0; i < 6; ++i) EXPECT_EQ(service.log_in(owner).status, 503U) << writes;
        service.mend_writes();
        EXPECT_EQ(service.log_in(owner).status, 200U) << writes;
    }
}

TEST(PWD_6, OneCounterForAllSpellingsRoutesAndHeaders) {
    Service& service = suite_service();
    const Person person = person_named(service, "ada@example.org");
    const std::string spellings[] = {"ada@example.org", "ADA@example.org", "Ada@EXAMPLE.org", "aDa@Example.Org",
                                     "ada@exampLE.ORG"};
    int attempt = 0;
    for (const std::string& email : spellings) {
        const std::string number = std::to_string(attempt);
        const Answer wrong = service.post(attempt % 2 == 0 ? login_a : login_b, credentials(email, "Wrong-Harbor-42"),
                                          {{"X-Forwarded-For", "203.0.113." + number}, {"User-Agent", "a" + number}});
        EXPECT_EQ(wrong.status, 400U) << email;
        ++attempt;
    }
    expect_password_lock(service.log_in(person), 240);
    expect_password_lock(service.post(login_b, credentials("ADA@EXAMPLE.ORG", person.password)), 240);
}

TEST(PWD_6, AnUnknownAddressLocksTheSameWay) {
    Service& service = suite_service();
    for (const char* email :
         {"nobody.here@example.org", "NOBODY.HERE@example.org", "nobody.here@EXAMPLE.ORG", "Nobody.Here@example.org"})
        EXPECT_EQ(service.log_in(email, "Wrong-Harbor-42").status, 400U);
    EXPECT_EQ(service.log_in("nobody.here@example.org", "Wrong-Harbor-42").status, 400U);
    expect_password_lock(service.log_in("nobOdy.here@example.org", "Wrong-Harbor-42"), 240);
    service.clock().advance(seconds{240});
    EXPECT_EQ(service.log_in("nobody.here@example.org", "Wrong-Harbor-42").status, 400U);
    expect_password_lock(service.log_in("nobody.here@example.org", "Wrong-Harbor-42"), 276);
    for (const auto& row : service.sql("SELECT hex(address_digest), attempt FROM unknown_logins"))
        EXPECT_FALSE(row[0].contains("6E6F626F6479")) << "kept as a digest only";
}

TEST(PWD_6, TheCountSurvivesARestart) {
    Service service;
    const Person person = service.make_person();
    for (int i = 0; i < 4; ++i) service.log_in(person.email, "Wrong-Harbor-42");
    service.restart();
    EXPECT_EQ(service.log_in(person.email, "Wrong-Harbor-42").status, 400U);
    service.restart();
    expect_password_lock(service.log_in(person), 240);
}

TEST(PWD_7, ALockIsShortAndLeavesLiveSessionsAlone) {
    Service& service = suite_service();
    const Person owner = service.make_person();
    const TokenTexts live = service.tokens_of(owner);
    for (int i = 0; i < 50; ++i) service.log_in(owner.email, "Wrong-Harbor-42");
    EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(live.access)).status, 200U);
    EXPECT_EQ(service.post("/api/shared/user/refresh", {}, bearer(live.refresh)).status, 200U);
    service.clock().advance(milliseconds{239'999});
    expect_password_lock(service.log_in(owner), 1);
    service.clock().advance(milliseconds{1});
    EXPECT_EQ(service.log_in(owner).status, 200U) << "attempts during the lock do not prolong it";
    EXPECT_EQ(service.sql("SELECT status FROM users WHERE email = '" + owner.email + "'")[0][0], "active");
}

TEST(PWD_7, SuccessClearsTheCountAndFailureAfterALockLengthensTheNext) {
    Service& service = suite_service();
    const Person owner = service.make_person();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4; ++i) EXPECT_EQ(service.log_in(owner.email, "Wrong-Harbor-42").status, 400U);
        EXPECT_EQ(service.log_in(owner).status, 200U) << round;
    }
    for (int i = 0; i < 5; ++i) service.log_in(owner.email, "Wrong-Harbor-42");
    for (const std::int64_t wait : {240, 276, 317, 364}) {
        expect_password_lock(service.log_in(owner.email, "Wrong-Harbor-42"), wait);
        service.clock().advance(seconds{wait});
        EXPECT_EQ(service.log_in(owner.email, "Wrong-Harbor-42").status, 400U);
    }
}

// A stranger who waits for the end of every lock, which takes a working day, buys a lock of about an hour. Meanwhile
// the owner's sessions live, and the mailed link opens the account.
TEST(PWD_7, AfterTwentyLocksTheOwnersSessionLivesAndAMailedLinkLiftsTheLock) {
    Service& service = suite_service();
    const Person owner = service.make_person();
    const std::string nobody = "nobody.climbs@example.org";
    TokenTexts live = service.tokens_of(owner);
    for (int i = 0; i < 4; ++i)
        for (const std::string& address : {owner.email, nobody})
            EXPECT_EQ(service.log_in(address, "Wrong-Harbor-42").status, 400U);
    std::int64_t wait = 0;
    for (int attempt = 5; attempt < 25; ++attempt) {
        SCOPED_TRACE(attempt);
        service.clock().advance(seconds{wait});
        wait = static_cast<std::int64_t>(std::ceil(std::exp2(attempt / 5.0) * 120));
        for (const std::string& address : {owner.email, nobody}) {
            EXPECT_EQ(service.log_in(address, "Wrong-Harbor-42").status, 400U);
            expect_password_lock(service.log_in(address, "Wrong-Harbor-42"), wait);
        }
        const Answer refreshed = service.post("/api/shared/user/refresh", {}, bearer(live.refresh));
        ASSERT_EQ(refreshed.status, 200U);
        live = {.access = refreshed.text("data.accessToken"), .refresh = refreshed.text("data.refreshToken")};
        EXPECT_EQ(service.get("/api/shared/user/2fa/status", bearer(live.access)).status, 200U);
    }
    EXPECT_EQ(wait, 3'343);
    forget(service, owner.email);
    ASSERT_EQ(reset(service, forgotten_token(service, owner.email), new_password).status, 200U);
    EXPECT_EQ(service.log_in(owner.email, new_password).status, 200U);
}

TEST(PWD_7, ALockWithTwoFactorOnEndsAtTheRightPasswordToo) {
    Service& service = suite_service();
    Person owner = service.make_person();
    service.turn_two_factor_on(owner);
    for (int i = 0; i < 4; ++i) service.log_in(owner.email, "Wrong-Harbor-42");
    EXPECT_EQ(service.log_in(owner).status, 200U);
    EXPECT_EQ(service.log_in(owner.email, "Wrong-Harbor-42").status, 400U);
    EXPECT_EQ(service.log_in(owner).status, 200U) << "the first factor was right: its count is cleared";
}

TEST(FLT_4, ALockNoticeWhoseCommitWasNotAnsweredIsWrittenOnce) {
    Service service({{"MAIL_URL", "smtp://127.0.0.1:9"}});  // the mails stay in the table
    const Person person = service.make_person();
    Services& real = service.app().services();
    int commits = 0;
    FaultyDatabase lossy(
        real.database, [](std::string_view) {},
        [&] {
            if (++commits == 1) throw storage::OutcomeUnknown("injected fault");
        });
    LockNotices notices(lossy, real.clock, real.mails);
    notices.add(person.id, {});
    run(notices.work_off());
    EXPECT_EQ(commits, 2);
    EXPECT_EQ(one(service, "SELECT count(*) FROM mails WHERE kind = 'passwordLocked'"), "1");
    EXPECT_EQ(one(service, "SELECT count(*) FROM activity_log WHERE action = 'userReachMaxPasswordAttempt'"), "1");
}

}  // namespace
}  // namespace consentry::tests
