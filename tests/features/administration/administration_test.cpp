// Tests what administrators can and cannot do to the accounts of others.
#include <algorithm>
#include <fstream>
#include <utility>

#include "app/app.hpp"
#include "base/errors.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/run.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

const Abilities user_manager{{"user", {"read", "create", "update"}}};
constexpr const char* new_address = "grace@example.org";

std::string user_path(const Person& person, const std::string& what) {
    return "user/update/" + person.id.text() + "/" + what;
}

struct Office : Staff {
    using Staff::Staff;

    Answer set_status(const std::string& token, const Person& person, const std::string& status) const {
        return call(token, "PATCH", user_path(person, "status"), {{"status", status}});
    }
    Answer set_role(const std::string& token, const Person& person, const std::string& role) const {
        return call(token, "PUT", user_path(person, "role"), {{"roleId", role}});
    }
    Answer give_password(const std::string& token, const Person& person) const {
        return call(token, "PUT", user_path(person, "password"));
    }
    Answer create_user(const std::string& token, json::object body) const {
        return call(token, "POST", "user/create", body);
    }
    Answer profile(const std::string& access) const {
        return service.get("/api/shared/user/2fa/status", bearer(access));
    }
    std::string column(const Person& person, const std::string& name) const {
        return service.sql("SELECT " + name + " FROM users WHERE id = '" + person.id.text() + "'").at(0).at(0);
    }
    std::size_t entries(const Person& person, const std::string& action) const {
        return service
            .sql("SELECT id FROM activity_log WHERE user_id = '" + person.id.text() + "' AND action = '" + action + "'")
            .size();
    }
    const std::string boss = service.tokens_of(service.make_person(Role::admin)).access;
};

TEST(AUT_4, AStatusActsAtTheNextRequest) {
    Office office(suite_service());
    for (const char* status : {"inactive", "blocked"}) {
        const Person person = office.service.make_person();
        const TokenTexts tokens = office.service.tokens_of(person);
        ASSERT_EQ(office.profile(tokens.access).status, 200U);
        const Answer changed = office.set_status(office.boss, person, status);
        EXPECT_EQ(changed.status, 200U) << changed.body;
        EXPECT_EQ(office.profile(tokens.access).status, 401U) << status;
        EXPECT_EQ(office.service.call("POST", "/api/shared/user/refresh", {}, bearer(tokens.refresh)).status, 401U);
        EXPECT_EQ(office.service.log_in(person).status, 403U) << status;
        EXPECT_EQ(office.entries(person, status == std::string_view("blocked") ? "userBlocked" : "userUpdateStatus"),
                  1U);
    }
}

TEST(AUT_4, WhoeverIsLetInAgainBeginsAnew) {
    Office office(suite_service());
    const Person person = office.service.make_person();
    const TokenTexts before = office.service.tokens_of(person);
    EXPECT_EQ(office.service.log_in(person.email, "Wrong-Password-1").status, 400U);
    EXPECT_EQ(office.column(person, "password_attempt"), "1");
    ASSERT_EQ(office.set_status(office.boss, person, "inactive").status, 200U);
    ASSERT_EQ(office.set_status(office.boss, person, "active").status, 200U);
    EXPECT_EQ(office.column(person, "password_attempt"), "0");
    EXPECT_EQ(office.profile(before.access).status, 401U) << "what was ended stays ended";
    EXPECT_EQ(office.service.log_in(person).status, 200U);
    // Too many attempts lock the account. A change of its status to active unlocks it, but active to active is no
    // change.
    for (int i = 0; i < 6; ++i) office.service.log_in(person.email, "Wrong-Password-1");
    ASSERT_EQ(office.service.log_in(person).status, 403U);
    ASSERT_EQ(office.set_status(office.boss, person, "active").status, 200U);
    EXPECT_EQ(office.service.log_in(person).status, 403U);
    ASSERT_EQ(office.set_status(office.boss, person, "inactive").status, 200U);
    ASSERT_EQ(office.set_status(office.boss, person, "active").status, 200U);
    EXPECT_EQ(office.service.log_in(person).status, 200U);
    EXPECT_EQ(office.entries(person, "userUpdateStatus"), 4U) << "only what changed something";
}

