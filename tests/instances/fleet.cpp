#include "tests/instances/fleet.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/eventually.hpp"

namespace consentry::tests {

Fleet::Fleet(std::size_t instances, Settings settings) : settings_(quick_settings(std::move(settings))) {
    // The instances start one after another: the first one creates the keys and the tables, the others find them.
    for (std::size_t i = 0; i < instances; ++i) add({});
}

void Fleet::add(Settings changes) {
    changes.insert(settings_.begin(), settings_.end());
    instances_.push_back(std::make_unique<ServiceProcess>(folder_.path(), changes));
}

void Fleet::start(std::size_t index, Settings changes) {
    changes.insert(settings_.begin(), settings_.end());
    instances_.at(index) = std::make_unique<ServiceProcess>(folder_.path(), changes);
}

Finished Fleet::run(const std::vector<std::string>& arguments) const {
    return run_program(arguments, folder_.path(), settings_);
}

void Fleet::rotate_keys() const {
    const Finished rotated = run({"keys", "rotate"});
    EXPECT_EQ(rotated.code, 0) << rotated.err;
}

Person Fleet::make_person(const std::string& role) {
    return tests::make_person(folder_.path(), "person" + std::to_string(++people_) + "@example.org", role, settings_);
}

Person Fleet::make_protected_person(TokenTexts* tokens) {
    Person person = make_person();
    TokenTexts made = turn_two_factor_on(client(0), person);
    if (tokens != nullptr) *tokens = std::move(made);
    return person;
}

SharedFleet::SharedFleet(std::size_t instances, const Settings& more)
    : fleet_(instances, [&] {
          Settings settings = more;
          // As in Service: these tests are about order, not time. A cache that the test supplies keeps its timeout,
          // because the test may take it away.
          settings.insert({"DATABASE_TIMEOUT", "25s"});
          if (!settings.contains("CACHE_URL")) settings.insert({"CACHE_TIMEOUT", "10s"});
          settings.insert({{"DATABASE_URL", schema_.patient_url()},
                           {"CACHE_URL", shared_redis_url()},
                           {"CACHE_NAMESPACE", fresh_namespace()}});
          return settings;
      }()) {}

bool is_put_off(const Answer& answer) { return answer.status == 503U && answer.headers.contains("retry-after"); }

Answer log_in_at_last(const HttpClient& client, const Person& person) {
    Answer answer = log_in(client, person);
    for (int again = 0; again < 100 && is_put_off(answer); ++again) answer = log_in(client, person);
    return answer;
}

std::string challenge_of(const HttpClient& client, const Person& person) {
    const Answer login = log_in(client, person);
    EXPECT_EQ(login.status, 200U) << login.body;
    return login.text("data.challengeToken");
}

std::string wrong_code(const Person& person) {
    std::vector<std::string> right;
    for (std::int64_t step = -2; step <= 10; ++step) right.push_back(code_of(person, step));
    std::string code = "000000";
    while (std::ranges::find(right, code) != right.end()) ++code.back();
    return code;
}

Answer disable_two_factor(const HttpClient& client, const std::string& access, const std::string& code) {
    return client.erase("/api/shared/user/2fa/disable", {{"code", code}}, bearer(access));
}

Answer refresh(const HttpClient& client, const std::string& refresh_token) {
    return client.post("/api/shared/user/refresh", {}, bearer(refresh_token));
}
TokenTexts refreshed_tokens_in(const Answer& answer) {
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return {answer.text("data.accessToken"), answer.text("data.refreshToken")};
}

Answer log_out(const HttpClient& client, const std::string& access) {
    return client.post("/api/shared/user/logout", {}, bearer(access));
}

std::vector<std::string> new_backup_codes(const HttpClient& client, const std::string& access) {
    const Answer answer = client.post("/api/shared/user/2fa/backup/regenerate", {}, bearer(access));
    std::vector<std::string> codes;
    if (!answer.has("data.backupCodes")) return codes;
    for (const auto& one : answer.json.at("data").at("backupCodes").as_array()) codes.emplace_back(one.as_string());
    return codes;
}

bool eventually_before(std::chrono::steady_clock::time_point end, const std::function<bool()>& condition) {
    return eventually([&] { return condition(); },
                      std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()));
}

}  // namespace consentry::tests
