// SOC-1, SOC-4: tests which identity tokens admit a user, and how often.
#include <functional>
#include <map>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/calls/factor_calls.hpp"
#include "tests/support/identity_provider.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

const std::string path = "/api/public/user/login/social/google";
constexpr const char* email = "ada@example.org";

struct TokenWorld {
    IdentityProviders providers;
    Service service;
    explicit TokenWorld(Environment more = {}) : service(providers.settings(std::move(more))) {}

    std::string rows(const std::string& table) const { return service.sql("SELECT count(*) FROM " + table)[0][0]; }
};

// An order for a token: what the test provider is asked for, and the claims, at the service's time.
struct Order {
    TokenWorld& world;
    json::object order;
    json::object claims;
    std::int64_t now;

    std::string token() const {
        json::object whole = order;
        if (!whole.contains("payload")) whole["claims"] = claims;
        return world.providers.token(std::move(whole));
    }
    std::string issuer() const { return std::string(claims.at("iss").as_string()); }
    // Appends these members to the text of the claims.
    void append(const std::string& members) {
        std::string text = json::serialize(claims);
        text.back() = ',';
        order["payload"] = text + members + "}";
    }
    void say_header(const std::string& text) { order["headerText"] = text; }
};

struct Variant {
    const char* what;
    std::function<void(Order&)> change;
};

Order order_of(TokenWorld& world) {
    return {.world = world,
            .order = {{"provider", google}},
            .claims = world.providers.claims(world.service, google, "subject-1", email),
            .now = epoch_seconds(world.service.clock().now())};
}