TEST(AUT_4, ALoginBegunBeforeAChangeIsNotFinishedAfterIt) {
    Office office(suite_service());
    Person person = office.service.make_person();
    office.service.turn_two_factor_on(person);
    const std::string challenge = office.service.challenge_of(person);
    ASSERT_EQ(office.set_status(office.boss, person, "inactive").status, 200U);
    ASSERT_EQ(office.set_status(office.boss, person, "active").status, 200U);
    expect_refused(office.service.verify(challenge, office.service.next_code(person)),
                   errors::two_factor_challenge_invalid);
}

TEST(AUT_4, BlockedIsForGood) {
    Office office(suite_service());
    const Person person = office.service.make_person();
    ASSERT_EQ(office.set_status(office.chief, person, "blocked").status, 200U);
    for (const char* status : {"active", "inactive", "blocked"})
        expect_refused(office.set_status(office.chief, person, status), errors::blocked_invalid, status);
    expect_refused(office.give_password(office.chief, person), errors::blocked_invalid);
    expect_refused(office.set_role(office.chief, person, built_in(Role::admin)), errors::blocked_invalid);
    EXPECT_EQ(
        office.give_password(office.chief, person).text("message"),
        "This account is blocked and cannot be changed until the operator unblocks it with `consentry user unblock`.");
    EXPECT_EQ(office.column(person, "status"), "blocked");
}

TEST(AUT_4, ARoleActsAtTheNextRequestAndEndsSessions) {
    Office office(suite_service());
    const Person person = office.service.make_person();
    const std::string role = office.make_role("admin", {{"role", {"read"}}});
    const std::string before = office.service.tokens_of(person).access;
    ASSERT_EQ(office.set_role(office.chief, person, role).status, 200U);
    EXPECT_EQ(office.profile(before).status, 401U);
    const std::string after = office.service.tokens_of(person).access;
    EXPECT_EQ(office.call(after, "GET", "role/list").status, 200U);
    EXPECT_EQ(office.column(person, "role"), "admin");
    EXPECT_EQ(office.entries(person, "adminUserUpdateRole"), 1U);
    ASSERT_EQ(office.set_role(office.chief, person, built_in(Role::user)).status, 200U);
    EXPECT_EQ(office.call(after, "GET", "role/list").status, 401U);
    expect_refused(office.set_role(office.chief, person, absent_id), errors::role_not_found);
}

TEST(AUT_3, NobodyAdministersThemselves) {
    Office office(suite_service());
    const Person self = office.service.make_person(Role::admin);
    const std::string token = office.service.tokens_of(self).access;
    expect_refused(office.set_status(token, self, "inactive"), errors::user_not_self);
    expect_refused(office.set_role(token, self, built_in(Role::user)), errors::user_not_self);
    expect_refused(office.give_password(token, self), errors::user_not_self);
    EXPECT_EQ(office.profile(token).status, 200U);
}

