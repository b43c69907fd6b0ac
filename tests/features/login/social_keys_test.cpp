// SOC-5: tests where the keys come from, and what a slow, broken or absent provider can do to the service. Also tests a
// provider written by others.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "app/config/read_config.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/identity_provider.hpp"

namespace consentry::tests {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

struct KeyWorld {
    IdentityProviders providers;
    Service service;
    explicit KeyWorld(Environment more = {}) : service(providers.settings(std::move(more))) {}

    Answer log_in(const json::object& more = {}) {
        service.clock().advance(milliseconds{1'000});  // makes every token unique
        json::object order{{"claims", providers.claims(service, google, "s-1", "ada@example.org")}};
        for (const auto& [name, value] : more) order[name] = value;
        return log_in_with(service, google, providers.token(order));
    }
    std::int64_t fetches() const { return providers.fetches(google); }
    std::string users() const { return service.sql("SELECT count(*) FROM users")[0][0]; }
};

TEST(SOC_5, KeysAreFetchedOnceForAllWhoWait) {
    KeyWorld world;
    EXPECT_EQ(world.fetches(), 0) << "nobody came yet";
    std::vector<Call> calls;
    for (int i = 0; i < 50; ++i)
        calls.push_back({.path = "/api/public/user/login/social/google",
                         .body = {{"from", "website"}},
                         .headers = bearer(world.providers.token(world.service, google, "s-" + std::to_string(i),
                                                                 "p" + std::to_string(i) + "@example.org"))});
    EXPECT_EQ(count(all_at_once(world.service, calls), 200), 50U);
    EXPECT_EQ(world.fetches(), 1);
    EXPECT_EQ(world.providers.fetches(apple), 0);
}

TEST(SOC_5, AnUnknownKeyIsAskedForOnceAMinute) {
    KeyWorld world;
    EXPECT_EQ(world.log_in().status, 200U);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(world.log_in({{"kid", "k" + std::to_string(i)}}).status, 401U);
    EXPECT_EQ(world.fetches(), 1);
    world.service.pass(minutes{1});
    std::vector<Call> calls;
    for (int i = 0; i < 50; ++i)
        calls.push_back({.path = "/api/public/user/login/social/google",
                         .body = {{"from", "website"}},
                         .headers = bearer(world.providers.token(
                             {{"claims", world.providers.claims(world.service, google, "s-1", "ada@example.org")},
                              {"kid", "k" + std::to_string(i)}}))});
    EXPECT_EQ(count(all_at_once(world.service, calls), 401, "socialGoogleInvalid"), 50U);
    EXPECT_EQ(world.fetches(), 2);
}

TEST(SOC_5, ARotationIsFollowedAndTheOldKeysAreGone) {
    KeyWorld world;
    json::object claims = world.providers.claims(world.service, google, "s-1", "ada@example.org");
    claims["exp"] = claims["iat"].as_int64() + 86'400;
    EXPECT_EQ(world.log_in().status, 200U);
    world.service.pass(minutes{1});
    claims["iat"] = epoch_seconds(world.service.clock().now());
    const std::string of_old_key = world.providers.token({{"claims", claims}});
    world.providers.rotate(google, false);
    EXPECT_EQ(world.log_in().status, 200U) << "the set is fetched for the new key";
    EXPECT_EQ(log_in_with(world.service, google, of_old_key).status, 401U) << "and replaced as a whole";
    EXPECT_EQ(world.fetches(), 2);
}

TEST(SOC_5, KeysAreKeptAsLongAsTheProviderSaysWithinBounds) {
    KeyWorld world;
    const auto fetched_after = [&](const char* cache_control, milliseconds time) {
        world.providers.set_fault({{"cacheControl", cache_control}});
        world.service.pass(hours{25});  // expires all known keys
        EXPECT_EQ(world.log_in().status, 200U);
        const auto before = world.fetches();
        world.service.pass(time - milliseconds{1'000});
        EXPECT_EQ(world.log_in().status, 200U);
        return world.fetches() - before;
    };
    EXPECT_EQ(fetched_after("max-age=5", minutes{1} - milliseconds{1}), 0) << "a minute at least";
    EXPECT_EQ(fetched_after("max-age=5", minutes{1}), 1);
    EXPECT_EQ(fetched_after("no-store", minutes{1} - milliseconds{1}), 0);
    EXPECT_EQ(fetched_after("no-store", minutes{1}), 1);
    EXPECT_EQ(fetched_after("public, MAX-AGE=7200, must-revalidate", hours{2} - milliseconds{1}), 0);
    EXPECT_EQ(fetched_after("public, MAX-AGE=7200, must-revalidate", hours{2}), 1);
    EXPECT_EQ(fetched_after("max-age=99999999999999", hours{24} - milliseconds{1}), 0);
    EXPECT_EQ(fetched_after("max-age=99999999999999", hours{24}), 1) << "a day at most";
    EXPECT_EQ(fetched_after("max-age=-1", hours{1} - milliseconds{1}), 0) << "an hour where nothing is said";
    EXPECT_EQ(fetched_after("max-age=1x", hours{1}), 1);
    EXPECT_EQ(fetched_after("", hours{1}), 1);
}

TEST(SOC_5, WhileTheProviderIsDownKnownKeysGoOnForADay) {
    KeyWorld world;
    const Person person = world.service.make_person();
    EXPECT_EQ(world.log_in().status, 200U);
    world.providers.set_fault({{"kind", "status"}, {"status", 500}});
    for (const int hour : {1, 2, 12, 23}) {
        world.service.pass(hour == 12 ? hours{10} : hour == 23 ? hours{11} : hours{1});
        EXPECT_EQ(world.log_in().status, 200U) << hour;
        EXPECT_EQ(world.service.log_in(person).status, 200U);
    }
    // Only tokens with a new key have to wait.
    world.providers.rotate(google, true);
    EXPECT_EQ(world.log_in().status, 503U);
    const auto attempts = world.fetches();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(world.log_in().status, 503U);
    EXPECT_EQ(world.fetches(), attempts) << "and the provider is left alone for a minute";

    world.service.pass(hours{1});
    EXPECT_EQ(world.log_in().status, 503U) << "after a day nobody vouches for the old ones";
    EXPECT_EQ(world.service.log_in(person).status, 200U);
    world.providers.set_fault({});
    world.service.pass(minutes{1});
    EXPECT_EQ(world.log_in().status, 200U);
}

TEST(SOC_5, WhatIsNoKeySetIsNotTaken) {
    KeyWorld world;
    const Person person = world.service.make_person();
    const std::vector<json::object> faults{
        {{"kind", "status"}, {"status", 404}},
        {{"kind", "status"}, {"status", 204}},
        {{"kind", "drop"}},
        {{"kind", "body"}, {"body", ""}},
        {{"kind", "body"}, {"body", "<html>"}},
        {{"kind", "body"}, {"body", "[]"}},
        {{"kind", "body"}, {"body", R"({"keys":[]})"}},
        {{"kind", "body"}, {"body", R"({"keys":{}})"}},
        {{"kind", "body"}, {"body", R"({"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]})"}},
        {{"kind", "body"}, {"body", R"({"keys":[{"kty":"RSA","kid":"a","n":"AAAA","e":"AQAB"}]})"}},
        {{"kind", "body"}, {"body", std::string(10'000, '[')}},
        {{"more", json::array{json::object{{"kty", "oct"}, {"kid", "a"}, {"k", "AAAA"}}}}},
        {{"kind", "redirect"}, {"to", "http://169.254.169.254/latest/meta-data"}},
        {{"kind", "redirect"}, {"to", world.providers.keys_address(apple)}},
        {{"kind", "flood"}},
    };
    for (const json::object& fault : faults) {
        world.providers.set_fault(fault);
        world.service.pass(minutes{1});
        const auto before = world.fetches();
        EXPECT_EQ(world.log_in().status, 503U) << fault;
        EXPECT_GT(world.fetches(), before) << fault;
        EXPECT_LE(world.fetches(), before + 2) << fault << " (libcurl asks anew where a kept connection has ended)";
        EXPECT_EQ(world.service.log_in(person).status, 200U);
    }
    EXPECT_EQ(world.providers.fetches(apple), 0) << "no redirect is followed";
    EXPECT_EQ(world.users(), "1");
    world.providers.set_fault({});
    world.service.pass(minutes{1});
    EXPECT_EQ(world.log_in().status, 200U);
}

TEST(SOC_5, KeysOfOtherKindsDoNotInterfere) {
    KeyWorld world;
    world.providers.set_fault({{"more", json::array{json::object{{"kty", "RSA"}, {"use", "enc"}, {"kid", "a"}},
                                                    json::object{{"kty", "EC"}, {"crv", "secp256k1"}, {"kid", "b"}},
                                                    json::object{{"kty", "new"}, {"kid", "c"}}}}});
    EXPECT_EQ(world.log_in().status, 200U);
    EXPECT_EQ(world.log_in({{"kid", "a"}}).status, 401U);
}

TEST(SOC_5, ACertificateOfAStrangerIsNotBelieved) {
    const IdentityProviders providers;
    Environment settings = providers.settings();
    settings["AUTH_SOCIAL_CA_FILE"] = providers.file("untrusted_ca.crt");
    Service service(settings);
    EXPECT_EQ(log_in_with(service, google, providers.token(service, google, "s-1", "ada@example.org")).status, 503U);
    EXPECT_EQ(providers.fetches(google), 0) << "nothing was asked of a server that nobody vouches for";
    // The same holds for a server whose certificate has another name.
    settings = providers.settings();
    std::string address = providers.keys_address(google);
    address.replace(address.find("127.0.0.1"), 9, "127.0.0.2");
    settings["AUTH_SOCIAL_GOOGLE_JWKS_URI"] = address;
    Service other(settings);
    EXPECT_EQ(log_in_with(other, google, providers.token(other, google, "s-1", "ada@example.org")).status, 503U);
    EXPECT_EQ(providers.fetches(google), 0);
}

TEST(FLT_3, ASlowProviderIsInNobodysWay) {
    KeyWorld world({{"HTTP_THREADS", "1"}});  // a blocked thread would stop all requests
    const Person person = world.service.make_person();
    for (const char* kind : {"silence", "drip"}) {
        world.providers.set_fault({{"kind", kind}});
        world.service.pass(minutes{1});
        const auto before = world.fetches();
        json::object claims = world.providers.claims(world.service, google, "s-1", "ada@example.org");
        claims["jti"] = kind;
        const std::string token = world.providers.token({{"claims", claims}});
        std::atomic<bool> answered = false;
        unsigned status = 0;
        std::jthread waiting([&] {
            status = log_in_with(world.service, google, token).status;
            answered = true;
        });
        ASSERT_TRUE(eventually([&] { return world.fetches() > before; }));
        EXPECT_EQ(world.service.log_in(person).status, 200U);
        EXPECT_FALSE(answered) << "somebody still waits for the keys";
        waiting.join();
        EXPECT_EQ(status, 503U);
    }
}

TEST(SOC_5, TheServiceStopsWhileAProviderKeepsItWaiting) {
    KeyWorld world;
    world.providers.set_fault({{"kind", "silence"}});
    const std::string token = world.providers.token(world.service, google, "s-1", "ada@example.org");
    std::jthread waiting([&] {
        try {
            log_in_with(world.service, google, token);
        } catch (const std::exception&) {
            // The answer may be missing or late.
        }
    });
    ASSERT_TRUE(eventually([&] { return world.fetches() > 0; }));
    const auto begin = std::chrono::steady_clock::now();
    world.service.app().stop();
    world.service.app().wait();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds{15}) << "half of what other requests may take";
}

TEST(SOC_5, KeysComeOverHttpsAlone) {
    for (const char* setting :
         {"AUTH_SOCIAL_GOOGLE_JWKS_URI", "AUTH_SOCIAL_APPLE_JWKS_URI", "AUTH_SOCIAL_GOOGLE_ISSUER",
          "AUTH_SOCIAL_APPLE_ISSUER", "AUTH_SOCIAL_GOOGLE_AUTHORIZATION_URL", "AUTH_SOCIAL_APPLE_AUTHORIZATION_URL"})
        for (const char* value : {"http://127.0.0.1/keys", "file:///etc/passwd", "ftp://a/b", "https://",
                                  "https://a@b/c", "https://a/b#c", "https://a/ b", "//a/b", ""})
            EXPECT_FALSE(read_config({{setting, value}}).has_value()) << setting << value;
    const auto config =
        read_config({{"AUTH_SOCIAL_APPLE_CLIENT_ID", "a,b"}, {"AUTH_SOCIAL_APPLE_SIGN_IN_CLIENT_ID", "c"}});
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(config->social.apple.client_ids, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(config->social.apple.web_client_id, "c") << "apps have no pages";
    EXPECT_EQ(config->social.apple.jwks_uri, "https://appleid.apple.com/auth/keys");
    EXPECT_EQ(config->social.apple.authorization_url, "https://appleid.apple.com/auth/authorize");
    EXPECT_EQ(config->social.google.authorization_url, "https://accounts.google.com/o/oauth2/v2/auth");
    EXPECT_EQ(config->social.google.jwks_uri, "https://www.googleapis.com/oauth2/v3/certs");
    EXPECT_EQ(config->social.google.issuer, "https://accounts.google.com");
    EXPECT_TRUE(config->social.google.client_ids.empty());
    EXPECT_EQ(read_config({{"AUTH_SOCIAL_GOOGLE_CLIENT_ID", "a, b"}})->social.google.web_client_id, "a");
    EXPECT_TRUE(read_config({{"AUTH_SOCIAL_APPLE_CLIENT_ID", "a"}})->social.apple.web_client_id.empty());
    EXPECT_FALSE(read_config({{"AUTH_SOCIAL_GOOGLE_CLIENT_ID", "a,,b"}}).has_value());
    EXPECT_FALSE(read_config({{"AUTH_SOCIAL_GOOGLE_CLIENT_SECRET", ""}}).has_value());
}

TEST(SOC_1, AProviderThatOthersWroteIsUnderstood) {
    const GenuineProvider provider;
    Service service(provider.settings());
    service.clock().set(from_epoch_ms(epoch_ms(SystemClock().now())));  // the provider's tokens have the current time
    for (const char* client : {"rsa", "ec"}) {
        const json::object order{
            {"client", client}, {"subject", "ada"}, {"email", "ada@example.org"}, {"nonce", "n-1"}};
        const std::string token = provider.log_in(order);
        EXPECT_EQ(log_in_with(service, google, token, {{"nonce", "n-2"}}).status, 401U);
        const Answer answer = log_in_with(service, google, token, {{"nonce", "n-1"}});
        EXPECT_EQ(answer.status, 200U) << answer.body;
        EXPECT_EQ(log_in_with(service, google, token, {{"nonce", "n-1"}}).status, 401U);
        EXPECT_EQ(log_in_with(service, apple, token).status, 401U);
    }
    EXPECT_EQ(service.sql("SELECT count(*) FROM users")[0][0], "1");
    const std::string unverified = provider.log_in(
        {{"client", "rsa"}, {"subject", "eve"}, {"email", "eve@example.org"}, {"emailVerified", false}});
    EXPECT_EQ(log_in_with(service, google, unverified).status, 401U);
}

}  // namespace
}  // namespace consentry::tests
