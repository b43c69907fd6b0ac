// The real service on a free port, with a clock of the test's own, spoken to over HTTP.
//
// Everything but the clock is what runs in production: App, sockets, SQLite below a temporary folder, the in-process
// cache; or, with CONSENTRY_TEST_ENGINES=shared in the environment, PostgreSQL and Redis (shared_engines.hpp). Accounts
// are made as the command line makes them. Thread-safe but for restart().
#pragma once

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
#include "tests/support/shared_engines.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry {
class App;
}

namespace consentry::tests {

struct Person {
    UserId id;
    std::string email;
    std::string password;
    std::string secret;  // base32, once two-factor is set up
    std::vector<std::string> backup_codes;
};

struct TokenTexts {
    std::string access;
    std::string refresh;
};

inline constexpr std::string_view right_password = "Velvet-Harbor-42";

class Service {
public:
    // `settings` on top of: a temporary DATA_DIR, port 0, the cheapest password hash that is allowed, the engines.
    explicit Service(Environment settings = {});
    ~Service();

    // Every answer is held against the API document (contract.hpp): a difference fails the running test.
    Answer call(std::string_view method, const std::string& path, const std::string& body = {},
                Headers headers = {}) const;
    Answer get(const std::string& path, Headers headers = {}) const {
        return call("GET", path, {}, std::move(headers));
    }
    Answer post(const std::string& path, const json::object& body, Headers headers = {}) const;
    Answer patch(const std::string& path, const json::object& body, Headers headers = {}) const;
    Answer erase(const std::string& path, const json::object& body = {}, Headers headers = {}) const;

    // An account, active and verified, with a fresh address.
    Person make_person(Role role = Role::user, std::string password = std::string(right_password));
    Answer log_in(const Person& person) const { return log_in(person.email, person.password); }
    Answer log_in(const std::string& email, const std::string& password) const;
    // Logs in where no second factor stands in the way.
    TokenTexts tokens_of(const Person& person) const;
    // Sets two-factor up and confirms it; fills secret and backup codes. Uses the clock's present code: the next code
    // that is accepted belongs to a later step, see next_code().
    TokenTexts turn_two_factor_on(Person& person);
    // The code of the step that is `steps` after the present one.
    std::string code(const Person& person, std::int64_t steps = 0) const;
    // Moves the clock one period on and returns the new code, which was never used.
    std::string next_code(const Person& person);
    // Logs in up to the challenge and returns it.
    std::string challenge_of(const Person& person) const;
    Answer verify(const std::string& challenge, const std::string& code) const;
    Answer verify_backup(const std::string& challenge, const std::string& backup_code) const;

    // Straight to the database, for what HTTP does not show.
    // hex(bytes) is understood by both databases; booleans come as 0 and 1.
    std::vector<std::vector<std::string>> sql(const std::string& statement) const;
    std::vector<std::string> tables() const;
    std::string literal(BytesView bytes) const;
    // From now on the database refuses what `when` says: "INSERT ON sessions", "UPDATE OF jti ON sessions".
    void break_writes(const std::string& when) const;
    void mend_writes() const;
    // Turns the clock, the cache's as well.
    void pass(milliseconds time);
    // The cache forgets everything, as it may at any time. In the process, only with CACHE_MEMORY_MAX_IN_MB=1.
    void lose_cache();
    // Ends the service as a crash would end it between requests, and starts it again on the same folder, from then on
    // with these settings on top.
    void restart(const Environment& changes = {});

    App& app() { return *app_; }
    ManualClock& clock() { return clock_; }
    const std::filesystem::path& folder() const { return folder_.path(); }
    std::uint16_t port() const;

private:
    TempFolder folder_;
    std::optional<PostgresSchema> schema_;  // in the place of SQLite
    ManualClock clock_;
    Environment environment_;
    std::string name_space_;  // in Redis
    std::unique_ptr<App> app_;
    std::shared_ptr<const Contract> contract_;  // none where the documentation is closed
    int people_ = 0;
};

}  // namespace consentry::tests
