#include "tests/support/service.hpp"

#include <map>
#include <mutex>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "app/config/read_config.hpp"
#include "crypto/totp.hpp"
#include "tests/support/base32.hpp"
#include "tests/support/migrated_sqlite.hpp"
#include "tests/support/run.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/sql.hpp"

namespace consentry::tests {
namespace {

// Deliberately in the past: the service must never read the machine's own clock.
constexpr TimePoint test_begin = from_epoch_ms(1'700'000'010'000);
constexpr seconds totp_period{30};

std::unique_ptr<Service>& service_of_suite() {
    static std::unique_ptr<Service> service;
    return service;
}

class EndsWithSuite final : public ::testing::EmptyTestEventListener {
    void OnTestSuiteEnd(const ::testing::TestSuite& /*suite*/) override { service_of_suite().reset(); }
};

// Null if the documentation is closed. Writing a document takes longer than starting a service, and most services of a
// test program have the same: those whose settings differ only in where their data lies.
std::shared_ptr<const Contract> contract_of(const App& app, Environment settings) {
    for (const char* place : {"CACHE_NAMESPACE", "CACHE_URL", "DATABASE_URL", "DATA_DIR"}) settings.erase(place);
    static std::mutex mutex;
    static std::map<Environment, std::shared_ptr<const Contract>> known;
    const std::lock_guard lock(mutex);
    const auto [found, is_new] = known.try_emplace(std::move(settings));
    if (is_new && !app.document().empty()) found->second = Contract::of(app.document());
    return found->second;
}

}  // namespace

Service& suite_service() {
    [[maybe_unused]] static const bool listening = [] {
        ::testing::UnitTest::GetInstance()->listeners().Append(new EndsWithSuite);  // GoogleTest owns it
        return true;
    }();
    auto& service = service_of_suite();
    if (!service) service = std::make_unique<Service>();
    return *service;
}

// The least memory that settings permit still takes a fifth of the processor time of tests, which hash passwords only
// to log in. So the service of a test hashes with less, unless the test itself asks for an amount.
constexpr const char* memory_setting = "AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB";
constexpr const char* least_memory = "8192";
constexpr std::size_t quick_memory_kib = 256;

Environment test_settings(const std::filesystem::path& folder, Environment more) {
    more.insert({{"DATA_DIR", (folder / "data").string()},
                 {"HTTP_HOST", "127.0.0.1"},
                 {"HTTP_PORT", "0"},
                 {"HTTP_THREADS", on_shared_engines() ? "1" : "2"},  // each thread has connections of its own
                 {memory_setting, least_memory},
                 {"AUTH_PASSWORD_ARGON2_PASSES", "1"},
                 {"LINK_REQUESTS_MAX_PER_CLIENT", "0"},
                 {"THROTTLE_LIMIT", "0"}});  // tests outpace people; tests of the limit set it
    return more;
}

Service::Service(Environment settings)
    : clock_(test_begin), environment_(test_settings(folder_.path(), std::move(settings))) {
    if (on_shared_engines()) {
        postgres_.emplace();
        name_space_ = fresh_namespace();
        environment_.try_emplace("DATABASE_URL", postgres_->url());
        // One for look-ups, one for the rest: a new connection costs the server more than what a test does on it.
        environment_.try_emplace("DATABASE_CONNECTIONS_PER_THREAD", "2");
        environment_.try_emplace("CACHE_URL", shared_redis_url());
        environment_.try_emplace("CACHE_NAMESPACE", name_space_);
        // Race tests put more load on a small machine than a request should wait for, and shared machines stall at
        // times.
        environment_.try_emplace("DATABASE_TIMEOUT", "25s");
        environment_.try_emplace("CACHE_TIMEOUT", "10s");
    } else if (!environment_.contains("DATABASE_URL")) {
        copy_migrated_sqlite(std::filesystem::path(environment_.at("DATA_DIR")) / "consentry.db");
    }
    restart();
}

Service::~Service() = default;

std::uint16_t Service::port() const { return app_->port(); }

void Service::restart(const Environment& changes) {
    app_.reset();
    for (const auto& [name, value] : changes) environment_.insert_or_assign(name, value);
    auto config = read_config(environment_);
    if (!config) throw std::runtime_error(config.error().front().setting + ": " + config.error().front().text);
    if (environment_.at(memory_setting) == least_memory) config->password.argon2_memory_kib = quick_memory_kib;
    app_ = std::make_unique<App>(*config, clock_);
    contract_ = contract_of(*app_, environment_);
    app_->start(std::chrono::hours{1});  // tests trigger the cleanup themselves
}

Answer Service::call(std::string_view method, const std::string& path, const std::string& body, Headers headers) const {
    Answer answer = HttpClient(port()).call(method, path, body, headers);
    if (contract_)
        for (const std::string& complaint : contract_->complaints(method, path, body, answer))
            ADD_FAILURE() << "against the API document: " << method << " " << path << " " << answer.status << ": "
                          << complaint << "\n"
                          << answer.body.substr(0, 2'000);
    return answer;
}
Answer Service::post(const std::string& path, const json::object& body, Headers headers) const {
    return call("POST", path, json::serialize(body), std::move(headers));
}
Answer Service::patch(const std::string& path, const json::object& body, Headers headers) const {
    return call("PATCH", path, json::serialize(body), std::move(headers));
}
Answer Service::erase(const std::string& path, const json::object& body, Headers headers) const {
    return call("DELETE", path, body.empty() ? std::string() : json::serialize(body), std::move(headers));
}

Person Service::make_person(Role role, std::string password) {
    Person person;
    person.email = "person" + std::to_string(++people_) + "@example.org";
    person.password = std::move(password);
    User user;
    user.email = person.email;
    user.role_id = built_in_role(role);
    user.is_verified = true;
    const auto id = run(app_->services().passwords.create(std::move(user), person.password));
    if (!id) throw std::runtime_error("no account: " + std::string(id.error().kind().name));
    person.id = *id;
    return person;
}

Answer Service::log_in(const std::string& email, const std::string& password) const {
    return post("/api/public/user/login/credential", {{"email", email}, {"password", password}, {"from", "website"}});
}

TokenTexts Service::tokens_of(const Person& person) const {
    const Answer answer = log_in(person);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return {answer.text("data.tokens.accessToken"), answer.text("data.tokens.refreshToken")};
}

TokenTexts Service::turn_two_factor_on(Person& person) {
    const TokenTexts tokens = tokens_of(person);
    const Answer setup = post("/api/shared/user/2fa/setup", {}, bearer(tokens.access));
    EXPECT_EQ(setup.status, 200U) << setup.body;
    person.secret = setup.text("data.secret");
    const Answer enabled = post("/api/shared/user/2fa/enable", {{"code", code(person)}}, bearer(tokens.access));
    EXPECT_EQ(enabled.status, 200U) << enabled.body;
    for (const auto& one : enabled.json.at("data").at("backupCodes").as_array())
        person.backup_codes.emplace_back(one.as_string());
    return tokens;
}

std::string Service::code(const Person& person, std::int64_t steps) const {
    const auto secret = from_base32(person.secret);
    const auto step = crypto::totp_step(clock_.now(), {}) + steps;
    return crypto::hotp(secret, static_cast<std::uint64_t>(step), 6);
}

std::string Service::next_code(const Person& person) {
    clock_.advance(totp_period);
    return code(person);
}

std::string Service::challenge_of(const Person& person) const {
    const Answer answer = log_in(person);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    EXPECT_TRUE(answer.boolean("data.isTwoFactorRequired"));
    return answer.text("data.challengeToken");
}

Answer Service::verify(const std::string& challenge, const std::string& code) const {
    return post("/api/public/user/login/2fa/verify", {{"challengeToken", challenge}, {"code", code}});
}
Answer Service::verify_backup(const std::string& challenge, const std::string& backup_code) const {
    return post("/api/public/user/login/2fa/verify", {{"challengeToken", challenge}, {"backupCode", backup_code}});
}

std::vector<std::vector<std::string>> Service::sql(const std::string& statement) const {
    if (postgres_) return postgres_->sql(statement);
    return run_sql(folder_.path() / "data" / "consentry.db", statement);
}

std::size_t Service::live_sessions(const Person& person) const {
    return std::stoul(
        sql("SELECT count(*) FROM sessions WHERE revoked_at IS NULL AND user_id = '" + person.id.text() + "'")[0][0]);
}

std::vector<std::string> Service::tables() const {
    std::vector<std::string> out;
    for (const auto& row : sql(postgres_ ? "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
                                         : "SELECT name FROM sqlite_master WHERE type = 'table'"))
        out.push_back(row[0]);
    return out;
}

std::string Service::literal(BytesView bytes) const { return (postgres_ ? "'\\x" : "x'") + to_hex(bytes) + "'"; }

void Service::break_writes(const std::string& when) const {
    if (postgres_)
        sql("CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'injected fault'; END $$; "
            "CREATE TRIGGER fault BEFORE " +
            when + " FOR EACH ROW EXECUTE FUNCTION fault()");
    else
        sql("CREATE TRIGGER fault BEFORE " + when + " BEGIN SELECT RAISE(ABORT, 'injected fault'); END");
}

void Service::mend_writes() const { sql(postgres_ ? "DROP FUNCTION fault CASCADE" : "DROP TRIGGER fault"); }

void Service::work() {
    for (const TaskTrouble& trouble : run(app_->services().clean_up()))
        ADD_FAILURE() << trouble.task << ": " << trouble.reason;
}

void Service::pass(milliseconds time) {
    clock_.advance(time);
    if (postgres_) age_redis_keys(name_space_, time);
}

void Service::lose_cache() {
    if (postgres_) {
        erase_redis_keys(name_space_);
        return;
    }
    auto& cache = app_->services().cache;
    for (int i = 0; i < 20'000; ++i)
        run(cache.put("filler:" + std::to_string(i), std::string(100, 'x'), std::chrono::hours{1}));
}

}  // namespace consentry::tests
