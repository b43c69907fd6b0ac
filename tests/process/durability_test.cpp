// Everything the program has acknowledged survives a kill at any moment, and interrupted requests take effect
// completely or not at all (STO-1, STO-2).
//
// Each client works on its own account and sends one request after another, so it knows exactly the state of the
// account. Only the request that the kill interrupted is open: it may have taken effect or not.
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wanted.hpp"

namespace consentry::tests {
namespace {

// Requests meet no limits, so any refusal is a bug.
Settings endless_settings() {
    return quick_settings({{"SESSION_MAX_PER_USER", "1000"}, {"AUTH_PASSWORD_PERIOD_IN_SECONDS", "0"}});
}

// Counts the requests that the service has acknowledged.
class Tally {
public:
    void add() {
        const std::lock_guard lock(mutex_);
        ++count_;
        more_.notify_all();
    }
    void client_ended() {
        const std::lock_guard lock(mutex_);
        ++ended_;
        more_.notify_all();
    }
    // Returns false if all clients ended before, or after a timeout.
    bool wait_for(std::size_t count, std::size_t clients) {
        std::unique_lock lock(mutex_);
        return more_.wait_for(lock, std::chrono::seconds{20}, [&] { return count_ >= count || ended_ == clients; }) &&
               count_ >= count;
    }
    std::size_t count() const { return count_; }

private:
    std::mutex mutex_;
    std::condition_variable more_;
    std::size_t count_ = 0;
    std::size_t ended_ = 0;
};

class Client {
public:
    Client(std::filesystem::path folder, std::string name, unsigned seed)
        : folder_(std::move(folder)), name_(std::move(name)), random_(seed) {
        begin_account();
    }

    // Sends requests until the service is gone.
    void work(const HttpClient& client, Tally& tally) {
        try {
            for (;;) {
                step(client);
                open_.clear();
                if (::testing::Test::HasFailure()) break;
                tally.add();
            }
        } catch (const boost::system::system_error&) {
            // The service was killed; open_ names the request in progress.
        }
        tally.client_ended();
    }

    // After a restart: resolves the open request, then checks that everything else is as acknowledged.
    void check(const HttpClient& client) {
        SCOPED_TRACE(name_ + ", left open: " + open_);
        settle(client);
        for (const TokenTexts& tokens : live_) EXPECT_EQ(knock(client, tokens.access), 200U) << "an acknowledged login";
        for (const std::string& token : dead_) EXPECT_EQ(knock(client, token), 401U) << "an acknowledged end";
        EXPECT_EQ(count("two_factors", "enabled = 1"), two_factor_ ? 1 : 0);
        EXPECT_EQ(count("backup_codes"), static_cast<int>(person_.backup_codes.size()));
        EXPECT_EQ(count("sessions", "revoked_at IS NULL"), static_cast<int>(live_.size()));
        check_password(client);
        dead_.clear();  // checking once is enough and keeps rounds short
    }

private:
    void begin_account() {
        ++people_;
        person_ = make_person(folder_, name_ + std::to_string(people_) + "@example.org", "user", endless_settings());
        live_.clear();
        dead_.clear();
        former_password_.clear();
        two_factor_ = had_two_factor_ = false;
    }

    std::size_t any(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }
    int count(const std::string& table, const std::string& where = "1") const {
        return std::stoi(run_sql(
            folder_ / "data" / "consentry.db",
            "SELECT count(*) FROM " + table + " WHERE user_id = '" + person_.id.text() + "' AND " + where)[0][0]);
    }

    void step(const HttpClient& client) {
        if (live_.empty()) return enter(client);
        switch (any(10)) {
            case 0:
            case 1:
                return enter(client);
            case 2:
            case 3:
            case 4:
                return refresh(client, any(live_.size()));
            case 5:
            case 6:
                return log_out(client, any(live_.size()));
            case 7:
                return change_password(client);
            default:
                return had_two_factor_ ? enter(client) : turn_on(client);
        }
    }

    void enter(const HttpClient& client) {
        if (two_factor_ && person_.backup_codes.size() < 3) return turn_off(client);
        open_ = "login";
        open_sessions_ = count("sessions");
        const Answer login = log_in(client, person_);
        ASSERT_EQ(login.status, 200U) << login.body;
        ASSERT_EQ(login.has("data.challengeToken"), two_factor_) << login.body;
        if (!two_factor_) return live_.push_back(tokens_in(login));
        open_ = "verification";
        open_challenge_ = login.text("data.challengeToken");
        const Answer verified = verify_backup(client, open_challenge_, person_.backup_codes.back());
        live_.push_back(tokens_in(verified));
        spend();
    }
    void spend() {
        spent_ = person_.backup_codes.back();
        person_.backup_codes.pop_back();
    }

