// Tests how secrets in the database are protected: randomness, sealed records, keys and comparisons (CRY-1 to CRY-6).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include <sys/wait.h>
#include <unistd.h>

#include "app/config/read_config.hpp"
#include "crypto/aead.hpp"
#include "crypto/digest.hpp"
#include "crypto/random.hpp"
#include "tests/support/instrumented.hpp"
#include "tests/support/token_forge.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

const std::string first_key = "the first two-factor key - long enough";
const std::string second_key = "the second two-factor key - long enough";

std::string literal(const UserId& id) { return "'" + id.text() + "'"; }

Bytes column(const Service& service, const std::string& name, const Person& person) {
    const auto rows = service.sql("SELECT hex(" + name + ") FROM two_factors WHERE user_id = " + literal(person.id));
    std::string hex = rows.at(0).at(0);
    std::ranges::transform(hex, hex.begin(),
                           [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
    return from_hex(hex).value();
}

void store(const Service& service, const std::string& name, const Person& person, BytesView value) {
    service.sql("UPDATE two_factors SET " + name + " = " + service.literal(value) +
                " WHERE user_id = " + literal(person.id));
}

TEST(CRY_1, NoOtherGeneratorIsCalledAnywhere) {
    const std::vector<std::string> banned{"mt19937",  "minstd_rand", "random_device", "default_random_engine",
                                          "ranlux",   "std::rand",   " rand(",        "(rand(",
                                          "srand(",   "random()",    "drand48",       "lrand48",
                                          "rand_r(",  "arc4random",  "RAND_pseudo",   "randombytes_random",
                                          "srandom(", "knuth_b",     "mersenne",      "uniform_int_distribution"};
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator("src")) {
        const auto extension = entry.path().extension();
        if (extension != ".cpp" && extension != ".hpp") continue;
        // Unit tests use a fixed seed, so that every run tests the same cases. They are not part of the program.
        if (entry.path().stem().string().ends_with("_test")) continue;
        ++files;
        const std::string text = text_in(entry.path());
        for (const std::string& name : banned)
            EXPECT_EQ(text.find(name), std::string::npos) << name << " in " << entry.path();
        // Only random.cpp (for secrets) and uuid.cpp (for ids) ask the kernel. All other code calls these two.
        if (entry.path().filename() != "random.cpp" && entry.path().filename() != "uuid.cpp") {
            EXPECT_EQ(text.find("getrandom("), std::string::npos) << entry.path();
        }
    }
    EXPECT_GT(files, 100U);
}

TEST(CRY_1, AForkDrawsOtherValues) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const auto before = crypto::random_text(32, crypto::alphanumerics);  // initializes any state the generator may have
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto drawn = crypto::random_text(32, crypto::alphanumerics);
        const bool sent = write(ends[1], drawn.data(), drawn.size()) == 32;
        _exit(sent ? 0 : 1);
    }
    const auto ours = crypto::random_text(32, crypto::alphanumerics);
    std::string theirs(32, '\0');
    EXPECT_EQ(read(ends[0], theirs.data(), theirs.size()), 32);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_NE(ours, theirs);
    EXPECT_NE(ours, before);
    close(ends[0]);
    close(ends[1]);
}

TEST(CRY_2, ASecretLiesSealedInTheDatabase) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const Bytes secret = column(service, "secret", person);
    EXPECT_EQ(column(service, "iv", person).size(), 12U);
    EXPECT_EQ(secret.size(), 4U + 20U + 16U) << "key id, ciphertext, tag";
    // The files contain nothing that was shown to the person: neither the secret nor a backup code. Nor do they contain
    // the password.
    for (const auto& entry : fs::directory_iterator(service.folder() / "data")) {
        if (!entry.is_regular_file()) continue;
        const std::string bytes = text_in(entry.path());
        EXPECT_EQ(bytes.find(person.secret), std::string::npos) << entry.path();
        EXPECT_EQ(bytes.find(person.password), std::string::npos) << entry.path();
        for (const std::string& code : person.backup_codes)
            EXPECT_EQ(bytes.find(code), std::string::npos) << entry.path();
    }
}

