#include "tests/support/service.hpp"

#include <latch>
#include <thread>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/text.hpp"
#include "crypto/base32.hpp"
#include "crypto/totp.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

namespace beast_http = boost::beast::http;
using asio::ip::tcp;

// A day in the past on purpose: nothing of the service may look at the machine's own clock.
constexpr TimePoint test_begin = from_epoch_ms(1'700'000'010'000);
constexpr seconds totp_period{30};

const json::value* find(const json::value& root, std::string_view path) {
    const json::value* at = &root;
    while (!path.empty()) {
        const std::string_view part = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(path.size(), part.size() + 1));
        if (const auto* object = at->if_object()) {
            at = object->if_contains(part);
        } else if (const auto* array = at->if_array()) {
            at = array->if_contains(std::stoul(std::string(part)));
        } else {
            return nullptr;
        }
        if (at == nullptr) return nullptr;
    }
    return at;
}

}  // namespace

std::string Answer::text(std::string_view path) const {
    const auto* value = find(json, path);
    EXPECT_TRUE(value != nullptr && value->is_string()) << path << " in " << status << " " << body;
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}
std::int64_t Answer::number(std::string_view path) const {
    const auto* value = find(json, path);
    EXPECT_TRUE(value != nullptr && value->is_int64()) << path << " in " << status << " " << body;
    return value != nullptr && value->is_int64() ? value->get_int64() : -1;
}
bool Answer::boolean(std::string_view path) const {
    const auto* value = find(json, path);
    EXPECT_TRUE(value != nullptr && value->is_bool()) << path << " in " << status << " " << body;
    return value != nullptr && value->is_bool() && value->get_bool();
}
bool Answer::has(std::string_view path) const { return find(json, path) != nullptr; }

bool Answer::violates(std::string_view property, std::string_view key) const {
    const auto* errors = find(json, "errors");
    if (errors == nullptr || !errors->is_array()) return false;
    return std::ranges::any_of(errors->get_array(), [&](const json::value& item) {
        return item.at("property").as_string() == property && item.at("key").as_string() == key;
    });
}

Headers bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }

Service::Service(Environment settings) : clock_(test_begin), environment_(std::move(settings)) {
    environment_.try_emplace("DATA_DIR", (folder_.path() / "data").string());
    environment_.try_emplace("HTTP_HOST", "127.0.0.1");
    environment_.try_emplace("HTTP_PORT", "0");
    environment_.try_emplace("HTTP_THREADS", "2");
    environment_.try_emplace("AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB", "8192");
    environment_.try_emplace("AUTH_PASSWORD_ARGON2_PASSES", "1");
    restart();
}

Service::~Service() = default;

void Service::restart() {
    app_.reset();
    auto config = read_config(environment_);
    if (!config) throw std::runtime_error(config.error().front().setting + ": " + config.error().front().text);
    app_ = std::make_unique<App>(*config, clock_);
    app_->start();
}

Answer Service::call(std::string_view method, const std::string& path, const std::string& body, Headers headers) const {
    asio::io_context context;
    tcp::socket socket(context);
    socket.connect({asio::ip::make_address("127.0.0.1"), port()});
    beast_http::request<beast_http::string_body> request;
    request.method_string(method);
    request.target(path);
    request.version(11);
    request.set(beast_http::field::host, "localhost");
    request.set(beast_http::field::connection, "close");
    request.set(beast_http::field::user_agent, "tests");
    if (!body.empty()) request.set(beast_http::field::content_type, "application/json");
    for (const auto& [name, value] : headers) request.set(name, value);
    request.body() = body;
    request.prepare_payload();
    beast_http::write(socket, request);
    boost::beast::flat_buffer buffer;
    beast_http::response_parser<beast_http::string_body> parser;
    parser.body_limit(std::uint64_t{64} << 20);
    if (method == "HEAD") parser.skip(true);
    beast_http::read(socket, buffer, parser);
    Answer answer;
    answer.status = parser.get().result_int();
    for (const auto& field : parser.get()) answer.headers[to_lower_ascii(field.name_string())] = field.value();
    answer.body = parser.get().body();
    boost::system::error_code not_json;
    answer.json = json::parse(answer.body, not_json);
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
    user.role = role;
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
    const auto secret = crypto::from_base32(person.secret).value();
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
    sqlite3* connection = nullptr;
    if (sqlite3_open((folder_.path() / "data" / "consentry.db").c_str(), &connection) != SQLITE_OK)
        throw std::runtime_error("cannot open the database");
    sqlite3_busy_timeout(connection, 5'000);
    std::vector<std::vector<std::string>> rows;
    char* error = nullptr;
    sqlite3_exec(
        connection, statement.c_str(),
        [](void* out, int columns, char** values, char**) {
            auto& row = static_cast<std::vector<std::vector<std::string>>*>(out)->emplace_back();
            for (int i = 0; i < columns; ++i) row.emplace_back(values[i] == nullptr ? "" : values[i]);
            return 0;
        },
        &rows, &error);
    const std::string text = error == nullptr ? "" : error;
    sqlite3_free(error);
    sqlite3_close(connection);
    if (!text.empty()) throw std::runtime_error(text);
    return rows;
}

std::vector<Answer> at_once(std::size_t count, const std::function<Answer(std::size_t)>& call) {
    std::vector<Answer> answers(count);
    std::latch begin(static_cast<std::ptrdiff_t>(count));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            begin.arrive_and_wait();
            answers[i] = call(i);
        });
    threads.clear();
    return answers;
}

std::map<unsigned, std::size_t> statuses(const std::vector<Answer>& answers) {
    std::map<unsigned, std::size_t> out;
    for (const Answer& answer : answers) ++out[answer.status];
    return out;
}

}  // namespace consentry::tests
