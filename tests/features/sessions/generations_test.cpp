// Tests that a grant counts only in the current generation of its account, including sessions and all cached copies of
// them.
#include <memory>
#include <utility>
#include <vector>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>

#include "app/app.hpp"
#include "crypto/aead.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/run.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

// An account on the service of the suite, or on one of its own with these settings.
struct GenerationWorld {
    GenerationWorld() : service(suite_service()) {}
    explicit GenerationWorld(Environment settings)
        : own(std::make_unique<Service>(std::move(settings))), service(*own) {}

    unsigned read(const TokenTexts& tokens) const { return status_with(service, tokens.access).status; }
    std::string one(const std::string& select) const { return service.sql("SELECT " + select).at(0).at(0); }
    std::string session_of(const TokenTexts& tokens) const {
        return std::string(claims_of(tokens.access).at("sid").as_string());
    }
    std::string copy_key(const TokenTexts& tokens) const {
        return "User:" + person.id.text() + ":Session:" + session_of(tokens);
    }
    storage::Cache& cache() { return service.app().services().cache; }

    std::unique_ptr<Service> own;  // null on the service of the suite
    Service& service;
    Person person = service.make_person();
};

// Raising the version suffices, even if a change forgets to revoke the sessions.
TEST(SES_5, ASessionOfAFormerSecurityVersionOpensNothing) {
    GenerationWorld t;
    const TokenTexts tokens = t.service.tokens_of(t.person);
    ASSERT_EQ(t.read(tokens), 200U);
    t.service.sql("UPDATE users SET security_version = security_version + 1 WHERE id = '" + t.person.id.text() + "'");
    EXPECT_EQ(t.read(tokens), 401U);
    EXPECT_EQ(refresh_with(t.service, tokens.refresh).code_name(), "jwtRefreshTokenInvalid");
    const TokenTexts later = t.service.tokens_of(t.person);
    EXPECT_EQ(t.read(later), 200U);
    const Answer list = t.service.get("/api/shared/user/session/list", bearer(later.access));
    EXPECT_EQ(list.json.at("data").as_array().size(), 1U) << "not among the live ones: " << list.body;
    EXPECT_EQ(
        t.service.erase("/api/shared/user/session/revoke/" + t.session_of(tokens), {}, bearer(later.access)).status,
        404U);
}

TEST(SES_5, ASessionOfAFormerEpochOpensNothing) {
    GenerationWorld t{Environment{}};  // the epoch is that of all accounts
    const TokenTexts tokens = t.service.tokens_of(t.person);
    ASSERT_EQ(t.read(tokens), 200U);
    t.service.sql("UPDATE epochs SET grants = grants + 1");
    EXPECT_EQ(t.read(tokens), 401U);
    EXPECT_EQ(refresh_with(t.service, tokens.refresh).status, 401U);
    EXPECT_EQ(t.read(t.service.tokens_of(t.person)), 200U);
}

TEST(SES_5, TheSessionThatIsKeptIsOfTheNewVersionAndNoOtherIs) {
    GenerationWorld t;
    t.service.turn_two_factor_on(t.person);
    EXPECT_EQ(t.one("count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.revoked_at IS NULL "
                    "AND s.security_version = u.security_version AND u.security_version = 2 AND u.id = '" +
                    t.person.id.text() + "'"),
              "1");
}

// Each change in turn ends another session of the account at once, although that session is cached.
TEST(SES_2, WithSessionCheckCacheWhateverEndsSessionsIsSeenAtOnce) {
    GenerationWorld t({{"SESSION_CHECK", "cache"}});
    const TokenTexts admin = t.service.tokens_of(t.service.make_person(Role::admin));
    const std::string path = "/api/admin/user/update/" + t.person.id.text();
    const auto status = [&](const char* to) {
        return t.service.patch(path + "/status", {{"status", to}}, bearer(admin.access)).status;
    };
    const auto expect_end = [&](const char* what, auto change) {
        const TokenTexts other = t.service.tokens_of(t.person);
        const TokenTexts own = t.service.tokens_of(t.person);
        ASSERT_EQ(t.read(other), 200U) << what;
        ASSERT_EQ(t.read(other), 200U) << what << ", from the cache";
        change(own);
        EXPECT_EQ(t.read(other), 401U) << what;
    };
    expect_end("another session is revoked", [&](const TokenTexts& own) {
        for (const auto& row : t.service.sql("SELECT id FROM sessions WHERE revoked_at IS NULL AND user_id = '" +
                                             t.person.id.text() + "' AND id <> '" + t.session_of(own) + "'"))
            EXPECT_EQ(t.service.erase("/api/shared/user/session/revoke/" + row[0], {}, bearer(own.access)).status / 100,
                      2U);
    });
    expect_end("the password is changed", [&](const TokenTexts& own) {
        const Answer changed = t.service.patch(
            "/api/shared/user/change-password",
            {{"oldPassword", t.person.password}, {"newPassword", "Copper-Meadow-77"}}, bearer(own.access));
        EXPECT_EQ(changed.status, 200U) << changed.body;
        t.person.password = "Copper-Meadow-77";
    });
    expect_end("the account is switched off", [&](const TokenTexts&) {
        EXPECT_EQ(status("inactive"), 200U);
        EXPECT_EQ(status("active"), 200U);
    });
    expect_end("more logins than sessions", [&](const TokenTexts&) {
        for (int i = 0; i < 10; ++i) {
            t.service.clock().advance(milliseconds{1});
            t.service.tokens_of(t.person);
        }
    });
    expect_end("two-factor is turned on", [&](const TokenTexts&) { t.service.turn_two_factor_on(t.person); });
}

