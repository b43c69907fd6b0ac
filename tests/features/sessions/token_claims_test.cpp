// Tests the kind and the claims of correctly signed tokens (TOK-7, TOK-8).
#include "base/text.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

struct ClaimBearer {
    Service& service = suite_service();
    Person person = service.make_person();
    TokenTexts tokens = service.tokens_of(person);
    Forge access{service, tokens.access};
    Forge refresh{service, tokens.refresh};

    bool accepts(const std::string& token) const { return status_with(service, token).status == 200; }
    std::int64_t now() { return epoch_seconds(service.clock().now()); }
};

TEST(TOK_7, EachKindStandsInItsOwnPlaceOnly) {
    ClaimBearer t;
    expect_refused_token(t.service, t.tokens.refresh, "a refresh token as access token");
    const Answer as_refresh = refresh_with(t.service, t.tokens.access);
    EXPECT_EQ(as_refresh.status, 401U);
    EXPECT_EQ(as_refresh.code_name(), "jwtRefreshTokenInvalid");
    for (const std::string& token : std::vector<std::string>{t.tokens.access, t.tokens.refresh}) {
        // The token is refused either because it is too long for a challenge or because it is not one.
        const Answer answer = t.service.verify(token, "000000");
        EXPECT_TRUE(answer.status == 401 || answer.status == 422) << answer.body;
        EXPECT_FALSE(answer.has("data"));
    }
    EXPECT_TRUE(t.accepts(t.tokens.access)) << "nothing of this ended the session";
    EXPECT_EQ(refresh_with(t.service, t.tokens.refresh).status, 200U);
}

TEST(TOK_7, AChallengeIsNoToken) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string challenge = service.challenge_of(person);
    expect_refused_token(service, challenge, "a challenge as access token");
    EXPECT_EQ(refresh_with(service, challenge).status, 401U);
    EXPECT_EQ(service.verify(challenge, service.next_code(person)).status, 200U) << "and is still good";
}

TEST(TOK_7, TypAndKeyMustBothFit) {
    ClaimBearer t;
    for (const std::string& typ : std::vector<std::string>{R"("rt+jwt")", R"("JWT")", R"("AT+JWT")", R"("at+jwt ")",
                                                           R"("application/at+jwt")", R"("")", "null", R"(["at+jwt"])"})
        expect_refused_token(t.service, t.access.with_header("typ", typ), typ);
    expect_refused_token(t.service, t.access.sign(t.access.header.without("typ"), t.access.claims), "no typ");
    expect_refused_token(t.service, t.refresh.with_header("typ", R"("at+jwt")"), "the refresh key for an access token");
    EXPECT_EQ(refresh_with(t.service, t.access.with_header("typ", R"("rt+jwt")")).status, 401U);
    EXPECT_EQ(refresh_with(t.service, t.refresh.with_header("typ", R"("at+jwt")")).status, 401U);
    EXPECT_EQ(refresh_with(t.service, t.refresh.sign(t.refresh.header.without("typ"), t.refresh.claims)).status, 401U);
    EXPECT_TRUE(t.accepts(t.access.sign(t.access.header, t.access.claims)));
}

TEST(TOK_7, AnotherDeploymentsTokensAreForeign) {
    ClaimBearer t;
    for (const std::string& name : std::vector<std::string>{"iss", "aud"}) {
        const std::string ours(claims_of(t.tokens.access).at(name).as_string());
        for (const std::string& other :
             std::vector<std::string>{ours + "x", "x" + ours, ours + "/", ours.substr(1), std::string("other"),
                                      to_lower_ascii(ours) == ours ? "O" + ours.substr(1) : to_lower_ascii(ours)})
            expect_refused_token(t.service, t.access.with_claim(name, as_json(other)), name + " " + other);
        expect_refused_token(t.service, t.access.with_claim(name, "[]"), name + " empty");
    }
    const std::string aud = as_json(claims_of(t.tokens.access).at("aud").as_string());
    EXPECT_TRUE(t.accepts(t.access.with_claim("aud", R"(["other",)" + aud + "]")));
    EXPECT_TRUE(t.accepts(t.access.with_claim("aud", "[" + aud + "]")));
    expect_refused_token(t.service, t.access.with_claim("aud", "[[" + aud + "]]"), "aud nested");
    expect_refused_token(t.service, t.access.with_claim("aud", "[" + aud + ",1]"), "aud with a number");
    expect_refused_token(t.service, t.access.with_claim("aud", R"(["other"])"), "aud of others");
    expect_refused_token(
        t.service, t.access.with_claim("iss", "[" + as_json(claims_of(t.tokens.access).at("iss").as_string()) + "]"),
        "iss as an array");
}