    void refresh(const HttpClient& client, std::size_t which) {
        open_ = "refresh";
        open_tokens_ = live_[which];
        open_which_ = which;
        const Answer answer = client.post("/api/shared/user/refresh", {}, bearer(live_[which].refresh));
        ASSERT_EQ(answer.status, 200U) << answer.body;
        dead_.push_back(live_[which].access);
        live_[which] = {answer.text("data.accessToken"), answer.text("data.refreshToken")};
    }

    void log_out(const HttpClient& client, std::size_t which) {
        open_ = "logout";
        open_which_ = which;
        const Answer answer = client.post("/api/shared/user/logout", {}, bearer(live_[which].access));
        ASSERT_EQ(answer.status, 200U) << answer.body;
        end_session(which);
    }
    void end_session(std::size_t which) {
        dead_.push_back(live_[which].access);
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(which));
    }
    void end_all_but(const std::string& kept) {
        for (std::size_t i = live_.size(); i-- > 0;)
            if (live_[i].access != kept) end_session(i);
    }

    void change_password(const HttpClient& client) {
        open_ = "password";
        next_password_ = "Copper-Meadow-" + std::to_string(++passwords_);
        json::object body{{"oldPassword", person_.password}, {"newPassword", next_password_}};
        if (two_factor_) body["backupCode"] = person_.backup_codes.back();
        // Looking at the former passwords waits for a second at most, and on a busy machine, threads that hash get
        // little time. The 503 says that nothing has changed.
        Answer answer;
        ASSERT_TRUE(eventually([&] {
            answer = client.patch("/api/shared/user/change-password", body, bearer(live_[0].access));
            return answer.status != 503U;
        })) << answer.body;
        ASSERT_EQ(answer.status, 200U) << answer.body;
        password_changed();
    }
    void password_changed() {
        former_password_ = std::exchange(person_.password, next_password_);
        if (two_factor_) spend();
        end_all_but({});
    }

    void turn_on(const HttpClient& client) {
        const std::string access = live_[0].access;
        const Answer setup = client.post("/api/shared/user/2fa/setup", {}, bearer(access));
        ASSERT_EQ(setup.status, 200U) << setup.body;
        person_.secret = setup.text("data.secret");
        open_ = "enabling";
        had_two_factor_ = true;
        const Answer enabled = client.post("/api/shared/user/2fa/enable", {{"code", code_of(person_)}}, bearer(access));
        ASSERT_EQ(enabled.status, 200U) << enabled.body;
        for (const auto& one : enabled.json.at("data").at("backupCodes").as_array())
            person_.backup_codes.emplace_back(one.as_string());
        two_factor_ = true;
        end_all_but(access);
    }

    void turn_off(const HttpClient& client) {
        if (live_.empty()) return begin_account();
        open_ = "disabling";
        const std::string access = live_[0].access;
        const Answer answer =
            client.erase("/api/shared/user/2fa/disable", {{"backupCode", person_.backup_codes.back()}}, bearer(access));
        ASSERT_EQ(answer.status, 204U) << answer.body;
        turned_off(access);
    }
    void turned_off(const std::string& access) {
        two_factor_ = false;
        person_.backup_codes.clear();
        spent_.clear();
        end_all_but(access);
    }

    // Determines whether the open request took effect. All its parts must have taken effect, or none.
    void settle(const HttpClient& client) {
        const std::string open = std::exchange(open_, "");
        if (open == "login") {
            // The login may have begun a session whose tokens were never received. A challenge leaves no trace.
            const int made = count("sessions") - open_sessions_;
            EXPECT_TRUE(made == 0 || (made == 1 && !two_factor_)) << made;
            if (made == 1) begin_account();
        } else if (open == "verification") {
            const std::string digest = to_hex(crypto::sha256(open_challenge_));
            const bool session = count("sessions", "challenge_digest = X'" + digest + "'") == 1;
            const bool spent = count("backup_codes") == static_cast<int>(person_.backup_codes.size()) - 1;
            EXPECT_EQ(session, spent) << "half a verification";
            if (session) begin_account();
        } else if (open == "refresh") {
            // The same token gets a pair in either case: if the first refresh took effect, by the grace period.
            const Answer again = client.post("/api/shared/user/refresh", {}, bearer(open_tokens_.refresh));
            EXPECT_EQ(again.status, 200U) << again.body;
            if (again.status != 200U) return;
            dead_.push_back(open_tokens_.access);
            live_[open_which_] = {again.text("data.accessToken"), again.text("data.refreshToken")};
        } else if (open == "logout") {
            if (knock(client, live_[open_which_].access) == 401U) end_session(open_which_);
        } else if (open == "password") {
            const int sessions = count("sessions", "revoked_at IS NULL");
            EXPECT_TRUE(sessions == 0 || sessions == static_cast<int>(live_.size())) << "half of the sessions ended";
            if (sessions == 0) password_changed();
        } else if (open == "enabling") {
            two_factor_ = count("two_factors", "enabled = 1") == 1;
            EXPECT_EQ(count("backup_codes"), two_factor_ ? 8 : 0) << "half of an enabling";
            if (two_factor_) EXPECT_EQ(count("sessions", "revoked_at IS NULL"), 1);
            if (two_factor_) begin_account();  // no one received the codes
        } else if (open == "disabling") {
            if (count("two_factors", "enabled = 1") == 0) turned_off(live_[0].access);
        }
    }

