// STO-6: tests that a restored database revives nothing, and that one command ends everything that was granted.
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "features/sessions/epochs.hpp"
#include "tests/support/calls/account_calls.hpp"
#include "tests/support/calls/api_key_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

RaisedEpoch raise(Service& service, bool keep_api_keys = false) {
    return run(Epochs(service.app().services().database).raise(keep_api_keys, service.clock().now()));
}
EndedGrants ended_by(Service& service, RaisedEpoch raised) {
    return run(Epochs(service.app().services().database).count_ended(raised, service.clock().now()));
}

// A snapshot of all grants: the part of a backup that could let an attacker in.
class Backup {
public:
    explicit Backup(Service& service) : service_(service) {
        for (const std::string table : tables) service_.sql("CREATE TABLE old_" + table + " AS SELECT * FROM " + table);
        service_.sql("CREATE TABLE old_users AS SELECT id, security_version FROM users");
    }
    void restore() {
        for (const std::string table : tables)
            service_.sql("BEGIN; DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM old_" + table +
                         "; COMMIT");
        service_.sql(
            "UPDATE users SET security_version = (SELECT o.security_version FROM old_users o WHERE o.id = "
            "users.id)");
    }

private:
    static constexpr std::array tables{"sessions", "account_tokens", "backup_codes",          "two_factors",
                                       "api_keys", "known_devices",  "spent_identity_tokens", "epochs"};
    Service& service_;
};

struct World {
    World() { tokens = service().turn_two_factor_on(person); }
    Service& service() { return keys.service; }
    unsigned read(const TokenTexts& with) {
        return service().get("/api/shared/user/2fa/status", bearer(with.access)).status;
    }
    Answer refresh(const TokenTexts& with) {
        return service().post("/api/shared/user/refresh", {}, bearer(with.refresh));
    }
    static TokenTexts tokens_in(const Answer& answer) {
        EXPECT_EQ(answer.status, 200U) << answer.body;
        return {answer.text("data.tokens.accessToken"), answer.text("data.tokens.refreshToken")};
    }
    TokenTexts log_in_with_code() {
        const std::string challenge = service().challenge_of(person);
        return tokens_in(service().verify(challenge, service().next_code(person)));
    }

    Keys keys;
    Person person = keys.service.make_person();
    TokenTexts tokens;
};

TEST(STO_6, AfterARestoreAndARaiseNothingSpentIsAccepted) {
    World t;
    Service& service = t.service();
    const std::string challenge = service.challenge_of(t.person);
    ASSERT_EQ(forget(service, t.person.email).status, 200U);
    const std::string link = forgotten_token(service, t.person.email);
    settle_mails(service);
    Backup backup(service);

    // Spends all of these grants after the backup.
    const TokenTexts by_backup_code =
        World::tokens_in(service.verify_backup(service.challenge_of(t.person), t.person.backup_codes[0]));
    ASSERT_EQ(t.refresh(t.tokens).status, 200U);
    ASSERT_EQ(service.post("/api/shared/user/logout", {}, bearer(by_backup_code.access)).status, 200U);
    const std::string code = service.next_code(t.person);
    World::tokens_in(service.verify(challenge, code));
    ASSERT_EQ(reset(service, link, new_password, {{"backupCode", t.person.backup_codes[1]}}).status, 200U);
    t.person.password = new_password;

    backup.restore();
    ASSERT_EQ(t.read(t.tokens), 200U) << "a backup brings the past back";
    ASSERT_EQ(one(service, "SELECT count(*) FROM backup_codes"), "8");
    const EndedGrants ended = ended_by(service, raise(service));
    EXPECT_GE(ended.sessions, 2);  // those of the person and of the administrator
    EXPECT_EQ(ended.links, 1);
    EXPECT_EQ(ended.backup_codes, 8);

    EXPECT_EQ(t.read(t.tokens), 401U);
    EXPECT_EQ(t.refresh(t.tokens).status, 401U);
    EXPECT_EQ(t.refresh(by_backup_code).status, 401U);
    EXPECT_EQ(service.verify(challenge, service.code(t.person, 1)).code_name(), "twoFactorChallengeInvalid");
    EXPECT_EQ(reset(service, link, "Amber-Canyon-31", {{"code", service.code(t.person)}}).code_name(), "tokenInvalid");
    const Answer login = service.log_in(t.person);
    EXPECT_EQ(login.number("data.backupCodesRemaining"), 0) << login.body;
    const std::string fresh = login.text("data.challengeToken");
    EXPECT_EQ(service.verify_backup(fresh, t.person.backup_codes[0]).code_name(), "twoFactorInvalid");
    EXPECT_EQ(service.verify(fresh, code).code_name(), "twoFactorInvalid") << "the very code, in its own half minute";
    // The owner is not locked out.
    service.clock().advance(seconds{60});
    EXPECT_EQ(service.verify(fresh, service.code(t.person)).status, 200U);
}