TEST(AUT_3, NobodyReachesAboveTheirOwnRights) {
    Office office(suite_service());
    const std::string limited = office.admin_with(
        {{"user", {"read", "create", "update"}}, {"role", {"read"}}, {"session", {"read", "delete"}}});
    const auto refused_for = [&](const std::string& token, const Person& above) {
        const std::string session =
            office.service.sql("SELECT id FROM sessions WHERE user_id = '" + above.id.text() + "'").at(0).at(0);
        expect_refused(office.set_status(token, above, "blocked"), errors::role_forbidden);
        expect_refused(office.set_role(token, above, built_in(Role::user)), errors::role_forbidden);
        expect_refused(office.give_password(token, above), errors::role_forbidden);
        expect_refused(office.call(token, "DELETE", "user/" + above.id.text() + "/session/revoke/" + session),
                       errors::role_forbidden);
        EXPECT_EQ(office.column(above, "status"), "active");
        EXPECT_EQ(office.column(above, "must_change_password"), "0");
    };
    Person chief = office.service.make_person(Role::super_admin);
    Person full = office.service.make_person(Role::admin);
    for (const Person& person : {chief, full}) office.service.tokens_of(person);
    refused_for(limited, chief);
    refused_for(limited, full);
    refused_for(office.boss, chief);

    const Person plain = office.service.make_person();
    for (const std::string& role : {built_in(Role::admin), built_in(Role::super_admin)}) {
        expect_refused(office.set_role(limited, plain, role), errors::role_forbidden);
        expect_refused(office.create_user(limited, {{"email", new_address}, {"roleId", role}}), errors::role_forbidden);
    }
    expect_refused(office.create_user(office.boss, {{"email", new_address}, {"roleId", built_in(Role::super_admin)}}),
                   errors::role_forbidden);
    EXPECT_EQ(office.set_status(office.boss, full, "inactive").status, 200U) << "equals may";
    EXPECT_EQ(office.set_status(office.chief, chief, "inactive").status, 200U);
}

TEST(AUT_3, WithoutTheRightNothingIsDoneNorTold) {
    Office office(suite_service());
    const Person person = office.service.make_person();
    const std::string reader = office.admin_with({{"user", {"read"}}});
    const std::string other = office.admin_with({{"role", {"manage"}}});
    const std::string updater = office.admin_with({{"user", {"read", "update"}}});
    expect_refused(office.set_status(reader, person, "inactive"), errors::policy_forbidden);
    expect_refused(office.give_password(reader, person), errors::policy_forbidden);
    expect_refused(office.set_role(updater, person, built_in(Role::user)), errors::policy_forbidden);
    expect_refused(office.create_user(updater, {{"email", new_address}, {"roleId", built_in(Role::user)}}),
                   errors::policy_forbidden);
    expect_refused(office.call(reader, "GET", "user/" + person.id.text() + "/session/list"), errors::policy_forbidden);
    for (const char* path : {"user/list", "user/get/01890000-0000-7000-8000-000000000000"})
        expect_refused(office.call(other, "GET", path), errors::policy_forbidden);
    expect_refused(office.call(other, "POST", "user/export"), errors::policy_forbidden);
    const std::string plain = office.service.tokens_of(person).access;
    expect_refused(office.call(plain, "GET", "user/get/" + person.id.text()), errors::role_forbidden,
                   "of oneself neither, here");
}

TEST(AUT_3, AnAccountThatIsGoneIsAnAccountThatNeverWas) {
    Office office(suite_service());
    const Person gone = office.service.make_person();
    office.service.sql("UPDATE users SET deleted_at = 1 WHERE id = '" + gone.id.text() + "'");
    Person absent;
    absent.id = UserId::parse(absent_id).value();
    for (const Person& person : {gone, absent}) {
        expect_refused(office.set_status(office.chief, person, "active"), errors::user_not_found);
        expect_refused(office.set_role(office.chief, person, built_in(Role::user)), errors::user_not_found);
        expect_refused(office.give_password(office.chief, person), errors::user_not_found);
        for (const std::string& path : {"user/get/" + person.id.text(), "user/" + person.id.text() + "/session/list"})
            expect_refused(office.call(office.chief, "GET", path), errors::user_not_found);
        expect_refused(office.call(office.chief, "DELETE", "user/" + person.id.text() + "/session/revoke/" + absent_id),
                       errors::user_not_found);
    }
    for (const char* path : {"user/get/1", "user/1/session/list"})
        expect_refused(office.call(office.chief, "GET", path), errors::invalid_identifier);
}