TEST(SES_2, WithSessionCheckCacheAReusedRefreshTokenEndsTheCopyToo) {
    GenerationWorld t({{"SESSION_CHECK", "cache"}});
    const TokenTexts first = t.service.tokens_of(t.person);
    const Answer next = refresh_with(t.service, first.refresh);
    const TokenTexts second{next.text("data.accessToken"), next.text("data.refreshToken")};
    ASSERT_EQ(t.read(second), 200U);
    t.service.pass(seconds{10});
    EXPECT_EQ(refresh_with(t.service, first.refresh).status, 401U);
    EXPECT_EQ(t.read(second), 401U);
}

TEST(SES_2, WithSessionCheckCacheTheFormerAccessTokenDiesWithTheRefresh) {
    GenerationWorld t({{"SESSION_CHECK", "cache"}});
    const TokenTexts tokens = t.service.tokens_of(t.person);
    ASSERT_EQ(t.read(tokens), 200U);
    ASSERT_EQ(refresh_with(t.service, tokens.refresh).status, 200U);
    EXPECT_EQ(t.read(tokens), 401U);
}

// Write access to the cache is not enough to revive a session.
TEST(SES_2, WithSessionCheckCacheACopyThatSomebodyElseWroteIsNotBelieved) {
    GenerationWorld t({{"SESSION_CHECK", "cache"}});
    const TokenTexts tokens = t.service.tokens_of(t.person);
    const TokenTexts other = t.service.tokens_of(t.person);
    ASSERT_EQ(t.read(tokens), 200U);
    ASSERT_EQ(t.read(other), 200U);
    const auto copy = run(t.cache().get(t.copy_key(tokens)));
    ASSERT_TRUE(copy);
    const std::string jti(claims_of(tokens.access).at("jti").as_string());
    EXPECT_FALSE(copy->contains(jti)) << "sealed";
    EXPECT_FALSE(copy->contains(t.person.email));
    ASSERT_EQ(t.service.post("/api/shared/user/logout", {}, bearer(tokens.access)).status, 200U);
    const std::string now = std::to_string(epoch_ms(t.service.clock().now()));
    const std::string later = std::to_string(epoch_ms(t.service.clock().now() + std::chrono::hours{1}));
    const std::string role = built_in_role(Role::super_admin).text();
    for (const std::string& forged :
         {jti + "\n" + now + "\n" + later + "\n" + t.person.email + "\n" + role + "\nsuperAdmin\n" + now + "\n0\n0",
          now + "\n" + jti + "\n1\n1\n" + now + "\n" + later + "\n" + t.person.email + "\n" + role + "\nsuperAdmin\n" +
              now + "\n0\n0",
          run(t.cache().get(t.copy_key(other))).value(), *copy + "x", std::string("x")}) {
        run(t.cache().put(t.copy_key(tokens), forged, std::chrono::hours{1}));
        EXPECT_EQ(t.read(tokens), 401U) << forged.size();
    }
}