TEST(STO_6, AnEpochIsNeverGivenOutTwice) {
    World t;
    Backup backup(t.service());
    const auto first = raise(t.service());
    const std::string challenge = t.service().challenge_of(t.person);  // from the first epoch, and in the cache
    backup.restore();
    t.service().clock().advance(milliseconds{1});
    const auto second = raise(t.service());
    EXPECT_GT(second.epoch, first.epoch);
    EXPECT_EQ(t.service().verify(challenge, t.service().next_code(t.person)).code_name(), "twoFactorChallengeInvalid");
    EXPECT_GT(raise(t.service()).epoch, second.epoch) << "in the same millisecond as well";
}

TEST(STO_6, ARaiseEndsWhatWasGrantedToEveryAccount) {
    World t;
    Service& service = t.service();
    const Person other = service.make_person();
    const TokenTexts others = service.tokens_of(other);
    ASSERT_EQ(forget(service, other.email).status, 200U);
    const std::string link = forgotten_token(service, other.email);
    const std::string challenge = service.challenge_of(t.person);
    raise(service);
    for (const TokenTexts& tokens : {t.tokens, others}) {
        EXPECT_EQ(t.read(tokens), 401U);
        EXPECT_EQ(t.refresh(tokens).code_name(), "jwtRefreshTokenInvalid");
    }
    EXPECT_EQ(reset(service, link, new_password).code_name(), "tokenInvalid");
    EXPECT_EQ(service.verify(challenge, service.next_code(t.person)).code_name(), "twoFactorChallengeInvalid");
    EXPECT_EQ(t.read(service.tokens_of(other)), 200U);
    service.clock().advance(seconds{60});
    EXPECT_EQ(t.read(t.log_in_with_code()), 200U);
}

TEST(STO_6, AForcedSetUpThatWasBegunBeforeTheRaiseIsNotFinishedAfterIt) {
    World t;
    Service& service = t.service();
    auto user = run(service.app().services().users.find(t.person.id)).value();
    ASSERT_TRUE(run(service.app().services().two_factor.reset(Actor::operator_at_the_machine(), user,
                                                              TwoFactor::After::set_up_required, {})));
    const Answer login = service.log_in(t.person);
    ASSERT_TRUE(login.boolean("data.isRequiredSetup")) << login.body;
    t.person.secret = login.text("data.secret");
    raise(service);
    service.clock().advance(seconds{90});
    const Answer enabled =
        service.post("/api/public/user/login/2fa/enable",
                     {{"challengeToken", login.text("data.challengeToken")}, {"code", service.code(t.person)}});
    EXPECT_EQ(enabled.code_name(), "twoFactorChallengeInvalid") << enabled.body;
}

TEST(STO_6, ApiKeysEndUnlessTheyAreKept) {
    World t;
    const Issued key = t.keys.make("system");
    ASSERT_EQ(t.keys.show_as_system(key.text()).status, 200U);
    EXPECT_EQ(ended_by(t.service(), raise(t.service(), true)).api_keys, 0);
    EXPECT_EQ(t.keys.show_as_system(key.text()).status, 200U);
    EXPECT_EQ(ended_by(t.service(), raise(t.service())).api_keys, 1);
    EXPECT_EQ(t.keys.show_as_system(key.text()).code_name(), "xApiKeyInvalid");
    // An administrator sees that the key is off, cannot switch it on again, and gives it a new secret.
    const std::string chief = t.service().tokens_of(t.service().make_person(Role::super_admin)).access;
    const auto update = [&](const std::string& what, const json::object& body) {
        return t.keys.call(chief, "PATCH", "api-key/update/" + key.id + "/" + what, body);
    };
    const Answer listed = t.keys.call(chief, "GET", "api-key/list?isActive=false");
    EXPECT_EQ(listed.text("data.0.id"), key.id) << listed.body;
    EXPECT_FALSE(listed.boolean("data.0.isActive"));
    EXPECT_EQ(update("status", {{"isActive", true}}).code_name(), "inactive");
    EXPECT_EQ(t.keys.show_as_system(key.text()).status, 401U);
    const Issued renewed = Keys::issued_in(update("reset", {}), 200);
    EXPECT_EQ(t.keys.show_as_system(renewed.text()).status, 200U);
    EXPECT_EQ(t.keys.show_as_system(key.text()).status, 401U);
}

TEST(STO_6, ALoginOnAKnownDeviceIsNewsAfterTheRaise) {
    World t;
    Service& service = t.service();
    const Person person = service.make_person();
    service.tokens_of(person);
    service.tokens_of(person);
    EXPECT_EQ(mails(service, person.email, "newDevice"), 0U);
    raise(service);
    service.tokens_of(person);
    EXPECT_EQ(mails(service, person.email, "newDevice"), 1U);
    service.tokens_of(person);
    EXPECT_EQ(mails(service, person.email, "newDevice"), 1U) << "once";
}

}  // namespace
}  // namespace consentry::tests
