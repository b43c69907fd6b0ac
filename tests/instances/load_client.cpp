#include "tests/instances/load_client.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

constexpr auto before_retry = 10ms;  // as a client waits after 503
// The servers are busy at every moment, yet need not compete with their clients for the processors while another server
// takes over.
constexpr auto between_deeds = 3ms;

}  // namespace

LoadClient::LoadClient(Sender sender, Person person, TokenTexts tokens, unsigned seed, Options options)
    : sender_(std::move(sender)), options_(options), person_(std::move(person)), random_(seed) {
    live_.push_back(std::move(tokens));
}

Answer LoadClient::ask(const std::function<Answer(const HttpClient&)>& request) {
    Answer answer = sender_(random_(), request);
    if (answer.status == 503U) {
        EXPECT_TRUE(answer.headers.contains("retry-after")) << answer.body;
        ++unavailable_;
        std::this_thread::sleep_for(before_retry);
    } else {
        ++acknowledged_;
    }
    return answer;
}

Answer LoadClient::ask_until_definite(const std::function<Answer(const HttpClient&)>& request, int& unsure) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    for (;;) {
        Answer answer = ask(request);
        if (answer.status != 503U) return answer;
        ++unsure;
        if (std::chrono::steady_clock::now() < deadline) continue;
        ADD_FAILURE() << "unavailable for 30 s";
        return answer;
    }
}

void LoadClient::work(const std::stop_token& stop) try {
    while (!stop.stop_requested() && !testing::Test::HasFailure()) {
        if (live_.size() < 2) {
            enter();
            continue;
        }
        switch (any(8)) {
            case 0:
            case 1:
                enter();
                break;
            case 2:
            case 3:
                refresh_any();
                break;
            case 4:
            case 5:
                log_out_any();
                break;
            default:
                knock_any();
        }
        std::this_thread::sleep_for(between_deeds);
    }
} catch (const std::exception& error) {
    ADD_FAILURE() << person_.email << ": " << error.what();
}

void LoadClient::enter() {
    int unsure = 0;
    const Answer login = ask_until_definite([&](const HttpClient& client) { return log_in(client, person_); }, unsure);
    // Each unanswered login may have begun a session.
    if (!has_two_factor()) unsure_sessions_ += unsure;
    ASSERT_EQ(login.status, 200U) << login.body;
    if (!has_two_factor()) return live_.push_back(tokens_in(login));
    verify_once(login.text("data.challengeToken"));
}

void LoadClient::verify_once(const std::string& challenge) {
    if (person_.backup_codes.size() < 2) {
        int unsure = 0;
        std::vector<std::string> codes;
        ask_until_definite(
            [&](const HttpClient& client) {
                Answer answer = client.post("/api/shared/user/2fa/backup/regenerate", {}, bearer(live_[0].access));
                codes.clear();
                if (answer.has("data.backupCodes"))
                    for (const auto& one : answer.json.at("data").at("backupCodes").as_array())
                        codes.emplace_back(one.as_string());
                return answer;
            },
            unsure);
        ASSERT_EQ(codes.size(), 8U);
        person_.backup_codes = codes;
        spent_.clear();
        unsure_.clear();
    }
    const std::string code = person_.backup_codes.back();
    person_.backup_codes.pop_back();
    int unsure = 0;
    const auto answer_it = [&](const std::string& with) {
        return ask_until_definite([&](const HttpClient& client) { return verify_backup(client, challenge, with); },
                                  unsure);
    };
    const Answer verified = answer_it(code);
    if (verified.status != 200U) {
        EXPECT_EQ(verified.code_name(), "twoFactorChallengeInvalid") << verified.body;
        EXPECT_TRUE(unsure > 0 || options_.cache_forgets) << "a right answer, refused";
        unsure_.push_back(code);
        ++unsure_sessions_;
        return;
    }
    live_.push_back(tokens_in(verified));
    spent_.push_back(code);
    const Answer again = answer_it(person_.backup_codes.back());
    EXPECT_EQ(again.code_name(), "twoFactorChallengeInvalid") << "a challenge is good once: " << again.body;
}

void LoadClient::refresh_any() {
    TokenTexts& tokens = live_[any(live_.size())];
    int unsure = 0;
    const Answer answer =
        ask_until_definite([&](const HttpClient& client) { return refresh(client, tokens.refresh); }, unsure);
    ASSERT_EQ(answer.status, 200U) << "done or not, the same token gets the next pair: " << answer.body;
    dead_.push_back({.access = tokens.access, .refresh = {}});
    tokens = refreshed_tokens_in(answer);
}