    void check_password(const HttpClient& client) {
        if (!former_password_.empty()) {
            Person former = person_;
            former.password = former_password_;
            EXPECT_EQ(log_in(client, former).status, 400U) << "the former password";
            former_password_.clear();
        }
        const Answer login = log_in(client, person_);
        ASSERT_EQ(login.status, 200U) << login.body;
        if (!two_factor_) return live_.push_back(tokens_in(login));
        EXPECT_FALSE(login.has("data.tokens")) << "the second factor is asked for";
        if (spent_.empty()) return;
        const std::string challenge = login.text("data.challengeToken");
        EXPECT_EQ(verify_backup(client, challenge, spent_).status, 401U) << "spent once, spent forever";
        if (person_.backup_codes.size() < 2) return;
        live_.push_back(tokens_in(verify_backup(client, challenge, person_.backup_codes.back())));
        spend();
    }

    const std::filesystem::path folder_;
    const std::string name_;
    std::mt19937 random_;
    int people_ = 0;
    int passwords_ = 0;

    Person person_;
    bool two_factor_ = false;
    bool had_two_factor_ = false;  // once per account, because enabling again would need the code of a later step
    std::vector<TokenTexts> live_;
    std::vector<std::string> dead_;  // access tokens of ended sessions and of replaced pairs
    std::string spent_;              // the most recently spent backup code
    std::string former_password_;

    std::string open_;  // the request in progress
    TokenTexts open_tokens_;
    std::size_t open_which_ = 0;
    int open_sessions_ = 0;
    std::string open_challenge_;
    std::string next_password_;
};

void kill_again_and_again(const std::filesystem::path& folder, std::int64_t rounds, unsigned seed) {
    constexpr std::size_t client_count = 5;
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::size_t> moment(1, 60);
    std::vector<std::unique_ptr<Client>> clients;
    for (std::size_t i = 0; i < client_count; ++i)
        clients.push_back(std::make_unique<Client>(folder, "client" + std::to_string(i) + "-", seed + 1 + unsigned(i)));

    std::size_t acknowledged = 0;
    for (std::int64_t round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        ServiceProcess service(folder, endless_settings());
        const HttpClient client = service.client();
        {
            std::vector<std::jthread> checking;
            for (auto& one : clients) checking.emplace_back([&] { one->check(client); });
        }
        Tally tally;
        std::vector<std::jthread> working;
        for (auto& one : clients) working.emplace_back([&] { one->work(client, tally); });
        EXPECT_TRUE(tally.wait_for(moment(random), client_count));
        service.kill();
        working.clear();
        acknowledged += tally.count();
        EXPECT_EQ(run_sql(folder / "data" / "consentry.db", "PRAGMA integrity_check")[0][0], "ok");
    }
    ServiceProcess service(folder, endless_settings());
    for (auto& one : clients) one->check(service.client());
    EXPECT_GT(acknowledged, static_cast<std::size_t>(rounds) * 5);
    ::testing::Test::RecordProperty("acknowledged", std::to_string(acknowledged));
}

// A kill leaves what was written, synced or not, so the two differ in the moments at which the kills come.
TEST(STO_1, NothingAcknowledgedIsLostWhenTheProgramIsKilled) {
    const TempFolder folder;
    kill_again_and_again(folder.path(), wanted("CONSENTRY_KILL_ROUNDS", 4), 20261120);
}

TEST(STO_1, NothingAcknowledgedIsLostOnARealDisk) {
    const TempFolder folder({CONSENTRY_DISK_FOLDER});
    kill_again_and_again(folder.path(), wanted("CONSENTRY_KILL_ROUNDS", 8), 4711);
}

}  // namespace
}  // namespace consentry::tests