TEST(AUT_5, FormsTakeNothingButTheirFields) {
    Office office(suite_service());
    const Person person = office.service.make_person();
    for (const char* name :
         {"id", "role", "status", "isVerified", "password", "passwordHash", "twoFactor", "username"}) {
        json::object body{{"email", new_address}, {"roleId", built_in(Role::user)}};
        body[name] = true;
        EXPECT_TRUE(office.create_user(office.chief, body).violates(name, "whitelistValidation")) << name;
    }
    for (const char* name : {"id", "role", "isVerified", "password", "securityVersion"}) {
        EXPECT_TRUE(office.call(office.chief, "PATCH", user_path(person, "status"), {{"status", "inactive"}, {name, 1}})
                        .violates(name, "whitelistValidation"));
        EXPECT_TRUE(
            office.call(office.chief, "PUT", user_path(person, "role"), {{"roleId", built_in(Role::admin)}, {name, 1}})
                .violates(name, "whitelistValidation"));
        EXPECT_TRUE(office.call(office.chief, "PUT", user_path(person, "password"), {{name, "Velvet-Harbor-42"}})
                        .violates(name, "whitelistValidation"))
            << "nobody picks a password";
    }
    EXPECT_TRUE(office.call(office.chief, "PATCH", user_path(person, "status"), {{"status", "deleted"}})
                    .violates("status", "isEnum"));
    EXPECT_EQ(office.column(person, "status"), "active");
    for (const auto& [email, rule] : {std::pair{"nobody", "isEmail"}, {"", "isNotEmpty"}})
        EXPECT_TRUE(office.create_user(office.chief, {{"email", email}, {"roleId", built_in(Role::user)}})
                        .violates("email", rule));
    EXPECT_TRUE(
        office.create_user(office.chief, {{"email", new_address}, {"roleId", "admin"}}).violates("roleId", "isUuid"));
}

TEST(REC_6, ANewAccountIsMailedATemporaryPassword) {
    Office office(suite_service());
    const Mailbox mails(office.service);
    const Answer made = office.create_user(
        office.boss,
        {{"email", "Grace@Example.org"}, {"roleId", built_in(Role::user)}, {"name", "Grace"}, {"language", "de"}});
    ASSERT_EQ(made.status, 201U) << made.body;
    EXPECT_EQ(made.json.at("data").as_object().size(), 1U) << "the id, and never the password";
    Person person;
    person.id = UserId::parse(made.text("data.id")).value();
    person.email = new_address;
    EXPECT_EQ(office.column(person, "email"), new_address);
    EXPECT_EQ(office.column(person, "language"), "de");
    EXPECT_EQ(office.column(person, "sign_up_from"), "admin");
    EXPECT_EQ(office.column(person, "is_verified"), "1");
    EXPECT_EQ(office.entries(person, "userCreated"), 1U);
    const auto rows =
        office.service.sql("SELECT metadata FROM activity_log WHERE action = 'adminUserCreate' ORDER BY id");
    ASSERT_FALSE(rows.empty());
    const json::object facts = json::parse(rows.back().at(0)).as_object();
    EXPECT_EQ(facts, (json::object{{"roleId", built_in(Role::user)}, {"userId", person.id.text()}}));

    person.password = mails.wait_for(new_address, "temporaryPassword").secret();
    const std::string first = office.service.tokens_of(person).access;
    EXPECT_EQ(office.profile(first).status, 403U) << "good for nothing but setting another";
    const Answer changed =
        office.service.patch("/api/shared/user/change-password",
                             {{"oldPassword", person.password}, {"newPassword", "Copper-Meadow-77"}}, bearer(first));
    EXPECT_EQ(changed.status, 200U) << changed.body;
    person.password = "Copper-Meadow-77";
    EXPECT_EQ(office.profile(office.service.tokens_of(person).access).status, 200U);

    expect_refused(office.create_user(office.boss, {{"email", new_address}, {"roleId", built_in(Role::user)}}),
                   errors::email_exist);
    expect_refused(office.create_user(office.boss, {{"email", "x@example.org"}, {"roleId", absent_id}}),
                   errors::role_not_found);
    EXPECT_EQ(mails.all("x@example.org").size(), 0U);
}