TEST(CRY_2, ARecordWithAFlippedByteOpensForNobody) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const std::string challenge = service.challenge_of(person);
    const std::string code = service.next_code(person);
    for (const std::string name : {"secret", "iv"}) {
        const Bytes good = column(service, name, person);
        for (std::size_t i = 0; i < good.size(); ++i) {
            Bytes damaged = good;
            damaged[i] ^= 0x01;
            store(service, name, person, damaged);
            const Answer answer = service.verify(challenge, code);
            EXPECT_EQ(answer.status, 500U) << name << " byte " << i << ": " << answer.body;
            EXPECT_FALSE(answer.has("data"));
        }
        for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{4}, good.size() - 1}) {
            store(service, name, person, BytesView(good).first(size));
            EXPECT_EQ(service.verify(challenge, code).status, 500U) << name << " cut to " << size;
        }
        store(service, name, person, good);
    }
    // Two-factor authentication stayed enabled, no attempt was counted, and the undamaged record works again.
    const auto row = service.sql("SELECT enabled, attempt FROM two_factors WHERE user_id = " + literal(person.id));
    EXPECT_EQ(row.at(0), (std::vector<std::string>{"1", "0"}));
    EXPECT_EQ(service.verify(challenge, code).status, 200U);
}

TEST(CRY_2, AnUnreadableRecordIsNeverTwoFactorOff) {
    Service& service = suite_service();
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    service.sql("UPDATE two_factors SET secret = NULL, iv = NULL WHERE user_id = " + literal(person.id));
    const Answer login = service.log_in(person);
    EXPECT_TRUE(login.boolean("data.isTwoFactorRequired"));
    EXPECT_FALSE(login.has("data.tokens"));
    EXPECT_EQ(service.verify(login.text("data.challengeToken"), service.next_code(person)).status, 500U);
    EXPECT_EQ(service.verify_backup(login.text("data.challengeToken"), person.backup_codes[0]).status, 500U);
}

TEST(CRY_2, ARecordMovedToAnotherUserDoesNotOpen) {
    Service& service = suite_service();
    Person ada = service.make_person();
    Person bob = service.make_person();
    service.turn_two_factor_on(ada);
    service.turn_two_factor_on(bob);
    const Bytes own_iv = column(service, "iv", bob);
    const Bytes own_secret = column(service, "secret", bob);
    store(service, "iv", bob, column(service, "iv", ada));
    store(service, "secret", bob, column(service, "secret", ada));
    bob.secret = ada.secret;
    EXPECT_EQ(service.verify(service.challenge_of(bob), service.next_code(bob)).status, 500U);
    store(service, "iv", bob, own_iv);
    store(service, "secret", bob, own_secret);
    // Backup codes are bound to their owner as well.
    service.sql("DELETE FROM backup_codes WHERE user_id = " + literal(bob.id));
    service.sql("UPDATE backup_codes SET user_id = " + literal(bob.id) + " WHERE user_id = " + literal(ada.id));
    ASSERT_EQ(service.sql("SELECT count(*) FROM backup_codes WHERE user_id = " + literal(bob.id)).at(0).at(0), "8");
    EXPECT_EQ(service.verify_backup(service.challenge_of(bob), ada.backup_codes[0]).status, 401U);
}

TEST(CRY_2, NoIvMeetsItsKeyTwice) {
    // Seals 10^5 times with one key. With 96 random bits, a repetition would be a defect rather than bad luck.
    const crypto::SealingKeys keys({first_key}, "purpose");
    const Bytes plain(20, 7);
    std::set<Bytes> ivs;
    constexpr std::size_t count = 100'000;
    for (std::size_t i = 0; i < count; ++i) ivs.insert(keys.seal(plain, {}).iv);
    EXPECT_EQ(ivs.size(), count);
}

TEST(CRY_2, EachSetUpHasItsOwnSecretAndIv) {
    Service& service = suite_service();
    const Person person = service.make_person();
    const auto tokens = service.tokens_of(person);
    std::set<std::string> secrets;
    std::set<std::string> ivs;
    for (int i = 0; i < 50; ++i) {
        secrets.insert(service.post("/api/user/2fa/setup", {}, bearer(tokens.access)).text("data.secret"));
        ivs.insert(service.sql("SELECT hex(iv) FROM two_factors WHERE user_id = " + literal(person.id)).at(0).at(0));
    }
    EXPECT_EQ(secrets.size(), 50U);
    EXPECT_EQ(ivs.size(), 50U);
}