TEST(SES_2, WithSessionCheckCacheACopyThatIsBroughtBackIsNoBetterThanItWas) {
    GenerationWorld t({{"SESSION_CHECK", "cache"}});
    const TokenTexts tokens = t.service.tokens_of(t.person);
    ASSERT_EQ(t.read(tokens), 200U);
    const auto copy = run(t.cache().get(t.copy_key(tokens)));
    ASSERT_TRUE(copy);
    ASSERT_EQ(t.service.post("/api/shared/user/logout", {}, bearer(tokens.access)).status, 200U);
    t.service.clock().advance(std::chrono::minutes{1});
    run(t.cache().put(t.copy_key(tokens), *copy, std::chrono::hours{1}));
    EXPECT_EQ(t.read(tokens), 401U);
}

// Lines of a copy in the cache, sealed as the service seals them.
class OpenedCopy {
public:
    OpenedCopy(const std::string& secret, std::string place, const std::string& sealed)
        : keys_({secret}, "consentry session"), place_(std::move(place)) {
        const auto iv = as_bytes(sealed).first(12);
        const auto rest = as_bytes(sealed).subspan(12);
        const auto text = keys_.open({{iv.begin(), iv.end()}, {rest.begin(), rest.end()}}, as_bytes(place_)).value();
        boost::split(lines_, as_text(text), boost::is_any_of("\n"));
    }
    std::string sealed(std::size_t line, const std::string& as) const {
        auto lines = lines_;
        lines.at(line) = as;
        const auto sealed = keys_.seal(as_bytes(boost::join(lines, "\n")), as_bytes(place_));
        return std::string(as_text(sealed.iv)) + std::string(as_text(sealed.bytes));
    }
    const std::string& line(std::size_t at) const { return lines_.at(at); }

private:
    const crypto::SealingKeys keys_;
    const std::string place_;
    std::vector<std::string> lines_;
};

// Another version of the program wrote it. The database decides, whatever the rest of the copy says.
TEST(SES_2, WithSessionCheckCacheACopyThatCannotBeReadCountsAsMissing) {
    const std::string secret(40, 's');
    GenerationWorld t({{"SESSION_CHECK", "cache"}, {"APP_ENCRYPTION_SECRET_KEY", secret}});
    const TokenTexts tokens = t.service.tokens_of(t.person);
    ASSERT_EQ(t.read(tokens), 200U);
    const std::string place = t.copy_key(tokens);
    const OpenedCopy copy(secret, place, run(t.cache().get(place)).value());
    const auto read_with = [&](std::size_t line, const std::string& as) {
        run(t.cache().put(place, copy.sealed(line, as), std::chrono::hours{1}));
        return t.read(tokens);
    };
    const auto expect = [&](unsigned status) {
        for (const std::size_t number : std::vector<std::size_t>{0, 2, 3, 4, 5, 9, 10, 11, 12})
            for (const std::string& damaged : {std::string(), std::string("x"), copy.line(number) + "x"})
                EXPECT_EQ(read_with(number, damaged), status) << number << ": " << damaged;
    };
    expect(200U);
    t.service.sql("UPDATE sessions SET revoked_at = 1 WHERE user_id = '" + t.person.id.text() + "'");
    ASSERT_EQ(read_with(0, copy.line(0)), 200U) << "the whole copy is believed";
    expect(401U);
}

TEST(SES_2, WithSessionCheckCacheNoCopyOfAnEarlierEpochIsBelievedOnceThePresentOneIsSeen) {
    GenerationWorld t({{"SESSION_CHECK", "cache"}});
    const TokenTexts tokens = t.service.tokens_of(t.person);
    ASSERT_EQ(t.read(tokens), 200U);
    t.service.sql("UPDATE epochs SET grants = grants + 1");
    ASSERT_EQ(t.read(t.service.tokens_of(t.person)), 200U) << "read from the database, with the epoch";
    EXPECT_EQ(t.read(tokens), 401U);
}

// The guard remembers acceptances for one generation only. Every change that undoes them raises the version, even if
// the session continues.
TEST(DOC_8, TheGuardRemembersBySessionAndVersion) {
    GenerationWorld t{Environment{}};  // a published policy concerns all accounts
    publish(t.service, "privacy", 1);
    const TokenTexts tokens = t.service.tokens_of(t.person);
    ASSERT_EQ(accept(t.service, tokens.access, "privacy").status, 200U);
    const auto read = [&] { return t.service.get("/api/shared/user/profile", bearer(tokens.access)).status; };
    ASSERT_EQ(read(), 200U);
    t.service.sql("DELETE FROM term_policy_acceptances");
    t.service.sql("UPDATE users SET security_version = security_version + 1");
    t.service.sql("UPDATE sessions SET security_version = security_version + 1");
    EXPECT_EQ(read(), 403U);
}

}  // namespace
}  // namespace consentry::tests
