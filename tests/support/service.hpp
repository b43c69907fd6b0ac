// The real service on a free port, driven over HTTP, with a clock that the test controls.
//
// Everything except the clock is what runs in production: App, sockets, SQLite in a temporary folder, the in-process
// cache; or, with CONSENTRY_TEST_ENGINES=shared in the environment, PostgreSQL and Redis (shared_engines.hpp). Accounts
// are created in the same way as by the command line. Thread-safe, except for restart().
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/dotenv.hpp"
#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "features/users/user.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/migrated_postgres.hpp"
#include "tests/support/person.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry {
class App;
}

namespace consentry::tests {

inline constexpr const char* wrong_password = "Wrong-Harbor-42";
inline constexpr const char* profile_path = "/api/shared/user/profile";

// The settings of a service for tests: its data in `folder`, port 0 of the loopback address, few threads, the cheapest
// permitted password hash, no limit of requests. `more` overrides them.
Environment test_settings(const std::filesystem::path& folder, Environment more = {});

class Service {
public:
    // `settings` override the defaults: test_settings() with a temporary folder, and the engines.
    explicit Service(Environment settings = {});
    ~Service();

    // Checks every answer against the OpenAPI document (contract.hpp); a violation fails the running test.
    Answer call(std::string_view method, const std::string& path, const std::string& body = {},
                Headers headers = {}) const;
    Answer get(const std::string& path, Headers headers = {}) const {
        return call("GET", path, {}, std::move(headers));
    }
    Answer post(const std::string& path, const json::object& body, Headers headers = {}) const;
    Answer patch(const std::string& path, const json::object& body, Headers headers = {}) const;
    Answer erase(const std::string& path, const json::object& body = {}, Headers headers = {}) const;

    // Creates an active, verified account with a new address.
    Person make_person(Role role = Role::user, std::string password = right_password);
    Answer log_in(const Person& person) const { return log_in(person.email, person.password); }
    Answer log_in(const std::string& email, const std::string& password) const;
    // Logs in an account without a second factor.
    TokenTexts tokens_of(const Person& person) const;
    // Sets up two-factor and confirms it; fills in the secret and the backup codes. This uses up the code of the
    // current step, so the next accepted code belongs to a later step; see next_code().
    TokenTexts turn_two_factor_on(Person& person);
    // Returns the code of the step that is `steps` after the current one.
    std::string code(const Person& person, std::int64_t steps = 0) const;
    // Advances the clock by one period and returns the new, unused code.
    std::string next_code(const Person& person);
    // Logs in up to the second factor and returns the challenge.
    std::string challenge_of(const Person& person) const;
    Answer verify(const std::string& challenge, const std::string& code) const;
    Answer verify_backup(const std::string& challenge, const std::string& backup_code) const;

    // Returns how many sessions of the account have not ended.
    std::size_t live_sessions(const Person& person) const;

    // Direct database access, for facts that HTTP does not show. hex(bytes) works in both databases; booleans are
    // returned as 0 and 1.
    std::vector<std::vector<std::string>> sql(const std::string& statement) const;
    std::vector<std::string> tables() const;
    std::string literal(BytesView bytes) const;
    // Makes the database reject the writes that `when` names: "INSERT ON sessions", "UPDATE OF jti ON sessions".
    void break_writes(const std::string& when) const;
    void mend_writes() const;
    // Does at once all that is due in the background; whatever fails, fails the running test.
    void work();
    // Advances the clock, including that of the cache.
    void pass(milliseconds time);
    // Empties the cache, which may lose its content at any time. With the in-process cache, requires
    // CACHE_MEMORY_MAX_IN_MB=1.
    void lose_cache();
    // Ends the service as a crash between requests does and restarts it on the same folder, with `changes` applied to
    // its settings from then on.
    void restart(const Environment& changes = {});

    App& app() { return *app_; }
    ManualClock& clock() { return clock_; }
    const std::filesystem::path& folder() const { return folder_.path(); }
    std::uint16_t port() const;

private:
    TempFolder folder_;
    std::optional<MigratedPostgres> postgres_;  // replaces SQLite
    ManualClock clock_;
    Environment environment_;
    std::string name_space_;  // in Redis
    std::unique_ptr<App> app_;
    std::shared_ptr<const Contract> contract_;  // null if the documentation is switched off
    int people_ = 0;
};

// The service that the tests of a suite share, with the default settings: the first test that asks starts it, and it
// ends after the suite's last test. For tests that look only at accounts of their own. Such a test changes nothing that
// other accounts meet (policies, flags, roles, stopped writes), does not restart the service, and expects the clock to
// show any time: tests advance it, never set it back.
Service& suite_service();

}  // namespace consentry::tests
