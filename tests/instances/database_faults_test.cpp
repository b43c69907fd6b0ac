// PostgreSQL is down, slow or silent: Consentry authenticates no caller from the cache alone and answers quickly
// (FLT-2).
#include <functional>

#include <gmock/gmock.h>

#include "tests/instances/fleet.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/real_postgres.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

// A database behind a link, and one way to lose it and to restore it.
struct DatabaseFault {
    virtual ~DatabaseFault() = default;
    virtual std::string url() const = 0;
    virtual void begin() = 0;
    virtual void end() = 0;
};

struct ServerFault : DatabaseFault {
    std::string url() const override { return server.url(); }
    // The tests kill only the server's processes, not the machine, so what these have written survives without fsync.
    const RealPostgres server{{.settings = {"fsync=off"}}};
};
struct Killed : ServerFault {
    void begin() override { server.kill(); }
    void end() override { server.start(); }
};
struct Frozen : ServerFault {
    void begin() override { server.pause(); }
    void end() override { server.resume(); }
};

struct LinkFault : DatabaseFault {
    std::string url() const override { return with_port(schema.url(), link.port()); }
    void end() override { link.pass(); }
    const PostgresSchema schema{};
    TcpProxy link{port_of(shared_postgres_url())};
};
struct BlackHole : LinkFault {
    void begin() override { link.hang(); }
};
struct FiveSecondsLate : LinkFault {
    void begin() override { link.delay(5s); }
};
struct Refused : LinkFault {
    void begin() override { link.refuse(); }
};

template <class Fault>
std::unique_ptr<DatabaseFault> make() {
    return std::make_unique<Fault>();
}

struct NamedFault {
    std::string name;
    std::unique_ptr<DatabaseFault> (*make)();
};
void PrintTo(const NamedFault& fault, std::ostream* out) { *out << fault.name; }

class DatabaseFaults : public testing::TestWithParam<NamedFault> {
protected:
    // One request of each kind. None of them may succeed during a fault.
    std::vector<std::function<Answer(const HttpClient&)>> requests() {
        return {
            [this](const HttpClient& client) {
                return client.get("/api/shared/user/2fa/status", bearer(sessions[0].access));
            },
            [this](const HttpClient& client) {
                return client.get("/api/shared/user/session/list", bearer(sessions[0].access));
            },
            [this](const HttpClient& client) { return refresh(client, sessions[1].refresh); },
            [this](const HttpClient& client) { return log_out(client, sessions[2].access); },
            [this](const HttpClient& client) { return log_in(client, bob); },
            [this](const HttpClient& client) { return verify_backup(client, challenge, ada.backup_codes[0]); },
        };
    }
    // Sends 64 of these requests at once, spread over the instances, and returns the time of the slowest one.
    std::chrono::milliseconds expect_none_is_served() {
        const auto all = requests();
        std::vector<std::chrono::milliseconds> took(64);
        const auto answers = at_once(took.size(), [&](std::size_t i) {
            auto [answer, time] = timed([&] { return all[i % all.size()](fleet.client(i)); });
            took[i] = time;
            return answer;
        });
        EXPECT_EQ(count(answers, 503, "serviceUnavailable"), took.size()) << testing::PrintToString(statuses(answers));
        for (const Answer& answer : answers) EXPECT_TRUE(answer.headers.contains("retry-after")) << answer.body;
        return *std::ranges::max_element(took);
    }
    // People get a page that says so.
    void expect_pages_say_so() {
        for (const char* path : {"/account", "/login", "/policies/termsOfService/1"}) {
            const Answer answer = person.open(path);
            EXPECT_EQ(answer.status, 503U) << path << answer.body;
            EXPECT_THAT(answer.body, testing::HasSubstr("<h1>We are not available right now</h1>")) << path;
            EXPECT_TRUE(answer.headers.contains("retry-after")) << path;
        }
    }
    bool is_ready(std::size_t instance) { return fleet.client(instance).get("/api/health/ready").status == 200U; }
    // Each thread of an instance has its own connections. 12 requests are enough to reach every thread.
    bool is_back(std::size_t instance) {
        for (int i = 0; i < 12; ++i)
            if (knock(fleet.client(instance), sessions[0].access) != 200U || !is_ready(instance)) return false;
        return true;
    }

    std::unique_ptr<DatabaseFault> database = GetParam().make();
    Fleet fleet{2,
                {{"DATABASE_URL", database->url()},
                 {"CACHE_URL", shared_redis_url()},
                 {"CACHE_NAMESPACE", fresh_namespace()},
                 {"SESSION_MAX_PER_USER", "1000"},
                 // If a refresh took effect although it was not acknowledged, the test can repeat it at the end.
                 {"AUTH_JWT_REFRESH_GRACE_IN_SECONDS", "60"}}};
    Person bob;
    Person ada;
    std::string challenge;
    std::vector<TokenTexts> sessions;
    Browser person{[this] { return fleet.at(0).port(); }};
};