// Another administrator deletes the role between its look-up and the commit.
TEST(Administration, ARoleThatIsDeletedMeanwhileIsNotAssigned) {
    Office office(suite_service());
    Services& real = office.service.app().services();
    std::string role;
    FaultyDatabase interrupted(real.database, [&](std::string_view call) {
        if (call == "commit" && !role.empty())
            office.service.sql("DELETE FROM roles WHERE id = '" + std::exchange(role, {}) + "'");
    });
    Passwords passwords(interrupted, real.clock, real.hasher, real.two_factor, real.consents, real.mails, real.audit,
                        {});
    Administration administration(interrupted, real.clock, real.users, real.roles, real.sessions, passwords,
                                  real.audit);
    const Administrator by{Actor::operator_at_the_machine(), {}};
    const auto new_role = [&] {
        role = office.make_role("user", {});
        return *RoleId::parse(role);
    };
    const auto expect_none = [&](const auto& outcome, std::string_view what) {
        ASSERT_FALSE(outcome.has_value()) << what;
        EXPECT_TRUE(outcome.error().is(errors::role_not_found)) << what;
        EXPECT_TRUE(role.empty()) << what;
    };
    const std::string nobodys = "nobody@example.org";
    expect_none(run(administration.create(by, {.email = nobodys, .role = new_role(), .name = {}})), "create");
    User user;
    user.email = nobodys;
    user.role_id = new_role();
    expect_none(run(passwords.create(user, "Copper-Meadow-77")), "create on the command line");
    EXPECT_EQ(office.service.sql("SELECT id FROM users WHERE email = '" + nobodys + "'").size(), 0U);
    const Person person = office.service.make_person();
    expect_none(run(administration.set_role(by, person.id, new_role())), "set_role");
    EXPECT_EQ(office.column(person, "role_id"), built_in(Role::user));
}

TEST(REC_6, ATemporaryPasswordTakesTheOldOnesPlace) {
    Office office(suite_service());
    Person person = office.service.make_person();
    const std::string before = office.service.tokens_of(person).access;
    const Answer given = office.give_password(office.boss, person);
    ASSERT_EQ(given.status, 200U) << given.body;
    EXPECT_FALSE(given.has("data"));
    EXPECT_EQ(office.profile(before).status, 401U);
    EXPECT_EQ(office.service.log_in(person).status, 400U) << "the old one is gone";
    EXPECT_EQ(office.entries(person, "userUpdatePasswordByAdmin"), 1U);
    person.password = Mailbox(office.service).wait_for(person.email, "temporaryPassword").secret();
    EXPECT_EQ(office.service.log_in(person).status, 200U);
    office.service.pass(72h + 1s);
    expect_refused(office.service.log_in(person), errors::password_expired, "after three days");
}

TEST(Administration, TheOwnersLogOmitsWhereTheAdministratorWorks) {
    Office office(suite_service());
    const Person person = office.service.make_person();
    ASSERT_EQ(office.give_password(office.boss, person).status, 200U);
    const auto places = [&](const std::string& action, const std::string& whose) {
        return one(office.service,
                   "SELECT count(ip_address) FROM activity_log WHERE action = '" + action + "' AND " + whose);
    };
    const std::string id = "'" + person.id.text() + "'";
    EXPECT_EQ(places("userUpdatePasswordByAdmin", "user_id = " + id), "0");
    EXPECT_EQ(
        places("adminUserUpdatePassword", "created_by = (SELECT created_by FROM activity_log WHERE user_id = " + id +
                                              " AND action = 'userUpdatePasswordByAdmin') AND user_id = created_by"),
        "1");
}