TEST(CRY_3, WithoutAKeyNoStartOutsideLocal) {
    const Environment production{
        {"APP_ENV", "production"},
        {"PUBLIC_URL", "https://login.example.org"},
        {"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY",
         to_base64(crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es256).pkcs8_der())},
        {"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY",
         to_base64(crypto::PrivateKey::generate(crypto::SignatureAlgorithm::es512).pkcs8_der())},
        {"APP_ENCRYPTION_SECRET_KEY", std::string(32, 'a')}};
    const auto is_named = [&](const std::optional<std::string>& key) {
        Environment environment = production;
        if (key) environment["AUTH_TWO_FACTOR_ENCRYPTION_KEY"] = *key;
        const auto config = read_config(environment);
        return !config && std::ranges::any_of(config.error(), [](const ConfigProblem& problem) {
            return problem.setting == "AUTH_TWO_FACTOR_ENCRYPTION_KEY";
        });
    };
    EXPECT_TRUE(is_named(std::nullopt));
    EXPECT_TRUE(is_named(""));
    EXPECT_TRUE(is_named("   "));
    EXPECT_TRUE(is_named(std::string(31, 'k')));
    EXPECT_TRUE(is_named(first_key + ",short"));
    EXPECT_TRUE(is_named(first_key + ","));
    EXPECT_FALSE(is_named(std::string(32, 'k')));
    EXPECT_FALSE(is_named(second_key + "," + first_key));
    const auto local = read_config({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", ""}});
    EXPECT_FALSE(local.has_value()) << "empty is not absent";
    const auto weak = read_config({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", "short"}});
    ASSERT_TRUE(weak.has_value());
    EXPECT_TRUE(std::ranges::any_of(warnings(*weak), [](const ConfigProblem& problem) {
        return problem.setting == "AUTH_TWO_FACTOR_ENCRYPTION_KEY";
    })) << "allowed on one's own machine, with a warning";
}

TEST(CRY_3, TwoInstallationsShareNoSecret) {
    const Service one;
    const Service other;
    const auto secret = [](const Service& service) { return text_in(key_folder(service) / "two-factor.key"); };
    EXPECT_GE(secret(one).size(), 32U);
    EXPECT_NE(secret(one), secret(other));
    EXPECT_NE(one.get("/.well-known/jwks.json").body, other.get("/.well-known/jwks.json").body);
}

TEST(CRY_3, EachUseDerivesItsOwnKey) {
    const Bytes a = crypto::hkdf_sha256(as_bytes(first_key), "one purpose", 32);
    const Bytes b = crypto::hkdf_sha256(as_bytes(first_key), "another", 32);
    EXPECT_NE(a, b);
    const Bytes plain{1, 2, 3};
    const auto sealed = crypto::SealingKeys({first_key}, "one purpose").seal(plain, {});
    EXPECT_TRUE(crypto::SealingKeys({first_key}, "one purpose").open(sealed, {}));
    EXPECT_FALSE(crypto::SealingKeys({first_key}, "another").open(sealed, {}));
}

TEST(CRY_4, TheTwoFactorKeyRotatesWithoutLoss) {
    Service service({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", first_key}});
    Person early = service.make_person();
    service.turn_two_factor_on(early);
    service.restart({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", second_key + "," + first_key}});
    EXPECT_EQ(service.verify_backup(service.challenge_of(early), early.backup_codes[0]).status, 200U);
    Person late = service.make_person();
    service.turn_two_factor_on(late);
    // After the former key is removed, secrets sealed with it cannot be read, and the second factor is not skipped.
    service.restart({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", second_key}});
    EXPECT_EQ(service.verify(service.challenge_of(late), service.next_code(late)).status, 200U);
    EXPECT_EQ(service.verify_backup(service.challenge_of(late), late.backup_codes[0]).status, 200U);
    const Answer login = service.log_in(early);
    EXPECT_TRUE(login.boolean("data.isTwoFactorRequired"));
    EXPECT_EQ(service.verify(login.text("data.challengeToken"), service.next_code(early)).status, 500U);
    EXPECT_EQ(service.verify_backup(login.text("data.challengeToken"), early.backup_codes[1]).status, 500U);
    // After the former key is restored, these secrets can be read again.
    service.restart({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", second_key + "," + first_key}});
    EXPECT_EQ(service.verify(service.challenge_of(early), service.next_code(early)).status, 200U);
}

TEST(CRY_4, TheFormerTwoFactorKeyIsNotNeededOnceACodeWasAccepted) {
    Service service({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", first_key}});
    Person person = service.make_person();
    service.turn_two_factor_on(person);
    const auto stored = [&] { return service.sql("SELECT hex(iv), hex(secret) FROM two_factors").at(0); };
    const auto log_in_with = [&](const std::string& code) {
        return service.verify(service.challenge_of(person), code).status;
    };
    const auto before = stored();
    EXPECT_EQ(log_in_with(service.next_code(person)), 200U);
    EXPECT_EQ(stored(), before) << "sealed with the first key";

    service.restart({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", second_key + "," + first_key}});
    EXPECT_EQ(log_in_with(service.code(person)), 401U) << "used";
    EXPECT_EQ(service.verify_backup(service.challenge_of(person), person.backup_codes[0]).status, 200U);
    EXPECT_EQ(stored(), before);
    EXPECT_EQ(log_in_with(service.next_code(person)), 200U);
    EXPECT_NE(stored(), before);

    service.restart({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", second_key}});
    EXPECT_EQ(log_in_with(service.next_code(person)), 200U);
    // Backup codes are digests under the former key.
    EXPECT_EQ(service.verify_backup(service.challenge_of(person), person.backup_codes[1]).status, 401U);
    service.restart({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", second_key + "," + first_key}});
    EXPECT_EQ(service.verify_backup(service.challenge_of(person), person.backup_codes[1]).status, 200U);
}

// Returns Welch's t for the times that `call` takes with either input, measured alternately. The inputs are copied to
// the same place, so that only their bytes differ. The slowest tenth is discarded as noise of the machine.
template <class Call>
double t_of(const std::string& one, const std::string& other, std::size_t samples, int repeats, Call call) {
    using Clock = std::chrono::steady_clock;
    std::string input(one);
    std::array<std::vector<double>, 2> times;
    for (std::size_t i = 0; i < samples; ++i) {
        // The order alternates, so that neither input always follows the other.
        for (const bool second : {i % 2 == 0, i % 2 != 0}) {
            std::ranges::copy(second ? other : one, input.begin());
            const auto begin = Clock::now();
            for (int repeat = 0; repeat < repeats; ++repeat) call(input);
            times[second ? 1 : 0].push_back(static_cast<double>((Clock::now() - begin).count()));
        }
    }
    double distance = 0;
    double error = 0;
    for (auto& of_class : times) {
        std::ranges::sort(of_class);
        of_class.resize(of_class.size() * 9 / 10);
        const auto count = static_cast<double>(of_class.size());
        double mean = 0;
        for (const double time : of_class) mean += time / count;
        for (const double time : of_class) error += (time - mean) * (time - mean) / (count - 1) / count;
        distance = mean - distance;
    }
    return std::abs(distance) / std::sqrt(error);
}

// A leak shows in every run, noise of a busy machine only in some.
template <class Measure>
double least_of(int tries, Measure&& measure, double enough = 4.5) {
    double least = measure();
    while (--tries > 0 && least >= enough) least = std::min(least, measure());
    return least;
}

TEST(CRY_5, ComparisonsDoNotTellWhereTheyDiffer) {
    if constexpr (instrumented) GTEST_SKIP() << "a sanitizer's own checks would be timed";
    const std::string stored = crypto::random_text(32, crypto::alphanumerics);
    std::string first_wrong = stored;
    first_wrong.front() = '-';
    std::string last_wrong = stored;
    last_wrong.back() = '-';
    volatile bool sink = false;
    const auto compare = [&](const std::string& given) {
        sink = crypto::equal_constant_time(as_bytes(stored), as_bytes(given));
    };
    EXPECT_LT(least_of(8, [&] { return t_of(first_wrong, last_wrong, 30'000, 16, compare); }), 4.5);
    EXPECT_LT(least_of(8, [&] { return t_of(stored, first_wrong, 30'000, 16, compare); }), 4.5);
    // The measurement itself detects a leak: a comparison that ends early.
    const auto leaky = [&](const std::string& given) {
        std::size_t same = 0;
        while (same < given.size() && given[same] == stored[same]) sink = ++same != 0;
    };
    EXPECT_GT(-least_of(8, [&] { return -t_of(first_wrong, last_wrong, 30'000, 16, leaky); }, -4.5), 4.5);
}

}  // namespace
}  // namespace consentry::tests