TEST(TOK_8, EveryClaimIsThereAndOfItsType) {
    ClaimBearer t;
    for (const std::string& name :
         std::vector<std::string>{"iss", "aud", "sub", "jti", "sid", "iat", "exp", "loginFrom", "loginWith"}) {
        expect_refused_token(t.service, t.access.without_claim(name), name + " absent");
        for (const std::string& raw :
             std::vector<std::string>{"null", "true", "{}", "[]", R"("")", "1.5", "-1", R"("1")", R"("x")"})
            expect_refused_token(t.service, t.access.with_claim(name, raw), name + " = " + raw);
    }
    const std::string soon = std::to_string(t.now() + 60);
    for (const std::string& name : std::vector<std::string>{"iat", "exp", "nbf"})
        for (const std::string& raw : std::vector<std::string>{
                 as_json(soon), soon + ".0", soon + ".5", soon + "e0", "-" + soon, std::string("1e400"),
                 std::string("9223372036854775808"), std::string("18446744073709551616"),
                 std::string("-9223372036854775808"), std::string("9007199254740993"), std::string("1e3"),
                 "[" + soon + "]", std::string("null"), std::string("{}"), std::string("NaN"), std::string("0x10"),
                 "0" + soon})
            expect_refused_token(t.service, t.access.with_claim(name, raw), name + " = " + raw);
    EXPECT_TRUE(t.accepts(t.access.with_claim("exp", "9007199254740992"))) << "2^53 is the last one";
    EXPECT_TRUE(t.accepts(t.access.with_claim("iat", "0")));
}

TEST(TOK_8, IdsNameThisSessionOfThisUser) {
    ClaimBearer t;
    const Person other = t.service.make_person();
    const json::object foreign = claims_of(t.service.tokens_of(other).access);
    for (const std::string& name : std::vector<std::string>{"sub", "sid", "jti"})
        expect_refused_token(t.service, t.access.with_claim(name, json::serialize(foreign.at(name))), name);
    const std::string sub(claims_of(t.tokens.access).at("sub").as_string());
    for (const std::string& raw :
         std::vector<std::string>{sub + "0", "{" + sub + "}", "urn:uuid:" + sub, sub.substr(1), sub + " ",
                                  std::string("00000000-0000-0000-0000-000000000000"), std::string("' OR '1'='1")})
        expect_refused_token(t.service, t.access.with_claim("sub", as_json(raw)), raw);
}

TEST(TOK_8, ATokenIsDeadAtExp) {
    ClaimBearer t;
    const auto at = [&](std::int64_t exp) { return t.access.with_claim("exp", std::to_string(exp)); };
    EXPECT_TRUE(t.accepts(at(t.now() + 1)));
    expect_refused_token(t.service, at(t.now()), "exp is now");
    expect_refused_token(t.service, at(t.now() - 1), "exp is past");
    expect_refused_token(t.service, at(0), "exp 0");
    // A token whose verification result is cached expires just as exactly.
    const std::string remembered = at(t.now() + 2);
    EXPECT_TRUE(t.accepts(remembered));
    t.service.clock().advance(seconds{1});
    EXPECT_TRUE(t.accepts(remembered)) << "exp - 1 s";
    t.service.clock().advance(milliseconds{999});
    EXPECT_TRUE(t.accepts(remembered)) << "exp - 1 ms";
    t.service.clock().advance(milliseconds{1});
    expect_refused_token(t.service, remembered, "at exp");
}