TEST(REC_6, ATemporaryPasswordLetsTheOwnerOfAnUnverifiedAccountIn) {
    Office office(suite_service());
    const std::string address = "iris@example.org";
    ASSERT_EQ(sign_up(office.service, address).status, 201U);
    const Mailbox mails(office.service);
    const std::string link = mails.wait_for(address, "verifyEmail").token();
    Person person;
    person.id = UserId::parse(one(office.service, "SELECT id FROM users WHERE email = 'iris@example.org'")).value();
    ASSERT_EQ(office.give_password(office.boss, person).status, 200U);
    EXPECT_EQ(verify_email(office.service, link).code_name(), "tokenInvalid") << "an older link has ended";
    const Answer login = office.service.log_in(address, mails.wait_for(address, "temporaryPassword").secret());
    ASSERT_EQ(login.status, 200U) << login.body;
    EXPECT_EQ(login.boolean("data.mustChangePassword"), true);
    EXPECT_EQ(office.service.log_in(address, right_password).code_name(), "passwordNotMatch");
}

// A person who has accepted a policy, uses a second factor, and has linked a Google account.
Person settled_person(Service& service) {
    Person person = service.make_person();
    publish(service, "privacy", 1);
    EXPECT_EQ(accept(service, service.tokens_of(person).access, "privacy").status, 200U);
    service.turn_two_factor_on(person);
    service.sql(
        "INSERT INTO identities (provider, subject, user_id, created_at, security_version) "
        "SELECT 'google', 'subject', id, 0, security_version FROM users WHERE id = '" +
        person.id.text() + "'");
    return person;
}

// As after a reset: everything in an account that was never verified may come from a stranger who typed the address.
TEST(SOC_3, ATemporaryPasswordForAnUnverifiedAccountLeavesAStrangerNothing) {
    Office office;
    const Person stranger = settled_person(office.service);
    const std::string id = "'" + stranger.id.text() + "'";
    office.service.sql("UPDATE users SET is_verified = FALSE, sign_up_from = 'website', name = 'Stranger' WHERE id = " +
                       id);

    ASSERT_EQ(office.give_password(office.boss, stranger).status, 200U);
    EXPECT_EQ(one(office.service, "SELECT count(*) FROM users WHERE name IS NULL AND id = " + id), "1");
    EXPECT_EQ(
        one(office.service, "SELECT count(*) FROM activity_log WHERE action = 'userVerifiedEmail' AND user_id = " + id),
        "1");
    for (const char* table : {"identities", "two_factors", "backup_codes"})
        EXPECT_EQ(one(office.service, "SELECT count(*) FROM " + std::string(table) + " WHERE user_id = " + id), "0")
            << table;
    EXPECT_EQ(history(office.service, stranger), "privacy 1 accepted, privacy 1 withdrawn");
    EXPECT_EQ(one(office.service,
                  "SELECT count(*) FROM term_policy_acceptances WHERE action = 'withdrawn' "
                  "AND ip_address = '' AND user_agent = ''"),
              "1")
        << "the administrator's origin is no evidence of the account";
    const std::string password = Mailbox(office.service).wait_for(stranger.email, "temporaryPassword").secret();
    EXPECT_TRUE(office.service.log_in(stranger.email, password).has("data.tokens"));
}

TEST(SOC_3, ATemporaryPasswordForAVerifiedAccountLeavesItsOwnerEverything) {
    Office office;
    Person owner = settled_person(office.service);
    ASSERT_EQ(office.give_password(office.boss, owner).status, 200U);
    EXPECT_EQ(one(office.service,
                  "SELECT count(*) FROM identities i JOIN users u ON u.id = i.user_id "
                  "WHERE i.security_version = u.security_version"),
              "1");
    EXPECT_EQ(history(office.service, owner), "privacy 1 accepted");
    owner.password = Mailbox(office.service).wait_for(owner.email, "temporaryPassword").secret();
    EXPECT_EQ(office.service.log_in(owner).boolean("data.isTwoFactorRequired"), true);
}

