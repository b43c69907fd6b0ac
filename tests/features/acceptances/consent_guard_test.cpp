// DOC-8: tests whom the guard admits, what it tells those it stops, and what stays possible without consent.
#include <gtest/gtest.h>

#include "crypto/digest.hpp"
#include "features/users/caller.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {
namespace {

// The type of a handler's first parameter alone declares its guard. Consenting derives from SignedIn and cannot be made
// from a Caller, so it always requires a live session.
static_assert(std::is_base_of_v<SignedIn, Consenting<>>);
static_assert(!std::is_constructible_v<Consenting<>, Caller>);
static_assert(Consenting<>::policies == std::array{PolicyType::terms_of_service, PolicyType::privacy});
static_assert(Consenting<PolicyType::cookies>::policies == std::array{PolicyType::cookies});

struct Guarded {
    explicit Guarded(Role role = Role::user, Service& its_service = service_without_policies())
        : service(its_service), person(service.make_person(role)) {}
    unsigned read() const { return service.get(profile_path, bearer(token)).status; }
    unsigned write() const { return service.call("PUT", profile_path, R"({"name":"Ada"})", bearer(token)).status; }

    Service& service;
    Person person;
    std::string token = service.tokens_of(person).access;
};

// Expects a refusal and returns the policy types in its data.
std::vector<std::string> missing_in(const Answer& answer) {
    EXPECT_EQ(answer.status, 403U) << answer.body;
    EXPECT_EQ(answer.number("statusCode"), 6104);
    EXPECT_EQ(answer.code_name(), "requiredInvalid");
    std::vector<std::string> out;
    for (const json::value& policy : answer.json.at("data").at("policies").as_array())
        out.push_back(json::value_to<std::string>(policy.at("type")));
    return out;
}

using Types = std::vector<std::string>;

TEST(DOC_8, TheGuardAsksForTermsAndPrivacyUnlessItIsToldOtherwise) {
    Guarded t;
    EXPECT_EQ(t.read(), 200U) << "nothing is published";
    publish(t.service, "marketing", 1);
    publish(t.service, "cookies", 1);
    EXPECT_EQ(t.read(), 200U) << "not asked for";
    publish(t.service, "privacy", 1);
    EXPECT_EQ(missing_in(t.service.get(profile_path, bearer(t.token))), Types{"privacy"});
    publish(t.service, "termsOfService", 1);
    EXPECT_EQ(missing_in(t.service.get(profile_path, bearer(t.token))), (Types{"termsOfService", "privacy"}));
    EXPECT_EQ(t.write(), 403U);
    EXPECT_EQ(accept(t.service, t.token, "termsOfService").status, 200U);
    EXPECT_EQ(missing_in(t.service.get(profile_path, bearer(t.token))), Types{"privacy"});
    EXPECT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    EXPECT_EQ(t.read(), 200U);
    EXPECT_EQ(t.write(), 200U);
}

TEST(DOC_8, EveryTypeThatIsListedMustBeAccepted) {
    Guarded t;
    for (const std::string& type : all_types) publish(t.service, type, 1);
    // After each further acceptance, requires every subset of the types.
    for (std::size_t accepted = 0; accepted <= all_types.size(); ++accepted) {
        for (std::size_t set = 1; set < 16; ++set) {
            std::string list;
            Types missing;
            for (std::size_t i = 0; i < all_types.size(); ++i) {
                if ((set >> i & 1) == 0) continue;
                list = all_types[i] + (list.empty() ? "" : ",") + list;
                if (i >= accepted) missing.push_back(all_types[i]);
            }
            SCOPED_TRACE(list + " after " + std::to_string(accepted));
            const Answer answer = t.service.get("/api/forward-auth?policies=" + list, bearer(t.token));
            if (missing.empty())
                EXPECT_EQ(answer.status, 200U);
            else
                EXPECT_EQ(missing_in(answer), missing);
        }
        if (accepted < all_types.size()) EXPECT_EQ(accept(t.service, t.token, all_types[accepted]).status, 200U);
    }
}

TEST(DOC_8, ARefusalNamesWhatIsToBeRead) {
    Guarded t;
    publish(t.service, "privacy", 1);
    publish(t.service, "privacy", 12, {"ja", "en", "de"});
    const Answer refused = t.service.get(profile_path, bearer(t.token));
    ASSERT_EQ(missing_in(refused), Types{"privacy"});
    const json::value& policy = refused.json.at("data").at("policies").at(0);
    EXPECT_EQ(policy.at("version"), 12);
    const json::array& contents = policy.at("contents").as_array();
    ASSERT_EQ(contents.size(), 3U);
    for (const auto& [at, language] : {std::pair{0U, "en"}, std::pair{1U, "de"}, std::pair{2U, "ja"}}) {
        EXPECT_EQ(contents[at].at("language"), language);
        EXPECT_EQ(contents[at].at("contentHash"), hash_of("privacy", 12, language).c_str());
        const std::string url = json::value_to<std::string>(contents[at].at("url"));
        EXPECT_TRUE(url.starts_with("http://")) << url;
        EXPECT_TRUE(url.ends_with("/term-policies/privacy/12/" + std::string(language) + ".hbs")) << url;
    }
}

TEST(DOC_8, TheNextRequestAfterAPublicationIsStopped) {
    Guarded t;
    const PolicyDesk desk(t.service);
    for (int version = 1; version <= 10; ++version) {
        const std::string draft =
            desk.draft("termsOfService", version, texts_in({"en", "fr"}, std::to_string(version)));
        EXPECT_EQ(t.read(), 200U) << "a draft is nobody's business";
        ASSERT_EQ(desk.publish(draft).status, 200U);
        const Answer refused = t.service.get(profile_path, bearer(t.token));
        ASSERT_EQ(missing_in(refused), Types{"termsOfService"}) << version;
        // The hashes in the refusal match the published files byte for byte.
        const json::value& policy = refused.json.at("data").at("policies").at(0);
        EXPECT_EQ(policy.at("version"), version);
        const json::array& contents = policy.at("contents").as_array();
        ASSERT_EQ(contents.size(), 2U);
        for (const json::value& content : contents) {
            const Answer file = desk.fetch(json::value_to<std::string>(content.at("url")));
            ASSERT_EQ(file.status, 200U);
            EXPECT_EQ(to_hex(crypto::sha256(file.body)), json::value_to<std::string>(content.at("contentHash")));
        }
        const json::object seen{
            {"version", version}, {"language", "fr"}, {"contentHash", contents[1].at("contentHash")}};
        EXPECT_EQ(accept(t.service, t.token, "termsOfService", seen).status, 200U);
        EXPECT_EQ(t.read(), 200U) << version;
    }
}

// Such a copy does not say what is published.
TEST(DOC_8, APublicationStopsASessionWhoseCopyIsTrusted) {
    Service own({{"SESSION_CHECK", "cache"}});
    Guarded t(Role::user, own);
    EXPECT_EQ(t.read(), 200U);
    t.service.sql("UPDATE sessions SET expires_at = 1 WHERE user_id = '" + t.person.id.text() + "'");
    const std::string other = t.service.tokens_of(t.person).access;  // an acceptance asks the database
    for (int version = 1; version <= 3; ++version) {
        for (int i = 0; i < 2; ++i) EXPECT_EQ(t.read(), 200U) << "the copy does not say that the session is over";
        publish(t.service, "privacy", version);
        for (int i = 0; i < 2; ++i)
            EXPECT_EQ(missing_in(t.service.get(profile_path, bearer(t.token))), Types{"privacy"}) << version;
        EXPECT_EQ(accept(t.service, other, "privacy").status, 200U);
    }
}

// The guard remembers what the published policies demand. A publication by another program changes that, and so does an
// operator who corrects a published row.
TEST(DOC_8, TheGuardNoticesEachChangeOfWhatIsPublished) {
    Guarded t;
    publish(t.service, "privacy", 1);
    ASSERT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    publish(t.service, "privacy", 2);
    EXPECT_EQ(t.read(), 403U);
    const auto changes = [&](const std::string& change) {
        t.service.sql("UPDATE term_policies SET " + change + " WHERE type = 'privacy' AND version > 1");
        return t.read();
    };
    EXPECT_EQ(changes("is_material = FALSE"), 200U);
    EXPECT_EQ(changes("is_material = TRUE"), 403U);
    const std::string later = std::to_string(epoch_ms(t.service.clock().now()) + 60'000);
    EXPECT_EQ(changes("grace_version = 1, grace_until = " + later), 200U);
    EXPECT_EQ(changes("grace_version = 2"), 403U);
    EXPECT_EQ(changes("grace_version = 1"), 200U);
    EXPECT_EQ(changes("grace_until = NULL"), 403U);
    EXPECT_EQ(changes("version = 3"), 403U);
    EXPECT_EQ(changes("status = 'draft'"), 200U) << "only the accepted version is left";
}

TEST(DOC_8, TheWayOutStaysOpen) {
    Guarded t;
    const TokenTexts tokens = t.service.tokens_of(t.person);
    const Headers caller = bearer(tokens.access);
    publish(t.service, "termsOfService", 1);
    publish(t.service, "privacy", 1);
    ASSERT_EQ(t.read(), 403U);
    EXPECT_EQ(t.service.log_in(t.person).status, 200U);
    EXPECT_EQ(t.service.get(accepted_path, caller).status, 200U);
    EXPECT_EQ(t.service.get("/api/shared/user/session/list", caller).status, 200U);
    EXPECT_EQ(t.service.get("/api/shared/user/activity-log/list", caller).status, 200U);
    EXPECT_EQ(t.service.get("/api/shared/user/2fa/status", caller).status, 200U);
    EXPECT_EQ(t.service.get("/api/shared/user/export", caller).status, 200U);
    EXPECT_EQ(t.service.get("/api/forward-auth", caller).status, 200U);
    EXPECT_EQ(t.service.get("/api/forward-auth?policies=marketing", caller).status, 200U);
    Person other = t.service.make_person();
    t.service.turn_two_factor_on(other);
    const TokenTexts next = t.service.tokens_of(t.person);
    EXPECT_EQ(t.service.post("/api/shared/user/refresh", {}, bearer(next.refresh)).status, 200U);
    EXPECT_EQ(t.service.post("/api/shared/user/logout", {}, bearer(t.token)).status, 200U);
    EXPECT_EQ(accept(t.service, tokens.access, "privacy").status, 200U);
    EXPECT_EQ(t.service.erase("/api/shared/user/delete/self", {}, caller).status, 204U);
}

TEST(DOC_8, AdministratorsAreAskedToo) {
    Guarded t(Role::super_admin);
    publish(t.service, "termsOfService", 1);
    EXPECT_EQ(t.read(), 403U);
    EXPECT_EQ(t.service.get("/api/admin/user/list", bearer(t.token)).status, 200U) << "their work is not stopped by it";
    // The guard does not stop publishing either, so that a corrected version can be published.
    const PolicyDesk desk(t.service);
    desk.published("termsOfService", 2, texts_in({"en"}));
    EXPECT_EQ(t.service.get(profile_path, bearer(desk.token())).status, 403U);
    desk.published("termsOfService", 3, texts_in({"en"}));
    EXPECT_EQ(t.service.get("/api/forward-auth?roles=admin&policies=termsOfService", bearer(t.token)).status, 403U);
    EXPECT_EQ(accept(t.service, t.token, "termsOfService").status, 200U);
    EXPECT_EQ(t.read(), 200U);
}

TEST(DOC_8, WithoutATokenNobodyIsAskedForConsent) {
    Guarded t;
    publish(t.service, "privacy", 1);
    EXPECT_EQ(t.service.get(profile_path).status, 401U);
    EXPECT_EQ(t.service.get(profile_path, bearer(t.token + "x")).status, 401U);
    EXPECT_EQ(t.service.get("/api/forward-auth?policies=privacy").status, 401U);
    EXPECT_EQ(t.service.post("/api/shared/user/logout", {}, bearer(t.token)).status, 200U);
    EXPECT_EQ(t.read(), 401U);
}

TEST(DOC_8, ProxiesThatKeepThePathAskByHeader) {
    Guarded t;
    publish(t.service, "cookies", 1);
    const auto ask = [&](const std::string& policies) {
        Headers headers = bearer(t.token);
        headers.emplace_back("X-Required-Policies", policies);
        return t.service.get("/api/forward-auth/orders", headers).status;
    };
    EXPECT_EQ(ask("privacy"), 200U);
    EXPECT_EQ(ask("privacy, cookies"), 403U);
    EXPECT_EQ(accept(t.service, t.token, "cookies").status, 200U);
    EXPECT_EQ(ask("privacy, cookies"), 200U);
}

TEST(DOC_8, AGuardThatCannotAskLetsNobodyPass) {
    Service own;
    Guarded t(Role::user, own);
    publish(t.service, "privacy", 1);
    ASSERT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    ASSERT_EQ(t.read(), 200U);
    t.service.sql("ALTER TABLE term_policy_acceptances RENAME TO away");
    EXPECT_GE(t.read(), 500U);
    t.service.sql("ALTER TABLE away RENAME TO term_policy_acceptances");
    EXPECT_EQ(t.read(), 200U);
}

TEST(DOC_8, ADamagedHistoryIsNoConsent) {
    Guarded t;
    publish(t.service, "privacy", 1);
    ASSERT_EQ(accept(t.service, t.token, "privacy").status, 200U);
    const std::string own = " WHERE user_id = '" + t.person.id.text() + "'";
    t.service.sql("UPDATE term_policy_acceptances SET action = 'Accepted'" + own);
    EXPECT_EQ(t.read(), 403U);
    t.service.sql("UPDATE term_policy_acceptances SET action = 'accepted', version = 2" + own);
    EXPECT_EQ(t.read(), 403U) << "of a version that was never published";
    publish(t.service, "marketing", 1);
    ASSERT_EQ(accept(t.service, t.token, "marketing").status, 200U);
    t.service.sql("UPDATE term_policy_acceptances SET version = 1" + own + " AND type = 'privacy'");
    const auto has_marketing = [&] {
        const Answer profile = t.service.get(profile_path, bearer(t.token));
        EXPECT_EQ(profile.status, 200U) << profile.body;
        return profile.boolean("data.termPolicy.marketing");
    };
    EXPECT_TRUE(has_marketing());
    t.service.sql("UPDATE term_policy_acceptances SET version = 2" + own + " AND type = 'marketing'");
    EXPECT_FALSE(has_marketing());
}

}  // namespace
}  // namespace consentry::tests
