#include "tests/support/calls/factor_calls.hpp"

#include <set>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "base/text.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

namespace beast_http = boost::beast::http;
using asio::ip::tcp;

// Opens once `count` coroutines have arrived. Not thread-safe.
class Gate {
public:
    Gate(asio::io_context& context, std::size_t count) : left_(count), timer_(context, std::chrono::hours{1}) {}

    awaitable<void> arrive_and_wait() {
        if (--left_ == 0) {
            timer_.cancel();
            co_return;
        }
        boost::system::error_code opened;
        co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, opened));
    }

private:
    std::size_t left_;
    asio::steady_timer timer_;
};

beast_http::request<beast_http::string_body> request_of(const Call& call) {
    beast_http::request<beast_http::string_body> request;
    request.method_string(call.method);
    request.target(call.path);
    request.version(11);
    request.set(beast_http::field::host, "localhost");
    request.set(beast_http::field::connection, "close");
    request.set(beast_http::field::content_type, "application/json");
    for (const auto& [name, value] : call.headers) request.set(name, value);
    request.body() = json::serialize(call.body);
    request.prepare_payload();
    return request;
}

awaitable<Answer> one(tcp::endpoint server, Call call, Gate& gate) {
    tcp::socket socket(co_await asio::this_coro::executor, tcp::v4());
    socket.bind({asio::ip::make_address(call.from), 0});
    co_await socket.async_connect(server, asio::use_awaitable);
    const auto request = request_of(call);
    co_await gate.arrive_and_wait();
    co_await beast_http::async_write(socket, request, asio::use_awaitable);
    boost::beast::flat_buffer buffer;
    beast_http::response<beast_http::string_body> response;
    co_await beast_http::async_read(socket, buffer, response, asio::use_awaitable);
    Answer answer;
    answer.status = response.result_int();
    for (const auto& field : response) answer.headers[to_lower_ascii(field.name_string())] = field.value();
    answer.body = std::move(response.body());
    boost::system::error_code not_json;
    answer.json = json::parse(answer.body, not_json);
    co_return answer;
}

void blank(std::string& text, const std::string& what) {
    if (what.empty()) return;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what)) text.replace(at, what.size(), "*");
}

awaitable<bool> hold(WorkerPool& pool, std::latch& release) {
    co_return co_await pool.run([&release] {
        release.wait();
        return true;
    });
}

}  // namespace

std::vector<Answer> all_at_once(const Service& service, const std::vector<Call>& calls) {
    const tcp::endpoint server{asio::ip::make_address("127.0.0.1"), service.port()};
    asio::io_context context{1};
    Gate gate(context, calls.size());
    std::vector<std::optional<Ended<Answer>>> ended(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) detail::start(context, one(server, calls[i], gate), ended[i]);
    context.run();
    std::vector<Answer> answers;
    for (auto& each : ended) {
        if (!each.value()) std::rethrow_exception(each->error());
        answers.push_back(std::move(**each));
    }
    return answers;
}

std::string wrong_code(const Service& service, const Person& person, int n) {
    const std::set<std::string> right{service.code(person, -1), service.code(person), service.code(person, 1)};
    for (int candidate = 0;; ++candidate) {
        std::string code = fmt::format("{:06}", candidate);
        if (!right.contains(code) && n-- == 0) return code;
    }
}

void expect_wrong_factor(const Answer& answer) {
    EXPECT_EQ(answer.status, 401U) << answer.body;
    EXPECT_EQ(answer.code_name(), "twoFactorInvalid");
}

void reset_two_factor(Service& service, const Person& person) {
    const Headers admin = bearer(service.tokens_of(service.make_person(Role::admin)).access);
    const Answer reset = service.patch("/api/admin/user/update/" + person.id.text() + "/2fa/reset", {}, admin);
    EXPECT_EQ(reset.status, 200U) << reset.body;
}

std::vector<std::string> challenges_of(const Service& service, const Person& person, std::size_t count) {
    std::vector<std::string> out;
    while (out.size() < count) out.push_back(service.challenge_of(person));
    return out;
}

Person person_named(Service& service, const std::string& email, std::string password) {
    Person person;
    person.email = email;
    person.password = std::move(password);
    User user;
    user.email = email;
    user.is_verified = true;
    person.id = run(service.app().services().passwords.create(std::move(user), person.password)).value();
    return person;
}

std::string comparable(const Answer& answer) {
    std::string out = std::to_string(answer.status);
    for (const auto& [name, value] : answer.headers) {
        const bool own = name == "x-request-id" || name == "x-correlation-id" || name == "x-response-time" ||
                         name == "date" || name == "x-timestamp";
        out.append("\n").append(name).append(": ").append(own ? "*" : value);
    }
    std::string body = answer.body;
    blank(body, answer.text("metadata.requestId"));
    blank(body, std::to_string(answer.number("metadata.timestamp")));
    return out + "\n" + body;
}

void expect_lock(const Answer& answer, unsigned status, std::string_view name, std::int64_t seconds) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.code_name(), name);
    EXPECT_EQ(answer.number("data.retryAfterSeconds"), seconds);
    const auto header = answer.headers.find("retry-after");
    ASSERT_NE(header, answer.headers.end());
    EXPECT_EQ(header->second, std::to_string(seconds));
}

void expect_two_factor_lock(const Answer& answer, std::int64_t seconds) {
    expect_lock(answer, 429, "twoFactorAttemptTemporaryLock", seconds);
}

json::object credentials(const std::string& email, const std::string& password) {
    return {{"email", email}, {"password", password}, {"from", "website"}};
}

std::string two_factor_attempt(const Service& service, const Person& person) {
    const auto rows = service.sql(
        "SELECT t.attempt FROM two_factors t JOIN users u ON u.id = t.user_id WHERE u.email = '" + person.email + "'");
    return rows.empty() ? "none" : rows[0][0];
}

std::string backup_codes_left(const Service& service, const Person& person) {
    return service.sql("SELECT count(*) FROM backup_codes WHERE user_id = '" + person.id.text() + "'")[0][0];
}

void expect_five_evaluated(std::vector<Answer> answers, const std::function<Answer()>& guess) {
    const auto evaluated = [&] { return count(answers, 400, "passwordNotMatch"); };
    for (int i = 0; evaluated() < 5 && i < 50; ++i) answers.push_back(guess());
    EXPECT_EQ(evaluated(), 5U);
    EXPECT_EQ(count(answers, 403, "passwordAttemptMax") + count(answers, 503), answers.size() - 5);
    for (const Answer& answer : answers) {
        if (answer.status == 403) expect_lock(answer, 403, "passwordAttemptMax", 240);
        if (answer.status == 503) EXPECT_TRUE(answer.headers.contains("retry-after"));
    }
}

FullPool::FullPool(WorkerPool& pool, std::size_t places)
    : waiting_([this, &pool, places] {
          while (pool.waiting() != 0) std::this_thread::yield();  // the answer may precede the release of its slot
          std::vector<awaitable<bool>> holds;
          for (std::size_t i = 0; i < places; ++i) holds.push_back(hold(pool, release_));
          values_of(std::move(holds), 1);
      }) {
    while (pool.waiting() < places) std::this_thread::yield();
}

FullPool::~FullPool() { release_.count_down(); }

}  // namespace consentry::tests