const std::vector<Variant> forgeries{
    {"another provider", [](Order& o) { o.claims["iss"] = o.world.providers.issuer(apple); }},
    {"issuer with a slash", [](Order& o) { o.claims["iss"] = o.issuer() + "/"; }},
    {"issuer in capitals", [](Order& o) { o.claims["iss"] = "HTTPS" + o.issuer().substr(5); }},
    {"issuer over http", [](Order& o) { o.claims["iss"] = "http" + o.issuer().substr(5); }},
    {"issuer without scheme", [](Order& o) { o.claims["iss"] = o.issuer().substr(8); }},
    {"issuer with a space", [](Order& o) { o.claims["iss"] = o.issuer() + " "; }},
    {"issuer with a query", [](Order& o) { o.claims["iss"] = o.issuer() + "?a"; }},
    {"the real Google", [](Order& o) { o.claims["iss"] = "https://accounts.google.com"; }},
    {"an issuer of one's own", [](Order& o) { o.claims["iss"] = "https://evil.example.org"; }},
    {"no issuer", [](Order& o) { o.claims.erase("iss"); }},
    {"issuer is a number", [](Order& o) { o.claims["iss"] = 7; }},
    {"issuer is a list", [](Order& o) { o.claims["iss"] = json::array{json::string(o.issuer())}; }},
    {"issuer is null", [](Order& o) { o.claims["iss"] = nullptr; }},

    {"another client", [](Order& o) { o.claims["aud"] = "somebody-else"; }},
    {"a client of the other provider", [](Order& o) { o.claims["aud"] = "apple-app"; }},
    {"client in capitals", [](Order& o) { o.claims["aud"] = "GOOGLE-WEB"; }},
    {"client with a space", [](Order& o) { o.claims["aud"] = "google-web "; }},
    {"the setting as it stands", [](Order& o) { o.claims["aud"] = "google-web, google-app"; }},
    {"no audience", [](Order& o) { o.claims.erase("aud"); }},
    {"empty audience", [](Order& o) { o.claims["aud"] = ""; }},
    {"audience of nobody", [](Order& o) { o.claims["aud"] = json::array{}; }},
    {"audience of strangers", [](Order& o) { o.claims["aud"] = json::array{"a", "b"}; }},
    {"audience is a number", [](Order& o) { o.claims["aud"] = 7; }},
    {"audience is an object", [](Order& o) { o.claims["aud"] = json::object{{"google-web", true}}; }},
    {"audience is null", [](Order& o) { o.claims["aud"] = nullptr; }},
    {"a number among the audience", [](Order& o) { o.claims["aud"] = json::array{"google-web", 7}; }},
    {"several without azp", [](Order& o) { o.claims["aud"] = json::array{"google-web", "other"}; }},
    {"several, made for another",
     [](Order& o) {
         o.claims["aud"] = json::array{"google-web", "other"};
         o.claims["azp"] = "other";
     }},
    {"one, made for another", [](Order& o) { o.claims["azp"] = "other"; }},
    {"azp is a number", [](Order& o) { o.claims["azp"] = 7; }},
    {"azp is null", [](Order& o) { o.claims["azp"] = nullptr; }},
    {"azp is a list", [](Order& o) { o.claims["azp"] = json::array{"google-web"}; }},

    {"ends now", [](Order& o) { o.claims["exp"] = o.now; }},
    {"ended a second ago", [](Order& o) { o.claims["exp"] = o.now - 1; }},
    {"no end", [](Order& o) { o.claims.erase("exp"); }},
    {"end is text", [](Order& o) { o.claims["exp"] = std::to_string(o.now + 60); }},
    {"end is a fraction", [](Order& o) { o.claims["exp"] = static_cast<double>(o.now) + 60.5; }},
    {"end is null", [](Order& o) { o.claims["exp"] = nullptr; }},
    {"end before 1970", [](Order& o) { o.claims["exp"] = -1; }},
    {"end beyond all time", [](Order& o) { o.claims["exp"] = std::int64_t{1} << 62; }},
    {"end in milliseconds", [](Order& o) { o.claims["exp"] = (o.now + 60) * 1'000'000; }},
    {"no beginning", [](Order& o) { o.claims.erase("iat"); }},
    {"begun in the future", [](Order& o) { o.claims["iat"] = o.now + 61; }},
    {"too old", [](Order& o) { o.claims["iat"] = o.now - 601; }},
    {"begun in text", [](Order& o) { o.claims["iat"] = std::to_string(o.now); }},
    {"begun in milliseconds", [](Order& o) { o.claims["iat"] = o.now * 1'000; }},
    {"not valid yet", [](Order& o) { o.claims["nbf"] = o.now + 61; }},
    {"valid from a text on", [](Order& o) { o.claims["nbf"] = "now"; }},
    {"valid from null on", [](Order& o) { o.claims["nbf"] = nullptr; }},

    {"no subject", [](Order& o) { o.claims.erase("sub"); }},
    {"empty subject", [](Order& o) { o.claims["sub"] = ""; }},
    {"subject of 256", [](Order& o) { o.claims["sub"] = std::string(256, 's'); }},
    {"subject is a number", [](Order& o) { o.claims["sub"] = 7; }},
    {"subject is null", [](Order& o) { o.claims["sub"] = nullptr; }},
    {"subject is a list", [](Order& o) { o.claims["sub"] = json::array{"subject-1"}; }},
    {"subject with a NUL", [](Order& o) { o.claims["sub"] = json::string("a\0b", 3); }},
    {"subject with a line end", [](Order& o) { o.claims["sub"] = "a\nb"; }},
    {"subject beyond ASCII", [](Order& o) { o.claims["sub"] = "ädä"; }},
    {"nonce is a number", [](Order& o) { o.claims["nonce"] = 7; }},

    {"an access token", [](Order& o) { o.order["header"] = {{"typ", "at+jwt"}}; }},
    {"a logout token", [](Order& o) { o.order["header"] = {{"typ", "logout+jwt"}}; }},
    {"a message about an account", [](Order& o) { o.claims["events"] = json::object{}; }},

    {"unsigned", [](Order& o) { o.order["alg"] = "none"; }},
    {"unsigned, spelled otherwise", [](Order& o) { o.order["alg"] = "NONE", o.order["secret"] = ""; }},
    {"HS256 with the public key", [](Order& o) { o.order["alg"] = "HS256"; }},
    {"HS256 with the client's secret",
     [](Order& o) {
         o.order["alg"] = "HS256";
         o.order["secret"] = "a secret between Google and the client";
     }},
    {"HS256 with nothing", [](Order& o) { o.order["alg"] = "HS256", o.order["secret"] = ""; }},
    {"RS384", [](Order& o) { o.order["alg"] = "RS384"; }},
    {"RS512", [](Order& o) { o.order["alg"] = "RS512"; }},
    {"PS256", [](Order& o) { o.order["alg"] = "PS256"; }},
    {"RS256 that says ES256", [](Order& o) { o.order["header"] = {{"alg", "ES256"}}; }},
    {"ES256 that says RS256",
     [](Order& o) {
         o.order["alg"] = "ES256";
         o.order["header"] = {{"alg", "RS256"}};
     }},
    {"rs256", [](Order& o) { o.order["header"] = {{"alg", "rs256"}}; }},
    {"algorithm is null", [](Order& o) { o.order["header"] = {{"alg", nullptr}}; }},
    {"algorithm is a list", [](Order& o) { o.order["header"] = {{"alg", json::array{"RS256"}}}; }},

    {"unknown key", [](Order& o) { o.order["kid"] = "0123456789abcdef"; }},
    {"empty name of a key", [](Order& o) { o.order["header"] = {{"kid", ""}}; }},
    {"name of a key is a number", [](Order& o) { o.order["header"] = {{"kid", 7}}; }},
    {"name of a key is a path", [](Order& o) { o.order["kid"] = "../../../../dev/null"; }},
    {"name of a key is SQL", [](Order& o) { o.order["kid"] = "' OR 1=1 --"; }},
    {"no name of a key", [](Order& o) { o.say_header(R"({"alg":"RS256","typ":"JWT"})"); }},
    {"no header", [](Order& o) { o.say_header("{}"); }},
    {"header is a list", [](Order& o) { o.say_header("[]"); }},
    {"two algorithms", [](Order& o) { o.say_header(R"({"alg":"none","alg":"RS256","kid":"a"})"); }},
    {"the other provider's token", [](Order& o) { o.order["provider"] = apple; }},
    {"the other provider's key", [](Order& o) { o.order["signer"] = apple; }},
    {"a stranger's key", [](Order& o) { o.order["signer"] = "stranger"; }},
    {"a stranger's elliptic key", [](Order& o) { o.order["signer"] = "stranger", o.order["alg"] = "ES256"; }},
    {"brings a key", [](Order& o) { o.order["header"] = {{"jwk", {{"kty", "RSA"}}}}; }},
    {"brings the address of keys", [](Order& o) { o.order["header"] = {{"jku", o.issuer() + "/other"}}; }},
    {"brings the address of a certificate", [](Order& o) { o.order["header"] = {{"x5u", o.issuer() + "/other"}}; }},
    {"brings a certificate", [](Order& o) { o.order["header"] = {{"x5c", json::array{"MIIB"}}}; }},
    {"demands what nobody knows", [](Order& o) { o.order["header"] = {{"crit", json::array{"exp"}}}; }},
    {"not base64", [](Order& o) { o.order["header"] = {{"b64", false}}; }},

    {"a bit of the signature", [](Order& o) { o.order["tamper"] = "signature"; }},
    {"a byte less of it", [](Order& o) { o.order["tamper"] = "short"; }},
    {"another payload", [](Order& o) { o.order["tamper"] = "payload"; }},
    {"padding", [](Order& o) { o.order["tamper"] = "padding"; }},
    {"four parts", [](Order& o) { o.order["tamper"] = "four parts"; }},
    {"ES256 in DER", [](Order& o) { o.order["alg"] = "ES256", o.order["tamper"] = "der"; }},
    {"two subjects", [](Order& o) { o.append(R"("sub":"subject-2")"); }},
    {"two audiences", [](Order& o) { o.append(R"("aud":"google-web")"); }},
    {"a subject spelled in two ways", [](Order& o) { o.append(R"("s\u0075b":"subject-2")"); }},
    {"payload is a list", [](Order& o) { o.order["payload"] = "[]"; }},
    {"payload is not JSON", [](Order& o) { o.order["payload"] = "sub=subject-1"; }},
    {"payload is nested deeply", [](Order& o) { o.append(R"("a":)" + std::string(9, '[') + std::string(9, ']')); }},
    {"9 KB", [](Order& o) { o.claims["filler"] = std::string(9'000, 'x'); }},
};

TEST(SOC_1, NoForgedTokenLetsAnybodyIn) {
    TokenWorld world;
    ASSERT_EQ(log_in_with(world.service, google, order_of(world).token()).status, 200U)
        << "what the others differ from";
    const std::string users = world.rows("users");
    const std::string sessions = world.rows("sessions");
    ASSERT_GT(forgeries.size(), 90U);
    for (const auto& [what, change] : forgeries) {
        Order order = order_of(world);
        change(order);
        const Answer answer = log_in_with(world.service, google, order.token());
        EXPECT_EQ(answer.status, 401U) << what << ": " << answer.body;
        if (answer.status == 401U) EXPECT_EQ(answer.code_name(), "socialGoogleInvalid") << what;
    }
    EXPECT_EQ(world.rows("users"), users);
    EXPECT_EQ(world.rows("sessions"), sessions);
    EXPECT_EQ(world.rows("spent_identity_tokens"), "1");
    EXPECT_EQ(world.providers.fetches("other"), 0) << "no address in a token is asked";
    EXPECT_EQ(world.providers.fetches(apple), 0);
}

TEST(SOC_1, WhatProvidersMaySayInMoreThanOneWay) {
    TokenWorld world;
    const std::vector<Variant> good{
        {"ES256", [](Order& o) { o.order["alg"] = "ES256"; }},
        {"another client of ours", [](Order& o) { o.claims["aud"] = "google-app"; }},
        {"a list of one", [](Order& o) { o.claims["aud"] = json::array{"google-web"}; }},
        {"several, made for us",
         [](Order& o) {
             o.claims["aud"] = json::array{"other", "google-web"};
             o.claims["azp"] = "google-app";
         }},
        {"ends in a second", [](Order& o) { o.claims["exp"] = o.now + 1; }},
        {"a clock that is a minute fast", [](Order& o) { o.claims["iat"] = o.claims["nbf"] = o.now + 60; }},
        {"ten minutes old", [](Order& o) { o.claims["iat"] = o.now - 600; }},
        {"no type", [](Order& o) { o.order["header"] = {{"typ", ""}}; }},
        {"type in small letters", [](Order& o) { o.order["header"] = {{"typ", "jwt"}}; }},
        {"verified in text", [](Order& o) { o.claims["email_verified"] = "true"; }},
        {"a nonce that nobody asked for", [](Order& o) { o.claims["nonce"] = "n-1"; }},
        {"subject of 255",
         [](Order& o) {
             o.claims["sub"] = std::string(255, 's');
             o.claims["email"] = "other@example.org";
         }},
    };
    for (const auto& [what, change] : good) {
        world.service.clock().advance(seconds{1});
        Order order = order_of(world);
        change(order);
        const Answer answer = log_in_with(world.service, google, order.token());
        EXPECT_EQ(answer.status, 200U) << what << ": " << answer.body;
    }
    for (const char* client : {"apple-app", "apple-web"}) {
        json::object claims = world.providers.claims(world.service, apple, "subject-1", "ida@example.org");
        claims["aud"] = client;
        const std::string token = world.providers.token({{"provider", apple}, {"claims", claims}});
        EXPECT_EQ(log_in_with(world.service, apple, token).status, 200U) << client;
        EXPECT_EQ(log_in_with(world.service, google, token).code_name(), "socialGoogleInvalid");
    }
}

TEST(SOC_1, ATokenMustComeAsOneBearer) {
    TokenWorld world;
    const std::string token = world.providers.token(world.service, google, "subject-1", email);
    const json::object body{{"from", "website"}};
    for (const Headers& headers :
         {Headers{}, Headers{{"Authorization", "Bearer"}}, Headers{{"Authorization", "Bearer "}},
          Headers{{"Authorization", "Basic " + token}}, Headers{{"Authorization", token}}}) {
        const Answer answer = world.service.post(path, body, headers);
        EXPECT_EQ(answer.status, 401U);
        EXPECT_EQ(answer.code_name(), "socialGoogleRequired");
        EXPECT_EQ(answer.number("statusCode"), 5122);
    }
    const Answer of_apple = world.service.post("/api/user/login/social/apple", body);
    EXPECT_EQ(of_apple.code_name(), "socialAppleRequired");
    EXPECT_EQ(of_apple.number("statusCode"), 5124);
    // Tokens of the service itself are not identity tokens.
    const std::string own = world.service.tokens_of(world.service.make_person()).access;
    EXPECT_EQ(log_in_with(world.service, google, own).number("statusCode"), 5123);
    EXPECT_EQ(log_in_with(world.service, apple, own).number("statusCode"), 5125);
    // The refused requests did not spend the token. The body is validated last.
    EXPECT_TRUE(world.service.post(path, {}, bearer(token)).violates("from", "isNotEmpty"));
    EXPECT_EQ(world.service.post("/api/v1/user/login/social/google", body, bearer(token)).status, 200U);
}

TEST(SOC_1, TheOperatorLearnsWhyATokenWasRefused) {
    TokenWorld world;
    Order order = order_of(world);
    order.claims["aud"] = "somebody-else";
    const std::string token = order.token();
    for (int i = 0; i < 30; ++i) EXPECT_EQ(log_in_with(world.service, google, token).status, 401U);
    EXPECT_EQ(log_in_with(world.service, apple, "a.b.c").status, 401U);
    EXPECT_EQ(log_in_with(world.service, google, order_of(world).token()).status, 200U);
    world.service.restart();  // writes the pending events
    const auto file = world.service.folder() / "data" / "security" / "events.log";
    std::map<std::string, int> told;
    for (const json::object& event : entries_in(file)) {
        std::string name(event.at("event").as_string());
        if (const auto* detail = event.if_contains("detail"); detail != nullptr && name == "identity_token.refused")
            name =
                std::string(detail->at("provider").as_string()) + " " + std::string(detail->at("reason").as_string());
        if (name == "login.social") EXPECT_EQ(event.at("detail").at("provider"), "google");
        ++told[name];
    }
    EXPECT_EQ(told["google aud"], 10) << "of each reason ten in a minute: strangers must not fill the stream";
    EXPECT_EQ(told["apple form"], 1);
    EXPECT_EQ(told["login.social"], 1);
    EXPECT_EQ(told["account.signed_up"], 1);
    EXPECT_EQ(text_in(file).find(token.substr(0, 60)), std::string::npos);
}

TEST(SOC_4, OneTokenIsOneLoginHoweverManyPostIt) {
    TokenWorld world;
    const std::string token = world.providers.token(world.service, google, "subject-1", email);
    const std::vector<Call> calls(100, {.path = path, .body = {{"from", "website"}}, .headers = bearer(token)});
    const auto answers = all_at_once(world.service, calls);
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(count(answers, 401, "socialGoogleInvalid"), 99U);
    EXPECT_EQ(world.rows("sessions"), "1");
    EXPECT_EQ(world.rows("users"), "1");
}

TEST(SOC_4, OneTokenIsOneChallengeHoweverManyPostIt) {
    TokenWorld world;
    Person person = world.service.make_person();
    world.service.turn_two_factor_on(person);
    const std::string sessions = world.rows("sessions");
    const std::string token = world.providers.token(world.service, google, "subject-1", person.email);
    const std::vector<Call> calls(100, {.path = path, .body = {{"from", "website"}}, .headers = bearer(token)});
    const auto answers = all_at_once(world.service, calls);
    EXPECT_EQ(count(answers, 200), 1U);
    EXPECT_EQ(count(answers, 401, "socialGoogleInvalid"), 99U);
    EXPECT_EQ(world.rows("sessions"), sessions);
    EXPECT_EQ(world.service.sql("SELECT challenge_seq FROM users")[0][0], "1");
}

TEST(SOC_4, ATokenIsRememberedForADayBeyondItsEnd) {
    TokenWorld world;
    json::object claims = world.providers.claims(world.service, google, "subject-1", email);
    const std::string token = world.providers.token({{"claims", claims}, {"alg", "ES256"}});
    EXPECT_EQ(log_in_with(world.service, google, token).status, 200U);
    world.service.pass(std::chrono::minutes{1});
    run(world.service.app().services().clean_up());
    EXPECT_EQ(log_in_with(world.service, google, token).status, 401U);
    EXPECT_EQ(world.service.post("/api/user/login/social/google", {{"from", "mobile"}}, bearer(token)).status, 401U);
    world.service.restart();
    EXPECT_EQ(log_in_with(world.service, google, token).status, 401U);
    EXPECT_EQ(world.rows("spent_identity_tokens"), "1");
    world.service.pass(std::chrono::hours{1});
    run(world.service.app().services().clean_up());
    EXPECT_EQ(log_in_with(world.service, google, token).status, 401U) << "it has expired";
    world.service.pass(std::chrono::hours{-1});
    EXPECT_EQ(log_in_with(world.service, google, token).status, 401U) << "another instance, or a clock that was set";
    world.service.pass(std::chrono::hours{26});
    run(world.service.app().services().clean_up());
    EXPECT_EQ(world.rows("spent_identity_tokens"), "0");
    EXPECT_EQ(log_in_with(world.service, google, token).status, 401U) << "it has expired";
    EXPECT_EQ(world.rows("sessions"), "1");
}

TEST(SOC_4, ASecondSignatureOfATokenIsNoSecondToken) {
    TokenWorld world;
    const std::string token =
        world.providers.token({{"claims", world.providers.claims(world.service, google, "subject-1", email)},
                               {"alg", "ES256"},
                               {"tamper", "second spelling"}});
    EXPECT_EQ(log_in_with(world.service, google, token).status, 200U) << "it is a right one";
    // ECDSA signs the same claims differently each time.
    const std::string same = world.providers.token(
        {{"claims", world.providers.claims(world.service, google, "subject-1", email)}, {"alg", "ES256"}});
    EXPECT_NE(token, same);
    EXPECT_EQ(log_in_with(world.service, google, same).status, 401U);
}

TEST(SOC_4, ANonceMustBeTheOneInTheToken) {
    TokenWorld world;
    const auto token = [&](const json::value& nonce) {
        world.service.clock().advance(seconds{1});
        json::object claims = world.providers.claims(world.service, google, "subject-1", email);
        if (!nonce.is_null()) claims["nonce"] = nonce;
        return world.providers.token({{"claims", claims}});
    };
    const auto ask = [&](const std::string& with, const json::object& more) {
        return log_in_with(world.service, google, with, more).status;
    };
    const json::object sent{{"nonce", "n-1"}};
    EXPECT_EQ(ask(token("n-1"), sent), 200U);
    EXPECT_EQ(ask(token("n-1"), {}), 200U) << "nobody demands one";
    EXPECT_EQ(ask(token("n-2"), sent), 401U);
    EXPECT_EQ(ask(token("N-1"), sent), 401U);
    EXPECT_EQ(ask(token(""), sent), 401U);
    EXPECT_EQ(ask(token(nullptr), sent), 401U);
    EXPECT_EQ(ask(token("n-1"), {{"nonce", ""}}), 422U);

    world.service.restart({{"AUTH_SOCIAL_NONCE_REQUIRED", "true"}});
    EXPECT_EQ(ask(token("n-1"), sent), 200U);
    EXPECT_EQ(ask(token("n-1"), {}), 401U);
    EXPECT_EQ(ask(token(nullptr), {}), 401U);
    EXPECT_EQ(ask(token(nullptr), sent), 401U);
    EXPECT_EQ(ask(token("n-2"), sent), 401U);
}

}  // namespace
}  // namespace consentry::tests
