#include "tests/support/http_client.hpp"

#include <algorithm>
#include <latch>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace consentry::tests {
namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using asio::ip::tcp;

const json::value* find(const json::value& root, std::string_view path) {
    const json::value* at = &root;
    while (!path.empty()) {
        const std::string_view part = take_part(path, '.');
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

std::string Answer::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
}

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

std::size_t count(const std::vector<Answer>& answers, unsigned status, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count_if(answers, [&](const Answer& answer) {
        return answer.status == status && (name.empty() || answer.code_name() == name);
    }));
}

Headers bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }

Answer HttpClient::call(std::string_view method, const std::string& path, const std::string& body,
                        const Headers& headers) const {
    asio::io_context context;
    tcp::socket socket(context);
    socket.connect({asio::ip::make_address("127.0.0.1"), port_});
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
    for (const auto& field : parser.get()) {
        answer.headers[to_lower_ascii(field.name_string())] = field.value();
        if (field.name() == beast_http::field::set_cookie) answer.cookies.emplace_back(field.value());
    }
    answer.body = parser.get().body();
    boost::system::error_code not_json;
    answer.json = json::parse(answer.body, not_json);
    return answer;
}

Answer HttpClient::post(const std::string& path, const json::object& body, const Headers& headers) const {
    return call("POST", path, json::serialize(body), headers);
}
Answer HttpClient::patch(const std::string& path, const json::object& body, const Headers& headers) const {
    return call("PATCH", path, json::serialize(body), headers);
}
Answer HttpClient::erase(const std::string& path, const json::object& body, const Headers& headers) const {
    return call("DELETE", path, body.empty() ? std::string() : json::serialize(body), headers);
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