TEST(TOK_8, TheServicesOwnTokensDieAtExpAsWell) {
    ClaimBearer t;
    const std::int64_t exp = claims_of(t.tokens.access).at("exp").as_int64();
    EXPECT_EQ(exp, t.now() + 3'600);
    t.service.clock().set(from_epoch_seconds(exp - 1));
    EXPECT_TRUE(t.accepts(t.tokens.access));
    t.service.clock().set(from_epoch_seconds(exp));
    expect_refused_token(t.service, t.tokens.access, "at exp");
    EXPECT_EQ(refresh_with(t.service, t.tokens.refresh).status, 200U);
}

TEST(TOK_8, NotBeforeIsHonored) {
    ClaimBearer t;
    const std::string later = t.access.with_claim("nbf", std::to_string(t.now() + 1));
    expect_refused_token(t.service, later, "nbf - 1 s");
    t.service.clock().advance(seconds{1});
    EXPECT_TRUE(t.accepts(later)) << "at nbf";
    EXPECT_TRUE(t.accepts(t.access.with_claim("nbf", "0")));
}

TEST(TOK_8, ATokenFromTheFutureIsRefused) {
    ClaimBearer t;
    expect_refused_token(t.service, t.access.with_claim("iat", std::to_string(t.now() + 3'600)), "an hour ahead");
    expect_refused_token(t.service, t.access.with_claim("iat", std::to_string(t.now() + 31)), "beyond the tolerance");
    EXPECT_TRUE(t.accepts(t.access.with_claim("iat", std::to_string(t.now() + 30))));
}

TEST(TOK_8, RefreshTokensAreReadAsStrictly) {
    ClaimBearer t;
    for (const std::string& name :
         std::vector<std::string>{"iss", "aud", "sub", "jti", "sid", "iat", "exp", "loginFrom", "loginWith"}) {
        EXPECT_EQ(refresh_with(t.service, t.refresh.without_claim(name)).status, 401U) << name;
        EXPECT_EQ(refresh_with(t.service, t.refresh.with_claim(name, "null")).status, 401U) << name;
        EXPECT_EQ(refresh_with(t.service, t.refresh.with_claim(name, "1.5")).status, 401U) << name;
    }
    EXPECT_EQ(refresh_with(t.service, t.refresh.with_claim("exp", std::to_string(t.now()))).status, 401U);
    EXPECT_EQ(refresh_with(t.service, t.refresh.with_claim("aud", R"("other")")).status, 401U);
    // The session must belong to the account. (Another jti with a valid signature would be an older token, and thus
    // reuse.)
    const json::object foreign = claims_of(t.service.tokens_of(t.service.make_person()).refresh);
    for (const std::string& name : std::vector<std::string>{"sub", "sid"})
        EXPECT_EQ(refresh_with(t.service, t.refresh.with_claim(name, json::serialize(foreign.at(name)))).status, 401U)
            << "another account's " << name;
    EXPECT_EQ(refresh_with(t.service, t.tokens.refresh).status, 200U) << "none of them counted as reuse";
}

TEST(TOK_8, TheAuthorizationHeaderIsReadOnce) {
    ClaimBearer t;
    const auto with = [&](Headers headers) {
        return t.service.get("/api/shared/user/2fa/status", std::move(headers)).status;
    };
    const std::string& token = t.tokens.access;
    EXPECT_EQ(with({{"Authorization", "bearer " + token}}), 200U) << "RFC 9110: the scheme is read without case";
    for (const std::string& value :
         std::vector<std::string>{token, "Basic " + token, "Bearer", "Bearer ", "Bearer  " + token, "Bearer\t" + token,
                                  "Bearer " + token + ",", "Bearer " + token + " " + token, "Token " + token,
                                  "Bearer " + token + ";q=1", std::string()})
        EXPECT_EQ(with({{"Authorization", value}}), 401U) << value.substr(0, 20);
    EXPECT_EQ(t.service.get("/api/shared/user/2fa/status?access_token=" + token).status, 401U);
    EXPECT_EQ(with({{"Cookie", "access_token=" + token}}), 401U);
    EXPECT_EQ(with({{"X-Authorization", "Bearer " + token}}), 401U);
    EXPECT_EQ(with({{"Proxy-Authorization", "Bearer " + token}}), 401U);
}

}  // namespace
}  // namespace consentry::tests
