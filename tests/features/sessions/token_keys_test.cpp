// Tests the keys behind tokens: how they are loaded, published, rotated and removed (TOK-9, TOK-10, CRY-4).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "features/sessions/key_ring.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

using crypto::SignatureAlgorithm;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void write_file(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string refusal_of_start(const Environment& settings) {
    try {
        const Service service(settings);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "started";
}

// Repeats the check for up to ten seconds, because the service reads its key folder once a second.
bool soon(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (std::chrono::steady_clock::now() < end)
        if (holds()) return true;
    return false;
}

std::set<std::string> published_kids(const Service& service) {
    std::set<std::string> out;
    for (const auto& key : service.get("/.well-known/jwks.json").json.at("keys").as_array())
        out.emplace(key.at("kid").as_string());
    return out;
}

std::string kid_of(const std::string& token) { return std::string(object_in(token, 0).at("kid").as_string()); }

TEST(TOK_9, AnUnfitKeyStopsTheStartAndIsNamed) {
    const std::string p521 = crypto::PrivateKey::generate(SignatureAlgorithm::es512).pem();
    const std::string p256 = crypto::PrivateKey::generate(SignatureAlgorithm::es256).pem();
    const std::string secp256k1 =
        "MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE1sAqnMrH6PdurI+zv3XSHlea5jOh"
        "1YZi4HjZoVY/ktdjUFyKSwxpWj3IBS6wjWExr1CiPiUaLdzdvGOAtMg1Gg==";
    const auto names = [](const std::string& refusal, const std::string& setting) {
        EXPECT_NE(refusal.find(setting), std::string::npos) << refusal;
    };
    names(refusal_of_start({{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", p521}}), "AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY");
    names(refusal_of_start({{"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", p256}}), "AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY");
    names(refusal_of_start({{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", "c2VjcmV0"}}), "AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY");
    names(refusal_of_start(
              {{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", p256}, {"AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", secp256k1}}),
          "AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY");
    EXPECT_EQ(refusal_of_start({{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", p256}}), "started");
}

TEST(TOK_9, ADamagedKeyFileStopsTheStartAndIsNamed) {
    Service service;
    const auto path = key_folder(service) / "access-ES256-1900000000000-damaged.pem";
    write_file(path, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    try {
        service.restart();
        FAIL() << "started with a damaged key";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find(path.filename()), std::string::npos) << error.what();
    }
}

TEST(TOK_9, ADamagedFileLeavesARunningServiceItsKeys) {
    Service service;
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    const auto before = published_kids(service);
    write_file(key_folder(service) / "access-ES256-1900000000000-damaged.pem", "nonsense");
    write_file(key_folder(service) / "access-ES256-99999999999999999999999-x.pem", "a number beyond all numbers");
    // A valid key of the other kind shows when the service has read the folder.
    const std::string kid = KeyRing::generate(key_folder(service), TokenKind::refresh, SignatureAlgorithm::es512,
                                              service.clock().now() + seconds{1});
    const Person other = service.make_person();  // its many logins end only its own sessions
    EXPECT_TRUE(soon([&] { return kid_of(service.tokens_of(other).refresh) == kid; }));
    EXPECT_EQ(published_kids(service), before);
    EXPECT_EQ(status_with(service, tokens.access).status, 200U);
}

// The outcomes of the events about keys that were loaded again, such as "access failure"; and the reasons.
struct KeyEvents {
    explicit KeyEvents(const Service& service) {
        for (const json::object& entry : entries_in(service.folder() / "data" / "security" / "events.log")) {
            if (entry.at("event") != "keys.loaded") continue;
            const json::object& detail = entry.at("detail").as_object();
            outcomes.push_back(std::string(detail.at("kind").as_string()) + " " +
                               std::string(entry.at("outcome").as_string()));
            if (const auto* reason = detail.if_contains("reason")) reasons.emplace_back(reason->as_string());
        }
    }
    std::vector<std::string> outcomes;
    std::vector<std::string> reasons;
};

TEST(TOK_9, ADamagedFileIsReportedOnceAndReadAgainUntilItIsRight) {
    Service service;
    const Person person = service.make_person();
    const auto damaged = key_folder(service) / "access-ES256-1900000000000-damaged.pem";
    write_file(damaged, "nonsense");
    const auto outcomes = [&] {
        published_kids(service);  // makes the service look
        return KeyEvents(service).outcomes;
    };
    EXPECT_TRUE(soon([&] { return outcomes() == std::vector<std::string>{"access failure"}; }));
    EXPECT_THAT(KeyEvents(service).reasons, ElementsAre(HasSubstr(damaged.filename().string())));
    const std::string kid = KeyRing::generate(key_folder(service), TokenKind::refresh, SignatureAlgorithm::es512,
                                              service.clock().now() + seconds{1});
    EXPECT_TRUE(soon([&] { return kid_of(service.tokens_of(person).refresh) == kid; })) << "and looks again";
    write_file(damaged, crypto::PrivateKey::generate(SignatureAlgorithm::es256).pem());  // the folder does not change
    EXPECT_TRUE(soon([&] { return kid_of(service.tokens_of(person).access) == "damaged"; }));
    EXPECT_TRUE(soon([&] { return outcomes() == std::vector<std::string>{"access failure", "access success"}; }));
}

TEST(TOK_9, AKeyThatIsGoneIsReported) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    const auto folder = key_folder(service);
    std::filesystem::rename(folder, folder.string() + "-elsewhere");
    const auto told = [&](const std::string& outcome) {
        return soon([&] {
            EXPECT_EQ(status_with(service, tokens.access).status, 200U);
            const auto outcomes = KeyEvents(service).outcomes;
            return std::ranges::count(outcomes, "access " + outcome) == 1 &&
                   std::ranges::count(outcomes, "refresh " + outcome) == 1;
        });
    };
    EXPECT_TRUE(told("failure"));
    EXPECT_THAT(KeyEvents(service).reasons, Contains(HasSubstr("no ES256 key for access tokens")));
    std::filesystem::rename(folder.string() + "-elsewhere", folder);
    EXPECT_TRUE(told("success"));
}

TEST(TOK_9, TheFolderOfKeysIsTheOwnersAlone) {
    const Service service;
    namespace fs = std::filesystem;
    EXPECT_EQ(fs::status(key_folder(service)).permissions(), fs::perms::owner_all);
    int files = 0;
    for (const auto& entry : fs::directory_iterator(key_folder(service))) {
        EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
        ++files;
    }
    EXPECT_EQ(files, 5) << "access, refresh, two-factor, the consent log, and the service's own";
}

TEST(TOK_10, ThePublishedSetHoldsPublicMembersOnly) {
    const Service& service = suite_service();
    const Answer answer = service.get("/.well-known/jwks.json");
    ASSERT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.headers.at("content-type"), "application/jwk-set+json; charset=utf-8");
    EXPECT_EQ(answer.headers.at("cache-control"), "public, max-age=300");
    ASSERT_EQ(answer.json.as_object().size(), 1U);
    const auto& keys = answer.json.at("keys").as_array();
    ASSERT_EQ(keys.size(), 1U);
    std::set<std::string> members;
    for (const auto& member : keys[0].as_object()) members.emplace(member.key());
    EXPECT_EQ(members, (std::set<std::string>{"kty", "crv", "x", "y", "alg", "use", "kid"}));
    EXPECT_EQ(keys[0].at("alg"), "ES256");
    EXPECT_EQ(keys[0].at("use"), "sig");
    EXPECT_EQ(keys[0].at("kty"), "EC");
    EXPECT_EQ(keys[0].at("crv"), "P-256");
    // The published members suffice to verify a token, and only a token of the same service.
    json::object jwk = keys[0].as_object();
    const auto key = crypto::PublicKey::from_jwk(jwk);
    ASSERT_TRUE(key) << key.error();
    Service other;
    const std::string token = other.tokens_of(other.make_person()).access;
    const auto published =
        crypto::PublicKey::from_jwk(other.get("/.well-known/jwks.json").json.at("keys").at(0).as_object());
    ASSERT_TRUE(published);
    EXPECT_TRUE(published->verify(token.substr(0, token.rfind('.')), signature_of(token)));
    EXPECT_FALSE(key->verify(token.substr(0, token.rfind('.')), signature_of(token)));
}

TEST(TOK_10, TokensSayWhatIsWrittenDownAndNoMore) {
    Service& service = suite_service();
    const auto tokens = service.tokens_of(service.make_person());
    for (const std::string& token : {tokens.access, tokens.refresh}) {
        std::set<std::string> claims;
        for (const auto& member : claims_of(token)) claims.emplace(member.key());
        EXPECT_EQ(claims, (std::set<std::string>{"iss", "aud", "sub", "jti", "sid", "iat", "exp", "loginAt",
                                                 "loginFrom", "loginWith"}));
        std::set<std::string> header;
        for (const auto& member : object_in(token, 0)) header.emplace(member.key());
        EXPECT_EQ(header, (std::set<std::string>{"alg", "kid", "typ"}));
    }
    EXPECT_EQ(object_in(tokens.access, 0).at("typ"), "at+jwt");
    EXPECT_EQ(object_in(tokens.refresh, 0).at("typ"), "rt+jwt");
    EXPECT_EQ(object_in(tokens.access, 0).at("alg"), "ES256");
    EXPECT_EQ(object_in(tokens.refresh, 0).at("alg"), "ES512");
    EXPECT_EQ(claims_of(tokens.access).at("jti"), claims_of(tokens.refresh).at("jti"));
}

TEST(TOK_10, AnOldKeyStaysUntilItsLastTokenHasExpired) {
    const TempFolder folder;
    ManualClock clock(from_epoch_ms(1'700'000'000'000));
    KeySettings access;
    access.algorithm = SignatureAlgorithm::es256;
    access.lifetime = seconds{3'600};
    KeySettings refresh;
    refresh.algorithm = SignatureAlgorithm::es512;
    refresh.lifetime = seconds{7'200};
    const auto generate = [&](TokenKind kind) {
        return KeyRing::generate(folder.path(), kind, kind == TokenKind::access ? access.algorithm : refresh.algorithm,
                                 clock.now());
    };
    const std::string old_kid = generate(TokenKind::access);
    generate(TokenKind::refresh);
    clock.advance(std::chrono::hours{240});
    const std::string new_kid = generate(TokenKind::access);
    const auto kids_now = [&] {
        KeyRing ring(clock, folder.path(), access, refresh);
        EXPECT_EQ(ring.keys(TokenKind::access)->signing->kid, new_kid) << "the newest signs";
        std::vector<std::string> out;
        for (const auto& one : ring.jwks().at("keys").as_array()) out.emplace_back(one.at("kid").as_string());
        return out;
    };
    EXPECT_EQ(kids_now(), (std::vector{new_kid, old_kid}));
    clock.advance(seconds{3'600} + clock_ahead_max);
    EXPECT_EQ(kids_now(), (std::vector{new_kid, old_kid})) << "a token of an instance whose clock is ahead";
    clock.advance(milliseconds{1});
    EXPECT_EQ(kids_now(), std::vector{new_kid});
}

TEST(TOK_10, ARunningServiceDropsAnOldKeyWhenItsLastTokenHasExpired) {
    Service service;
    const Person person = service.make_person();
    const std::string old_kid = kid_of(service.tokens_of(person).access);
    service.clock().advance(seconds{1});
    const std::string new_kid =
        KeyRing::generate(key_folder(service), TokenKind::access, SignatureAlgorithm::es256, service.clock().now());
    // A folder that has just changed is read again anyway.
    const auto an_hour_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours{1};
    std::filesystem::last_write_time(key_folder(service), an_hour_ago);
    service.restart();
    EXPECT_EQ(published_kids(service), (std::set{new_kid, old_kid}));
    service.clock().advance(std::chrono::hours{1} + clock_ahead_max + milliseconds{1});
    EXPECT_TRUE(soon([&] { return published_kids(service) == std::set{new_kid}; }));
    EXPECT_EQ(status_with(service, service.tokens_of(person).access).status, 200U);
}

TEST(CRY_4, RotationUnderLoadFailsNoHonestRequest) {
    Service service;
    const Person person = service.make_person();
    const auto before = service.tokens_of(person);
    std::atomic<bool> done{false};
    std::atomic<int> failures{0};
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            while (!done.load())
                if (status_with(service, before.access).status != 200) failures.fetch_add(1);
        });
    service.clock().advance(seconds{1});
    const std::string access_kid =
        KeyRing::generate(key_folder(service), TokenKind::access, SignatureAlgorithm::es256, service.clock().now());
    const std::string refresh_kid =
        KeyRing::generate(key_folder(service), TokenKind::refresh, SignatureAlgorithm::es512, service.clock().now());
    TokenTexts after;
    const Person other = service.make_person();  // its many logins end only its own sessions
    EXPECT_TRUE(soon([&] {
        after = service.tokens_of(other);
        return kid_of(after.access) == access_kid && kid_of(after.refresh) == refresh_kid;
    }));
    EXPECT_EQ(published_kids(service), (std::set{access_kid, kid_of(before.access)}));
    EXPECT_EQ(status_with(service, after.access).status, 200U);
    EXPECT_EQ(refresh_with(service, after.refresh).status, 200U) << "the new refresh key";
    done.store(true);
    readers.clear();
    EXPECT_EQ(failures.load(), 0);
}

TEST(CRY_4, TokensOfTheFormerKeysOutliveTheRotation) {
    Service service;
    const Person person = service.make_person();
    const auto before = service.tokens_of(person);
    service.clock().advance(seconds{1});
    KeyRing::generate(key_folder(service), TokenKind::access, SignatureAlgorithm::es256, service.clock().now());
    KeyRing::generate(key_folder(service), TokenKind::refresh, SignatureAlgorithm::es512, service.clock().now());
    service.restart();
    EXPECT_EQ(status_with(service, before.access).status, 200U);
    const Answer refreshed = refresh_with(service, before.refresh);
    ASSERT_EQ(refreshed.status, 200U) << refreshed.body;
    EXPECT_NE(kid_of(refreshed.text("data.refreshToken")), kid_of(before.refresh));
}

std::string algorithm_of(const std::string& token) { return std::string(object_in(token, 0).at("alg").as_string()); }

// Each key has one algorithm, and a change of the setting is a rotation like any other.
TEST(CRY_4, TokensOfTheFormerAlgorithmOutliveTheChange) {
    Service service;
    const Person person = service.make_person();
    const auto usual = service.tokens_of(person);
    const auto later = service.tokens_of(person);
    const Environment other{{"AUTH_JWT_ACCESS_TOKEN_ALGORITHM", "ES384"},
                            {"AUTH_JWT_REFRESH_TOKEN_ALGORITHM", "EdDSA"}};
    service.clock().advance(seconds{1});
    service.restart(other);
    EXPECT_EQ(status_with(service, usual.access).status, 200U);
    const Answer refreshed = refresh_with(service, usual.refresh);
    ASSERT_EQ(refreshed.status, 200U) << refreshed.body;
    const std::string access = refreshed.text("data.accessToken");
    EXPECT_EQ(algorithm_of(access), "ES384");
    EXPECT_EQ(algorithm_of(refreshed.text("data.refreshToken")), "EdDSA");
    EXPECT_EQ(status_with(service, access).status, 200U);
    EXPECT_EQ(published_kids(service), (std::set{kid_of(usual.access), kid_of(access)}));

    // And back again, with a new key: the former one may be published no more.
    service.clock().advance(seconds{1});
    service.restart({{"AUTH_JWT_ACCESS_TOKEN_ALGORITHM", "ES256"}, {"AUTH_JWT_REFRESH_TOKEN_ALGORITHM", "ES512"}});
    EXPECT_EQ(status_with(service, access).status, 200U);
    const Answer back = refresh_with(service, refreshed.text("data.refreshToken"));
    ASSERT_EQ(back.status, 200U) << back.body;
    EXPECT_EQ(algorithm_of(back.text("data.accessToken")), "ES256");
    EXPECT_EQ(published_kids(service),
              (std::set{kid_of(usual.access), kid_of(access), kid_of(back.text("data.accessToken"))}));
    service.clock().advance(std::chrono::hours{1} + clock_ahead_max + milliseconds{1});
    EXPECT_TRUE(soon([&] { return published_kids(service) == std::set{kid_of(back.text("data.accessToken"))}; }));
    EXPECT_EQ(refresh_with(service, later.refresh).status, 200U) << "the oldest one, until the login ends";
}

// A command with other settings may have made the newest key.
TEST(CRY_4, AServiceSignsWithItsAlgorithmBesideANewerKeyOfAnother) {
    Service service;
    const Person person = service.make_person();
    const auto before = service.tokens_of(person);
    service.clock().advance(seconds{1});
    const std::string other =
        KeyRing::generate(key_folder(service), TokenKind::access, SignatureAlgorithm::eddsa, service.clock().now());
    EXPECT_TRUE(soon([&] { return published_kids(service) == std::set{other, kid_of(before.access)}; }));
    service.clock().advance(std::chrono::hours{2});
    const auto after = service.tokens_of(person);
    EXPECT_EQ(kid_of(after.access), kid_of(before.access));
    EXPECT_EQ(status_with(service, after.access).status, 200U);
    const std::string next =
        KeyRing::generate(key_folder(service), TokenKind::access, SignatureAlgorithm::es256, service.clock().now());
    const Person another = service.make_person();  // its many logins end only its own sessions
    EXPECT_TRUE(soon([&] { return kid_of(service.tokens_of(another).access) == next; }));
    EXPECT_EQ(status_with(service, after.access).status, 200U) << "its key has signed until now";
}

std::string public_pem(const crypto::PublicKey& key) {
    return "-----BEGIN PUBLIC KEY-----\n" + to_base64(key.spki_der()) + "\n-----END PUBLIC KEY-----\n";
}

// A pair of keys for the settings. as_former() returns its public halves for the settings after a rotation.
struct KeyPairs {
    crypto::PrivateKey access = crypto::PrivateKey::generate(SignatureAlgorithm::es256);
    crypto::PrivateKey refresh = crypto::PrivateKey::generate(SignatureAlgorithm::es512);

    Environment settings(const std::string& kid = {}) const {
        Environment out{{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", access.pem()},
                        {"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", to_base64(refresh.pkcs8_der())}};
        if (kid.empty()) return out;
        out["AUTH_JWT_ACCESS_TOKEN_KID"] = kid + "-access";
        out["AUTH_JWT_REFRESH_TOKEN_KID"] = kid + "-refresh";
        return out;
    }
    Environment as_former(const std::string& kid = {}) const {
        const auto name = [&](const char* kind) { return kid.empty() ? "" : kid + kind + "="; };
        return {{"AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", name("-access") + to_base64(access.public_key().spki_der())},
                {"AUTH_JWT_REFRESH_TOKEN_PUBLIC_KEY", name("-refresh") + public_pem(refresh.public_key())}};
    }
};

Environment together(Environment settings, const Environment& more) {
    settings.insert(more.begin(), more.end());
    return settings;
}

// Expects that a rotation changes nothing for users who are logged in.
void expect_sessions_outlive(Service& service, const Environment& rotated) {
    const auto before = service.tokens_of(service.make_person());
    service.restart(rotated);
    EXPECT_EQ(status_with(service, before.access).status, 200U);
    EXPECT_TRUE(published_kids(service).contains(kid_of(before.access))) << "others can verify it, too";
    const Answer refreshed = refresh_with(service, before.refresh);
    ASSERT_EQ(refreshed.status, 200U) << refreshed.body;
    EXPECT_NE(kid_of(refreshed.text("data.accessToken")), kid_of(before.access)) << "the new key signs";
    EXPECT_NE(kid_of(refreshed.text("data.refreshToken")), kid_of(before.refresh));
    EXPECT_EQ(status_with(service, refreshed.text("data.accessToken")).status, 200U);
}

TEST(CRY_4, ARotationInTheSettingsEndsNoSessionWithNamesOfOnesOwn) {
    const KeyPairs former;
    const KeyPairs next;
    Service service(former.settings("2026-05"));
    expect_sessions_outlive(service, together(next.settings("2026-11"), former.as_former("2026-05")));
}

TEST(CRY_4, ARotationInTheSettingsEndsNoSessionWithThumbprints) {
    const KeyPairs former;
    const KeyPairs next;
    Service service(former.settings());
    expect_sessions_outlive(service, together(next.settings(), former.as_former()));
}

TEST(CRY_4, AChangeOfTheAlgorithmInTheSettingsEndsNoSession) {
    const KeyPairs former;
    const KeyPairs next{.access = crypto::PrivateKey::generate(SignatureAlgorithm::eddsa),
                        .refresh = crypto::PrivateKey::generate(SignatureAlgorithm::es384)};
    Environment rotated = together(next.settings(), former.as_former());
    rotated["AUTH_JWT_ACCESS_TOKEN_ALGORITHM"] = "EdDSA";
    rotated["AUTH_JWT_REFRESH_TOKEN_ALGORITHM"] = "ES384";
    Service service(former.settings());
    expect_sessions_outlive(service, rotated);
}

TEST(CRY_4, AFormerKeyThatIsNotListedEndsItsSessions) {
    const KeyPairs next;
    Service service(KeyPairs().settings("2026-05"));
    const auto before = service.tokens_of(service.make_person());
    service.restart(next.settings("2026-11"));
    EXPECT_EQ(status_with(service, before.access).status, 401U);
}

TEST(TOK_9, TwoKeysOfOneNameStopTheStart) {
    const KeyPairs former;
    const KeyPairs next;
    const std::string refusal = refusal_of_start(together(next.settings("2026-05"), former.as_former("2026-05")));
    EXPECT_NE(refusal.find("AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("2026-05-access"), std::string::npos) << refusal;
    EXPECT_EQ(refusal_of_start(together(next.settings("2026-05"), next.as_former("2026-05"))), "started")
        << "the same key twice is no contradiction";
}

TEST(CRY_4, ACutKeyTakesItsTokensWithItThoughRemembered) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    ASSERT_EQ(status_with(service, tokens.access).status, 200U) << "met, and its signature remembered";
    const auto cut = key_file(service, tokens.access);
    service.clock().advance(seconds{1});
    KeyRing::generate(key_folder(service), TokenKind::access, SignatureAlgorithm::es256, service.clock().now());
    std::filesystem::remove(cut);
    const auto begin = std::chrono::steady_clock::now();
    // Only requests with this token make the service read its keys.
    EXPECT_TRUE(soon([&] { return status_with(service, tokens.access).status == 401; }));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{3});
    EXPECT_FALSE(published_kids(service).contains(kid_of(tokens.access)));
}

TEST(CRY_4, TheLastKeyIsNotCutByAccident) {
    Service service;
    const auto tokens = service.tokens_of(service.make_person());
    std::filesystem::remove(key_file(service, tokens.access));
    const std::string kid = KeyRing::generate(key_folder(service), TokenKind::refresh, SignatureAlgorithm::es512,
                                              service.clock().now() + seconds{1});
    // An empty set never replaces a good one. The new refresh key shows when the service has read the folder.
    const Person person = service.make_person();
    EXPECT_TRUE(soon([&] { return kid_of(service.tokens_of(person).refresh) == kid; }));
    EXPECT_EQ(status_with(service, tokens.access).status, 200U);
    EXPECT_TRUE(soon([&] { return !KeyEvents(service).outcomes.empty(); })) << "but the operator is told";
}

}  // namespace
}  // namespace consentry::tests