TEST(REC_6, TheOwnerIsToldThatTheSecondFactorWasReset) {
    Office office(suite_service());
    Person person = office.service.make_person();
    office.service.turn_two_factor_on(person);
    Headers headers = bearer(office.boss);
    headers.emplace_back("User-Agent", "Browser-of-the-administrator");
    ASSERT_EQ(office.service.call("PATCH", "/api/admin/" + user_path(person, "2fa/reset"), {}, headers).status, 200U);
    const ReceivedMail mail = Mailbox(office.service).wait_for(person.email, "twoFactorReset");
    EXPECT_EQ(mail.to, person.email);
    EXPECT_FALSE(mail.text.contains("Browser-of-the-administrator")) << "not the owner's business";
    EXPECT_EQ(office.entries(person, "adminUserResetTwoFactor"), 1U);
    EXPECT_EQ(office.service.log_in(person).boolean("data.isTwoFactorRequired"), true) << "to be set up anew";
}

TEST(SES_5, AdministratorsSeeAndEndSessions) {
    Office office;
    const Person person = office.service.make_person();
    const TokenTexts first = office.service.tokens_of(person);
    office.service.clock().advance(1s);
    const TokenTexts second = office.service.tokens_of(person);
    const std::string path = "user/" + person.id.text() + "/session";
    const Answer all = office.call(office.boss, "GET", path + "/list?orderBy=createdAt:asc");
    ASSERT_EQ(all.status, 200U) << all.body;
    EXPECT_EQ(all.number("metadata.count"), 2);
    EXPECT_FALSE(all.has("data.0.jti"));
    const std::string id = all.text("data.0.id");
    office.service.clock().advance(1s);
    const Answer revoked = office.call(office.boss, "DELETE", path + "/revoke/" + id);
    EXPECT_EQ(revoked.status, 204U) << revoked.body;
    EXPECT_EQ(office.profile(first.access).status, 401U);
    EXPECT_EQ(office.profile(second.access).status, 200U);
    expect_refused(office.call(office.boss, "DELETE", path + "/revoke/" + id), errors::session_not_found, "once");
    expect_refused(office.call(office.boss, "DELETE", path + "/revoke/" + std::string(absent_id)),
                   errors::session_not_found);
    const Answer over = office.call(office.boss, "GET", path + "/list?isRevoked=true");
    EXPECT_EQ(over.number("metadata.count"), 1);
    EXPECT_EQ(over.text("data.0.id"), id);
    EXPECT_TRUE(over.boolean("data.0.isRevoked"));
    EXPECT_EQ(office.call(office.boss, "GET", path + "/list?isRevoked=false").number("metadata.count"), 1);
    EXPECT_EQ(office.call(office.boss, "GET", path + "/list?orderBy=updatedAt:desc").text("data.0.id"), id);
    office.service.sql("UPDATE sessions SET epoch = 0 WHERE user_id = '" + person.id.text() + "'");  // as a raise does
    EXPECT_EQ(office.call(office.boss, "GET", path + "/list?isRevoked=true").number("metadata.count"), 2);
    EXPECT_EQ(office.call(office.boss, "GET", path + "/list?isRevoked=false").number("metadata.count"), 0);
    office.service.sql("UPDATE sessions SET epoch = (SELECT grants FROM epochs) WHERE user_id = '" + person.id.text() +
                       "'");

    const auto entry = office.service.sql(
        "SELECT created_by FROM activity_log WHERE action = 'userRevokeSessionByAdmin' AND user_id = '" +
        person.id.text() + "'");
    ASSERT_EQ(entry.size(), 1U) << "in the log of the one it happened to";
    EXPECT_EQ(entry[0][0], std::string(claims_of(office.boss).at("sub").as_string()));

    // A session is not found under the id of another account.
    const Person other = office.service.make_person();
    const std::string live = office.call(office.boss, "GET", path + "/list?isRevoked=false").text("data.0.id");
    expect_refused(office.call(office.boss, "DELETE", "user/" + other.id.text() + "/session/revoke/" + live),
                   errors::session_not_found);
    EXPECT_EQ(office.profile(second.access).status, 200U);
}