void LoadClient::log_out_any() {
    const std::size_t which = any(live_.size());
    const TokenTexts tokens = live_[which];
    int unsure = 0;
    const Answer answer =
        ask_until_definite([&](const HttpClient& client) { return log_out(client, tokens.access); }, unsure);
    EXPECT_TRUE(answer.status == 200U || (answer.status == 401U && unsure > 0)) << answer.body;
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(which));
    dead_.push_back(tokens);
    const Answer next =
        ask([&](const HttpClient& client) { return client.get("/api/shared/user/2fa/status", bearer(tokens.access)); });
    EXPECT_TRUE(next.status == 401U || next.status == 503U) << "an ended session: " << next.body;
}

void LoadClient::knock_any() {
    const std::string access = live_[any(live_.size())].access;
    const Answer answer =
        ask([&](const HttpClient& client) { return client.get("/api/shared/user/2fa/status", bearer(access)); });
    EXPECT_TRUE(answer.status == 200U || answer.status == 503U) << "a live session: " << answer.body;
}

void LoadClient::check(const std::function<int(const std::string&)>& number) {
    SCOPED_TRACE(person_.email);
    int unsure = 0;
    const auto status_with = [&](const std::string& access) {
        return ask_until_definite(
                   [&](const HttpClient& client) { return client.get("/api/shared/user/2fa/status", bearer(access)); },
                   unsure)
            .status;
    };
    for (const TokenTexts& tokens : live_) EXPECT_EQ(status_with(tokens.access), 200U) << "an acknowledged login";
    for (const TokenTexts& tokens : dead_) EXPECT_EQ(status_with(tokens.access), 401U) << "an acknowledged end";
    const std::string of_account = " WHERE user_id = '" + person_.id.text() + "'";
    const int sessions = number("SELECT count(*) FROM sessions" + of_account + " AND revoked_at IS NULL");
    EXPECT_GE(sessions, static_cast<int>(live_.size()));
    EXPECT_LE(sessions, static_cast<int>(live_.size()) + unsure_sessions_);
    if (!has_two_factor()) return;
    const int codes = number("SELECT count(*) FROM backup_codes" + of_account);
    EXPECT_GE(codes, static_cast<int>(person_.backup_codes.size()));
    EXPECT_LE(codes, static_cast<int>(person_.backup_codes.size() + unsure_.size()));
    EXPECT_EQ(number("SELECT attempt FROM two_factors" + of_account), 0) << "no right code was taken for a wrong one";
    if (spent_.empty()) return;
    const Answer login = ask_until_definite([&](const HttpClient& client) { return log_in(client, person_); }, unsure);
    const std::string challenge = login.text("data.challengeToken");
    const Answer again = ask_until_definite(
        [&](const HttpClient& client) { return verify_backup(client, challenge, spent_.back()); }, unsure);
    EXPECT_EQ(again.code_name(), "twoFactorInvalid") << "spent once, spent forever: " << again.body;
}

Load::Load(const LoadClient::Sender& sender, Fleet& fleet, std::size_t clients, unsigned seed,
           LoadClient::Options options) {
    for (std::size_t i = 0; i < clients; ++i) {
        TokenTexts tokens;
        Person person = i % 2 == 0 ? fleet.make_protected_person(&tokens) : fleet.make_person();
        if (i % 2 != 0) tokens = tokens_of(fleet.client(i), person);
        clients_.push_back(
            std::make_unique<LoadClient>(sender, std::move(person), std::move(tokens), seed + unsigned(i), options));
    }
}

void Load::begin() {
    for (const auto& client : clients_)
        working_.emplace_back([&client = *client](const std::stop_token& stop) { client.work(stop); });
}

void Load::wait_for(std::size_t more) const {
    const std::size_t end = acknowledged() + more;
    EXPECT_TRUE(eventually([&] { return acknowledged() >= end || testing::Test::HasFailure(); }));
}

void Load::check(const std::function<int(const std::string&)>& number) {
    for (const auto& client : clients_) client->check(number);
}

std::size_t Load::acknowledged() const {
    std::size_t out = 0;
    for (const auto& client : clients_) out += client->acknowledged();
    return out;
}
std::size_t Load::unavailable() const {
    std::size_t out = 0;
    for (const auto& client : clients_) out += client->unavailable();
    return out;
}

}  // namespace consentry::tests