TEST_P(DatabaseFaults, FLT_2_NothingIsServedFromTheCacheAloneAndAllIsWellAfterwards) {
    bob = fleet.make_person();
    ada = fleet.make_protected_person();
    for (std::size_t i = 0; i < 3; ++i) sessions.push_back(tokens_of(fleet.client(i), bob));
    challenge = challenge_of(fleet.client(0), ada);
    person.log_in(bob.email, bob.password);
    for (std::size_t i = 0; i < 12; ++i)  // puts a copy of each session into the cache
        ASSERT_EQ(knock(fleet.client(i), sessions[i / 2 % 3].access), 200U);

    // Other tests may slow the machine down, so one quick try in three is enough.
    std::chrono::milliseconds slowest = 1h;
    for (int round = 0; round < 3 && slowest >= 1s; ++round) {
        database->begin();
        slowest = expect_none_is_served();  // right after the fault, when no connection has noticed it yet
        slowest = std::max(slowest, expect_none_is_served());
        expect_pages_say_so();
        std::chrono::milliseconds quickest = 1h;
        for (std::size_t i = 0; i < 6; ++i) {
            const HttpClient client = fleet.client(i);
            const auto ready = timed([&] { return client.get("/api/health/ready"); });
            EXPECT_EQ(ready.answer.status, 503U) << ready.answer.body;
            slowest = std::max(slowest, ready.took);
            EXPECT_EQ(client.get("/api/health/live").status, 200U) << "no reason to kill it";
            const auto hello = timed([&] { return client.get("/api/hello"); });
            EXPECT_EQ(hello.answer.status, 200U);
            quickest = std::min(quickest, hello.took);
        }
        EXPECT_LT(quickest, 100ms) << "what needs no database does not wait for it";
        database->end();
        const auto deadline = std::chrono::steady_clock::now() + 5s;
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_TRUE(eventually_before(deadline, [&] { return is_back(i); })) << "instance " << i << " after 5 s";
    }
    EXPECT_LT(slowest, 1s);

    // Requests sent just before the fault may have taken effect, but each at most once.
    TokenTexts next = refreshed_tokens_in(refresh(fleet.client(0), sessions[1].refresh));
    EXPECT_EQ(knock(fleet.client(1), next.access), 200U);
    EXPECT_EQ(knock(fleet.client(1), sessions[1].access), 401U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(log_in(fleet.client(i), bob).status, 200U);
        EXPECT_EQ(verify_backup(fleet.client(i), challenge_of(fleet.client(i), ada), ada.backup_codes[1 + i]).status,
                  200U);
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, DatabaseFaults,
                         testing::Values(NamedFault{"Killed", make<Killed>}, NamedFault{"Frozen", make<Frozen>},
                                         NamedFault{"BlackHole", make<BlackHole>},
                                         NamedFault{"FiveSecondsLate", make<FiveSecondsLate>},
                                         NamedFault{"Refused", make<Refused>}),
                         [](const auto& info) { return info.param.name; });

// Filling a disk would require a separate file system. Instead, a trigger raises the error that PostgreSQL reports for
// a full disk. It stops every table: a background task whose write succeeds would make the service ready again.
class DiskFull {
public:
    explicit DiskFull(const SharedFleet& fleet) : fleet_(fleet) {
        change_function("RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'");
        // One transaction for each table, because transactions under way lock the tables in other orders.
        for (const auto& row : fleet.sql("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"))
            fleet.sql("CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON " + row.at(0) +
                      " EXECUTE FUNCTION full_disk()");
    }
    // Locks no table, as dropping the triggers would.
    void end() const { change_function("RETURN NULL"); }

private:
    void change_function(const std::string& body) const {
        fleet_.sql("CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + body +
                   "; END $$");
    }
    const SharedFleet& fleet_;
};

TEST(FLT_2, AFullDiskAtTheServerIsReportedAndSurvived) {
    SharedFleet fleet(2);
    const Person bob = fleet->make_person();
    const TokenTexts tokens = tokens_of(fleet->client(0), bob);
    const TokenTexts of_admin = tokens_of(fleet->client(0), fleet->make_person("superAdmin"));
    Browser person{[&] { return fleet->at(0).port(); }};
    person.log_in(bob.email, bob.password);
    // The use of these sessions is due to be recorded: an administrator's after a minute, a cookie's after half a day.
    fleet.sql(
        "UPDATE sessions SET last_active_at = last_active_at - 120000;"
        "UPDATE sessions SET expires_at = expires_at - 86400000 WHERE expires_at = issued_at + 604800000");
    // Nothing takes back the next number of a sequence.
    fleet.sql(
        "CREATE SEQUENCE tries;"
        "CREATE FUNCTION count_try() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('tries'); RETURN "
        "NULL; END $$;"
        "CREATE TRIGGER count_try BEFORE UPDATE OF last_active_at ON sessions EXECUTE FUNCTION count_try()");
    const DiskFull full(fleet);
    for (std::size_t i = 0; i < 4; ++i) {
        const Answer login = log_in(fleet->client(i), bob);
        EXPECT_EQ(login.status, 503U) << login.body;
        EXPECT_TRUE(login.headers.contains("retry-after"));
        EXPECT_FALSE(login.body.contains("space")) << "no detail leaves the house";
        EXPECT_EQ(log_out(fleet->client(i), tokens.access).status, 503U);
        EXPECT_EQ(log_in(fleet->client(i), {.email = bob.email, .password = "Wrong-Harbor-42"}).status, 503U)
            << "nobody may guess uncounted";
        EXPECT_EQ(fleet->client(i).get("/api/health/ready").status, 503U);
        EXPECT_EQ(knock(fleet->client(i), tokens.access), 200U) << "what only reads goes on";
        EXPECT_EQ(knock(fleet->client(i), of_admin.access), 200U) << "although the time of the use is not recorded";
        EXPECT_EQ(person.open("/account").status, 200U) << "although the session does not last longer";
    }
    EXPECT_LT(fleet.number("SELECT last_value FROM tries"), 8) << "not every request tries to record its use";
    full.end();
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(eventually([&] { return fleet->client(i).get("/api/health/ready").status == 200U; }, 5s));
        EXPECT_EQ(log_in(fleet->client(i), bob).status, 200U);
    }
}

}  // namespace
}  // namespace consentry::tests