TEST(RAC_3, ChangesAtTheSameMomentAllHoldOrNone) {
    Office office(suite_service());
    const Person person = office.service.make_person();
    const std::string role = office.make_role("admin", {{"role", {"read"}}});
    const auto answers = at_once(8, [&](std::size_t i) {
        if (i % 2 == 0) return office.set_status(office.chief, person, i % 4 == 0 ? "inactive" : "active");
        return office.set_role(office.chief, person, i % 4 == 1 ? role : built_in(Role::user));
    });
    for (const Answer& answer : answers) EXPECT_TRUE(answer.status == 200U || answer.status == 503U) << answer.body;
    EXPECT_GT(std::ranges::count(answers, 200U, &Answer::status), 0);
    // Every successful change raised the version by one and left one entry.
    EXPECT_EQ(std::stoul(office.column(person, "security_version")) - 1,
              office.entries(person, "userUpdateStatus") + office.entries(person, "adminUserUpdateRole"));
    EXPECT_EQ(office.column(person, "role"), office.column(person, "(SELECT type FROM roles WHERE id = role_id)"));
}

TEST(LOG_4, ChangesAreInTheEventStream) {
    Office office;
    const Person person = office.service.make_person();
    ASSERT_EQ(office.set_status(office.boss, person, "inactive").status, 200U);
    office.service.restart();  // writes the pending events
    std::string found;
    std::ifstream stream(office.service.folder() / "data" / "security" / "events.log");
    for (std::string line; std::getline(stream, line);)
        if (line.contains("admin.change") && line.contains("updateUserStatus")) found = line;
    EXPECT_TRUE(found.contains(person.id.text())) << found;
}

TEST(AUT_1, OtherServicesLookUpAddressesAndNames) {
    Keys keys;
    const Person person = keys.service.make_person();
    const Headers system = with_key(keys.make("system").text());
    const auto ask = [&](const std::string& what, const std::string& value) {
        return keys.service.post("/api/system/user/check/" + what, {{what, value}}, system);
    };
    EXPECT_TRUE(ask("email", "PERSON1@example.org").boolean("data.exist"));
    EXPECT_FALSE(ask("email", "nobody@example.org").boolean("data.exist"));
    EXPECT_FALSE(ask("email", "nobody@example.org").boolean("data.badWord"));
    EXPECT_EQ(ask("email", "nobody").status, 422U);
    const std::string username =
        keys.service.sql("SELECT username FROM users WHERE id = '" + person.id.text() + "'").at(0).at(0);
    EXPECT_TRUE(ask("username", username).boolean("data.exist"));
    EXPECT_FALSE(ask("username", username).boolean("data.pattern"));
    EXPECT_FALSE(ask("username", "some-body").boolean("data.exist"));
    EXPECT_TRUE(ask("username", "some body").boolean("data.pattern"));
    EXPECT_EQ(ask("username", "ab").status, 422U);
    keys.service.sql("UPDATE users SET deleted_at = 1, email = 'deleted' WHERE id = '" + person.id.text() + "'");
    EXPECT_FALSE(ask("email", person.email).boolean("data.exist"));
    const Headers ordinary = with_key(keys.make("default").text());
    for (const char* path : {"/api/system/user/check/email", "/api/system/user/check/username"})
        EXPECT_EQ(keys.service.post(path, {}, ordinary).status, 403U);
    EXPECT_EQ(keys.service.get("/api/system/user/list", ordinary).status, 403U);
}

}  // namespace
}  // namespace consentry::tests
