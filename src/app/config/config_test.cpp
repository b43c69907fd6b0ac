#include <string>

#include <gmock/gmock.h>

#include "app/config/read_config.hpp"
#include "app/config/sentry_dsn.hpp"
#include "app/config/settings.hpp"
#include "tests/support/config_problems.hpp"

namespace consentry {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using tests::problem_names;
using tests::warning_names;

const std::string long_key = "0123456789abcdef0123456789abcdef";

Environment production() {
    return {{"APP_ENV", "production"},
            {"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", "YWNjZXNz"},
            {"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", "cmVmcmVzaA=="},
            {"AUTH_TWO_FACTOR_ENCRYPTION_KEY", long_key},
            {"APP_ENCRYPTION_SECRET_KEY", long_key},
            {"CONSENT_LOG_PRIVATE_KEY", "bG9n"},
            {"MAIL_URL", "smtp://mail.shop.example"},
            {"EMAIL_NO_REPLY", "login@shop.example"}};
}
Environment with(Environment environment, const std::string& name, const std::string& value) {
    environment[name] = value;
    return environment;
}

TEST(Config, DefaultsAreThoseOfTheSpecification) {
    const auto config = read_config({});
    ASSERT_TRUE(config) << config.error().front().setting;
    EXPECT_EQ(config->app.name, "Consentry");
    EXPECT_EQ(config->app.environment, AppEnvironment::local);
    EXPECT_EQ(config->app.timezone, "UTC");
    EXPECT_EQ(config->app.language, Language::en);
    EXPECT_EQ(config->app.public_url, "");
    EXPECT_TRUE(config->app.documentation);
    EXPECT_EQ(config->http.host, "localhost");
    EXPECT_EQ(config->http.port, 3000);
    EXPECT_EQ(config->http.global_prefix, "/api");
    EXPECT_EQ(config->http.threads, 0U);
    EXPECT_EQ(config->http.connections_max, 20'000U);
    EXPECT_EQ(config->http.json_bytes_max, 512'000U);
    EXPECT_EQ(config->http.text_bytes_max, 1'048'576U);
    EXPECT_EQ(config->http.head_timeout, 10s);
    EXPECT_EQ(config->http.body_timeout, 20s);
    EXPECT_EQ(config->http.idle_timeout, 75s);
    EXPECT_EQ(config->http.request_timeout, 30s);
    EXPECT_TRUE(config->versioning.enable);
    EXPECT_EQ(config->versioning.prefix, "v");
    EXPECT_EQ(config->versioning.version, 1);
    EXPECT_EQ(config->data.directory, "./data");
    EXPECT_EQ(config->database.file, "./data/consentry.db");
    EXPECT_EQ(config->cache.bytes_max, 64U * 1024 * 1024);
    EXPECT_EQ(config->jwt.issuer, "consentry");
    EXPECT_EQ(config->jwt.audience, "Consentry");
    EXPECT_EQ(config->jwt.access.algorithm, "ES256");
    EXPECT_EQ(config->jwt.access.lifetime, 1h);
    EXPECT_EQ(config->jwt.refresh.algorithm, "ES512");
    EXPECT_EQ(config->jwt.refresh.lifetime, 720h);
    EXPECT_EQ(config->jwt.access.private_key, "");
    EXPECT_EQ(config->jwt.refresh_grace, 10s);
    EXPECT_EQ(config->two_factor.issuer, "Consentry");
    EXPECT_EQ(config->two_factor.label, "Consentry");
    EXPECT_THAT(config->two_factor.encryption_keys, IsEmpty());
    EXPECT_TRUE(config->two_factor.replay_protection);
    EXPECT_TRUE(config->password.attempt);
    EXPECT_EQ(config->password.attempts_max, 5);
    EXPECT_EQ(config->password.salt_length, 16U);
    EXPECT_EQ(config->password.expired, 0s);
    EXPECT_EQ(config->password.expired_temporary, 72h);
    EXPECT_EQ(config->password.reuse_period, 90 * 24h);
    EXPECT_TRUE(config->password.own_argon2);
    EXPECT_EQ(config->password.argon2_memory_kib, 19'456U);
    EXPECT_EQ(config->password.argon2_passes, 2U);
    EXPECT_EQ(config->password.argon2_lanes, 1U);
    EXPECT_EQ(config->session.check, SessionCheckMode::strict);
    EXPECT_EQ(config->session.per_user_max, 10U);
    EXPECT_EQ(config->session.admin_lifetime, 24h);
    EXPECT_EQ(config->session.admin_idle, 1h);
    EXPECT_EQ(config->session.key_pattern, "User:{userId}:Session:{sessionId}");
    EXPECT_THAT(warnings(*config), IsEmpty());
}

TEST(Config, DerivedDefaultsFollowOtherSettings) {
    const auto config =
        read_config({{"APP_NAME", "Shop"}, {"PUBLIC_URL", "https://shop.example/"}, {"DATA_DIR", "/srv/x"}});
    ASSERT_TRUE(config);
    EXPECT_EQ(config->jwt.issuer, "https://shop.example");
    EXPECT_EQ(config->jwt.audience, "Shop");
    EXPECT_EQ(config->two_factor.issuer, "Shop");
    EXPECT_EQ(config->two_factor.label, "Shop");
    EXPECT_EQ(config->database.file, "/srv/x/consentry.db");

    EXPECT_EQ(read_config({{"AUTH_TWO_FACTOR_ISSUER", "Other"}})->two_factor.label, "Other");
    EXPECT_FALSE(read_config(production())->app.documentation);
    EXPECT_TRUE(read_config(with(production(), "DOC_ENABLE", "true"))->app.documentation);
    EXPECT_TRUE(read_config({})->metrics.enable);
    EXPECT_FALSE(read_config(production())->metrics.enable);
    EXPECT_TRUE(read_config(with(production(), "METRICS_ENABLE", "true"))->metrics.enable);
}

TEST(Config, OPS_2_MalformedValuesAreRefusedByNameAndNeverRepeated) {
    struct Case {
        std::string name, value;
    };
    for (const auto& [name, value] : {
             Case{"APP_NAME", ""},
             {"APP_NAME", "two\nlines"},
             {"APP_NAME", "\xff"},
             {"APP_ENV", "prod"},
             {"APP_ENV", "Local"},
             {"APP_ENV", ""},
             {"APP_TIMEZONE", "Mars/Olympus"},
             {"APP_LANGUAGE", "xx"},
             {"PUBLIC_URL", "example"},
             {"DOC_ENABLE", "yes"},
             {"METRICS_ALLOWED_FROM", "10.0.0.0/33"},
             {"METRICS_ALLOWED_FROM", "0.0.0.0/0"},
             {"HTTP_HOST", ""},
             {"HTTP_HOST", "with blank"},
             {"HTTP_HOST", "http://x"},
             {"HTTP_PORT", "65536"},
             {"HTTP_PORT", "-1"},
             {"HTTP_PORT", "http"},
             {"HTTP_PORT", ""},
             {"HTTP_GLOBAL_PREFIX", "api"},
             {"HTTP_THREADS", "257"},
             {"HTTP_CONNECTIONS_MAX", "0"},
             {"HTTP_HEAD_TIMEOUT", "10"},
             {"HTTP_BODY_TIMEOUT", "0s"},
             {"HTTP_IDLE_TIMEOUT", "2h"},
             {"REQUEST_TIMEOUT_IN_MS", "30s"},
             {"REQUEST_BODY_JSON_LIMIT_IN_BYTES", "512kb"},
             {"REQUEST_BODY_TEXT_LIMIT_IN_BYTES", "1"},
             {"URL_VERSIONING_ENABLE", "1"},
             {"URL_VERSIONING_PREFIX", "v/"},
             {"URL_VERSION", "0"},
             {"DATA_DIR", ""},
             {"DATABASE_URL", "mysql://u:hunter2@db/x"},
             {"DATABASE_URL", "postgresql://u:hunter2@db/x?nonsense=hunter2"},
             {"DATABASE_URL", "postgresql://u:hunter2%zz@db/x"},
             {"DATABASE_URL", "postgresql:hunter2"},
             {"DATABASE_URL", "postgresql://u:a@hunter2@db/x"},
             {"DATABASE_URL", "postgresql://u:a/hunter2@db/x"},
             {"DATABASE_URL", "postgresql://u:a?hunter2@db/x"},
             {"DATABASE_URL", "postgresql://u:hunter2"},
             {"DATABASE_URL", "postgresql://u:a@db:hunter2/x"},
             {"DATABASE_CONNECTIONS_PER_THREAD", "0"},
             {"DATABASE_TIMEOUT", "0s"},
             {"DATABASE_PREPARED_STATEMENTS", "off"},
             {"CACHE_URL", "redis://:hunter2@cache:port"},
             {"CACHE_URL", "redis://:hunter2@cache/0?hunter2=1"},
             {"CACHE_URL", "redis+sentinel://:hunter2@a,b"},
             {"CACHE_URL", "memcached://:hunter2@cache"},
             {"CACHE_NAMESPACE", "a b"},
             {"CACHE_TIMEOUT", "1ms"},
             {"CACHE_URL", "memory"},
             {"CACHE_MEMORY_MAX_IN_MB", "0"},
             {"AUTH_JWT_ISSUER", ""},
             {"AUTH_JWT_ISSUER", "with blank"},
             {"AUTH_JWT_AUDIENCE", " "},
             {"AUTH_JWT_ACCESS_TOKEN_ALGORITHM", "HS256"},
             {"AUTH_JWT_REFRESH_TOKEN_ALGORITHM", "none"},
             {"AUTH_JWT_ACCESS_TOKEN_KID", ""},
             {"AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY", ""},
             {"AUTH_JWT_ACCESS_TOKEN_EXPIRED", "25h"},
             {"AUTH_JWT_ACCESS_TOKEN_EXPIRED", "1500ms"},
             {"AUTH_JWT_REFRESH_TOKEN_EXPIRED", "31d"},
             {"AUTH_JWT_REFRESH_TOKEN_EXPIRED", "59m"},
             {"AUTH_JWT_REFRESH_GRACE_IN_SECONDS", "61"},
             {"AUTH_TWO_FACTOR_ISSUER", "a:b"},
             {"AUTH_TWO_FACTOR_LABEL", ""},
             {"AUTH_TWO_FACTOR_REPLAY_PROTECTION", "no"},
             {"AUTH_PASSWORD_ATTEMPT", "5"},
             {"AUTH_PASSWORD_MAX_ATTEMPT", "0"},
             {"AUTH_PASSWORD_SALT_LENGTH", "15"},
             {"AUTH_PASSWORD_EXPIRED_IN_SECONDS", "90d"},
             {"AUTH_PASSWORD_EXPIRED_TEMPORARY_IN_SECONDS", "0"},
             {"AUTH_PASSWORD_PERIOD_IN_SECONDS", "99999999999999999999"},
             {"AUTH_PASSWORD_ENGINE", "openssl"},
             {"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "8191"},
             {"AUTH_PASSWORD_ARGON2_PASSES", "0"},
             {"AUTH_PASSWORD_ARGON2_LANES", "2"},
             {"AUTH_PASSWORD_HASH_THREADS", "all"},
             {"AUTH_PASSWORD_HASH_QUEUE_MAX", "0"},
             {"SESSION_CHECK", "none"},
             {"SESSION_MAX_PER_USER", "0"},
             {"SESSION_ADMIN_EXPIRED", "31d"},
             {"SESSION_ADMIN_IDLE", "25h"},
             {"SESSION_KEY_PATTERN", "User:{userId}"},
         }) {
        const auto config = read_config({{name, value}});
        ASSERT_FALSE(config) << name << '=' << value;
        ASSERT_THAT(config.error(), ElementsAre(Field(&ConfigProblem::setting, name))) << name << '=' << value;
        const std::string& text = config.error().front().text;
        EXPECT_THAT(text, Not(IsEmpty()));
        EXPECT_THAT(text, Not(HasSubstr("hunter2"))) << name;
        if (value.size() > 6) EXPECT_THAT(text, Not(HasSubstr(value))) << name;
    }
}

TEST(Config, OPS_2_AllProblemsComeAtOnce) {
    EXPECT_THAT(problem_names({{"HTTP_PORT", "x"}, {"APP_ENV", "x"}, {"SESSION_CHECK", "x"}, {"HTTP_PROT", "1"}}),
                UnorderedElementsAre("HTTP_PORT", "APP_ENV", "SESSION_CHECK", "HTTP_PROT"));
}

TEST(Config, LinksToServicesOfKubernetesAreNoProblems) {
    EXPECT_THAT(problem_names({{"CONSENTRY_REDIS_PORT", "tcp://10.0.0.7:6379"},
                               {"CONSENTRY_DB_SERVICE_HOST", "10.0.0.8"},
                               {"CONSENTRY_DB_PORT", ""}}),
                IsEmpty());
}

TEST(Config, OPS_2_OutsideLocalTheSecretsAreRequiredEachByName) {
    for (const auto* environment : {"development", "staging", "production"})
        EXPECT_THAT(problem_names({{"APP_ENV", environment}}),
                    UnorderedElementsAre("AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", "AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY",
                                         "AUTH_TWO_FACTOR_ENCRYPTION_KEY", "APP_ENCRYPTION_SECRET_KEY"))
            << environment;
    EXPECT_TRUE(read_config(production()));
}

TEST(Config, WithoutAKeyTheConsentLogIsOffUnlessItIsWanted) {
    EXPECT_TRUE(read_config({})->consent_log.enable) << "local: the first start makes a key";
    EXPECT_TRUE(read_config(production())->consent_log.enable);
    Environment without = production();
    without.erase("CONSENT_LOG_PRIVATE_KEY");
    EXPECT_FALSE(read_config(without)->consent_log.enable);
    EXPECT_THAT(warning_names(without), ElementsAre("CONSENT_LOG_PRIVATE_KEY"));
    EXPECT_THAT(problem_names(with(without, "CONSENT_LOG_ENABLE", "true")), ElementsAre("CONSENT_LOG_PRIVATE_KEY"));
    EXPECT_THAT(warning_names(with(without, "CONSENT_LOG_ENABLE", "false")), IsEmpty());
}

TEST(Config, ConsentLogIsNamedAfterTheServicesAddress) {
    EXPECT_EQ(read_config({{"PUBLIC_URL", "https://login.shop.example"}})->consent_log.origin, "login.shop.example");
    const auto given = read_config({{"CONSENT_LOG_ORIGIN", "shop.example/log"}});
    EXPECT_EQ(given->consent_log.origin, "shop.example/log");
    for (const auto* wrong : {"", "https://shop.example", "shop.example/", "shop example", "a+b"})
        EXPECT_THAT(problem_names({{"CONSENT_LOG_ORIGIN", wrong}}), ElementsAre("CONSENT_LOG_ORIGIN")) << wrong;
}

TEST(Config, OPS_2_AnEmptySecretStopsTheStart) {
    std::size_t secrets = 0;
    for (const SettingSpec& setting : settings()) {
        if (!setting.type.secret) continue;
        ++secrets;
        for (const auto* blank : {"", "  "}) {
            EXPECT_THAT(problem_names({{std::string(setting.name), blank}}), ElementsAre(setting.name));
            EXPECT_THAT(problem_names(with(production(), std::string(setting.name), blank)), ElementsAre(setting.name));
        }
    }
    EXPECT_EQ(secrets, 8U);
}

TEST(Config, OPS_2_SettingsOfOtherProgramsAreLeftAlone) {
    EXPECT_TRUE(read_config({{"HTTP_PROXY", "http://proxy:3128"}, {"PATH", "/bin"}, {"no_proxy", "localhost"}}));
}

TEST(Config, CRY_3_TheTwoFactorKeyIsAListAndNeverInAMessage) {
    EXPECT_THAT(read_config({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", "new-" + long_key + ", old-" + long_key}})
                    ->two_factor.encryption_keys,
                ElementsAre("new-" + long_key, "old-" + long_key));
    for (const auto* keys : {",hunter2hunter2", "hunter2hunter2,", "hunter2hunter2,,hunter2hunter2"}) {
        const auto config = read_config({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", keys}});
        ASSERT_FALSE(config) << keys;
        EXPECT_THAT(config.error(), ElementsAre(AllOf(Field(&ConfigProblem::setting, "AUTH_TWO_FACTOR_ENCRYPTION_KEY"),
                                                      Field(&ConfigProblem::text, Not(HasSubstr("hunter2"))))));
    }
}

TEST(Config, CRY_3_AShortTwoFactorKeyCausesAWarningAndIsRefusedInProduction) {
    for (const std::string& keys : {std::string("hunter2"), long_key.substr(1), long_key + ",hunter2"}) {
        EXPECT_THAT(warning_names({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", keys}}),
                    ElementsAre("AUTH_TWO_FACTOR_ENCRYPTION_KEY"));
        for (const ConfigProblem& warning : warnings(read_config({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", keys}}).value()))
            EXPECT_THAT(warning.text, Not(HasSubstr("hunter2")));
        EXPECT_THAT(problem_names(with(production(), "AUTH_TWO_FACTOR_ENCRYPTION_KEY", keys)),
                    ElementsAre("AUTH_TWO_FACTOR_ENCRYPTION_KEY"));
    }
    EXPECT_THAT(warning_names({{"AUTH_TWO_FACTOR_ENCRYPTION_KEY", long_key}}), IsEmpty());
}

TEST(Config, INP_9_TheSecretOfCursorsIsAListOfLongOnes) {
    EXPECT_THAT(
        read_config({{"APP_ENCRYPTION_SECRET_KEY", "new-" + long_key + ", old-" + long_key}})->encryption.secrets,
        ElementsAre("new-" + long_key, "old-" + long_key));
    for (const std::string& secrets :
         {std::string("hunter2"), long_key.substr(1), long_key + ",hunter2", long_key + ","}) {
        const auto config = read_config({{"APP_ENCRYPTION_SECRET_KEY", secrets}});
        ASSERT_FALSE(config) << secrets;
        EXPECT_THAT(config.error(), ElementsAre(AllOf(Field(&ConfigProblem::setting, "APP_ENCRYPTION_SECRET_KEY"),
                                                      Field(&ConfigProblem::text, Not(HasSubstr("hunter2"))))));
    }
}

TEST(Config, LOG_4_DebugLogsStopTheStartInProductionOnly) {
    const Environment logs = with(production(), "LOGGER_ENABLE", "true");
    EXPECT_THAT(problem_names(logs), ElementsAre("LOGGER_LEVEL"));
    EXPECT_EQ(read_config(logs).error().front().text,
              "must not be debug, which is the default, in production; set LOGGER_LEVEL=info");
    EXPECT_THAT(problem_names(with(logs, "LOGGER_LEVEL", "debug")), ElementsAre("LOGGER_LEVEL"));
    EXPECT_EQ(read_config(with(logs, "LOGGER_LEVEL", "debug")).error().front().text, "must not be debug in production");
    EXPECT_TRUE(read_config(with(logs, "LOGGER_LEVEL", "verbose")));
    EXPECT_TRUE(read_config({{"LOGGER_ENABLE", "true"}, {"LOGGER_LEVEL", "debug"}}));
    EXPECT_THAT(problem_names({{"LOGGER_LEVEL", "silly"}}), ElementsAre("LOGGER_LEVEL"));
}

TEST(Config, AnAddressForErrorsLeadsToAnEnvelope) {
    const auto plain = parse_sentry_dsn("https://k3y@errors.example.com/42");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->envelope_url, "https://errors.example.com/api/42/envelope/");
    EXPECT_EQ(plain->public_key, "k3y");
    const auto below = parse_sentry_dsn("http://k3y:s3cret@[::1]:9000/sentry/7");
    ASSERT_TRUE(below);
    EXPECT_EQ(below->envelope_url, "http://[::1]:9000/sentry/api/7/envelope/");
    for (const auto* text :
         {"", "errors.example.com", "https://errors.example.com/42", "https://k3y@errors.example.com",
          "https://k3y@errors.example.com/", "ftp://k3y@errors.example.com/42", "https://k%0D@a/1",
          "https://k3y@errors.example.com/42?a=b", "https://k3y@/42", "https://k3y@errors.example.com:66123/42"})
        EXPECT_FALSE(parse_sentry_dsn(text)) << text;
}

TEST(Config, WeakPasswordHashesAreRefusedInProductionOnly) {
    EXPECT_TRUE(read_config({{"AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "8192"}, {"AUTH_PASSWORD_ARGON2_PASSES", "1"}}));
    EXPECT_THAT(problem_names(with(production(), "AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "19455")),
                ElementsAre("AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB"));
    EXPECT_THAT(problem_names(with(production(), "AUTH_PASSWORD_ARGON2_PASSES", "1")),
                ElementsAre("AUTH_PASSWORD_ARGON2_PASSES"));
}

TEST(Config, WarnsAboutUnwiseChoices) {
    EXPECT_THAT(warning_names({{"AUTH_TWO_FACTOR_REPLAY_PROTECTION", "false"},
                               {"AUTH_PASSWORD_ATTEMPT", "false"},
                               {"SESSION_CHECK", "cache"},
                               {"PUBLIC_URL", "http://localhost"}}),
                UnorderedElementsAre("AUTH_TWO_FACTOR_REPLAY_PROTECTION", "AUTH_PASSWORD_ATTEMPT", "SESSION_CHECK"));
    EXPECT_THAT(warning_names(with(with(production(), "PUBLIC_URL", "http://shop.example"), "DOC_ENABLE", "true")),
                UnorderedElementsAre("PUBLIC_URL", "DOC_ENABLE", "PAGES_ENABLE"));
    EXPECT_THAT(warning_names(production()), IsEmpty());
    EXPECT_THAT(warning_names(with(production(), "MAIL_URL", "file:/var/mail/out")), ElementsAre("MAIL_URL"));
    EXPECT_THAT(warning_names({{"MAIL_URL", "smtp://mail.shop.example"}}), ElementsAre("EMAIL_NO_REPLY"));
    const Environment logs{{"LOGGER_INTO_FILE", "true"}, {"LOGGER_AUTO", "true"}, {"LOGGER_PRETTIER", "true"}};
    EXPECT_THAT(warning_names(logs), UnorderedElementsAre("LOGGER_INTO_FILE", "LOGGER_AUTO", "LOGGER_PRETTIER"));
    EXPECT_THAT(warning_names(with(logs, "LOGGER_ENABLE", "true")), IsEmpty());
}

TEST(Config, WarnsAboutUnencryptedServersInProduction) {
    const auto with_servers = [](const Environment& environment, const std::string& database,
                                 const std::string& cache) {
        return with(with(environment, "DATABASE_URL", database), "CACHE_URL", cache);
    };
    EXPECT_THAT(warning_names(with_servers(production(), "postgresql://db/x", "redis://cache")),
                UnorderedElementsAre("DATABASE_URL", "CACHE_URL", "STORAGE_URL"));
    EXPECT_THAT(warning_names(with_servers(production(), "postgresql://db/x?sslmode=verify-full", "rediss://cache")),
                ElementsAre("STORAGE_URL"));
    EXPECT_THAT(warning_names(with_servers({}, "postgresql://localhost/x", "redis://cache")), IsEmpty());
}

TEST(Config, WarnsAboutADatabaseConnectionInPlainText) {
    for (const char* fine :
         {"postgresql:///x", "postgresql://u@[::1]:5432/x", "postgresql://127.0.0.1,localhost/x?sslmode=prefer",
          "postgresql://%2Frun%2Fpostgresql/x", "postgresql:///x?host=/run/postgresql",
          "postgresql://db/x?hostaddr=127.0.0.1", "postgresql://db/x?sslmode=require", "postgresql://db/x?ssl=true",
          "postgresql://db/x?sslmode=verify-ca",
          "postgresql://u:p%40ss@db1:5432,db2,[::1]:5433/x?sslmode=verify-full&options=-c%20search_path%3Da"})
        EXPECT_THAT(warning_names({{"DATABASE_URL", fine}}), ElementsAre("CACHE_URL")) << fine;
    for (const char* open :
         {"postgresql://db/x", "postgresql://u:p@192.0.2.1/x?sslmode=prefer", "postgresql://db/x?sslmode=allow",
          "postgresql://db/x?sslmode=disable", "postgresql://localhost,db/x", "postgresql:///x?host=db",
          "postgresql://localhost/x?hostaddr=192.0.2.1", "postgresql://u:p%40ss@db1:5432,db2,[::1]:5433/x"})
        EXPECT_THAT(warning_names({{"DATABASE_URL", open}}), UnorderedElementsAre("DATABASE_URL", "CACHE_URL")) << open;
}

TEST(Config, ABodyOfTheLargestSizeFitsIntoTheMemoryOfBodies) {
    for (const std::string limit : {"REQUEST_BODY_JSON_LIMIT_IN_BYTES", "REQUEST_BODY_TEXT_LIMIT_IN_BYTES"}) {
        EXPECT_THAT(problem_names({{limit, "16777217"}, {"HTTP_BODY_MEMORY_MAX_IN_MB", "16"}}), ElementsAre(limit));
        EXPECT_THAT(problem_names({{limit, "16777216"}, {"HTTP_BODY_MEMORY_MAX_IN_MB", "16"}}), IsEmpty());
    }
}

TEST(Config, ANameWithAColonRequiresAnIssuer) {
    EXPECT_THAT(problem_names({{"APP_NAME", "Shop: Login"}}), ElementsAre("AUTH_TWO_FACTOR_ISSUER"));
    EXPECT_TRUE(read_config({{"APP_NAME", "Shop: Login"}, {"AUTH_TWO_FACTOR_ISSUER", "Shop"}}));
}

}  // namespace
}  // namespace consentry
