// A blocking HTTP client for tests: one connection per call, parsed answers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

namespace consentry::tests {

namespace json = boost::json;

struct Answer {
    unsigned status = 0;
    std::map<std::string, std::string> headers;  // names in lower case; of a repeated one, the last
    std::vector<std::string> cookies;            // values of Set-Cookie
    std::string body;
    json::value json;  // null if the body is not JSON

    std::string header(const std::string& name) const;  // empty if the answer has none of this name

    // These look up a dotted path from the top of the body: "data.tokens.accessToken". A missing member fails the test
    // and returns an empty value.
    std::string text(std::string_view path) const;
    std::int64_t number(std::string_view path) const;
    bool boolean(std::string_view path) const;
    bool has(std::string_view path) const;
    std::string code_name() const { return text("statusCodeKey"); }
    // Whether `errors` lists this rule for this property.
    bool violates(std::string_view property, std::string_view key) const;
};

// Returns how many answers have this status and error name; an empty name matches any.
std::size_t count(const std::vector<Answer>& answers, unsigned status, std::string_view name = {});

using Headers = std::vector<std::pair<std::string, std::string>>;
Headers bearer(const std::string& token);

// Connects to 127.0.0.1. Thread-safe. Throws boost::system::system_error if no complete answer arrives; whether the
// request took effect is then unknown.
class HttpClient {
public:
    explicit HttpClient(std::uint16_t port) : port_(port) {}

    Answer call(std::string_view method, const std::string& path, const std::string& body = {},
                const Headers& headers = {}) const;
    Answer get(const std::string& path, const Headers& headers = {}) const { return call("GET", path, {}, headers); }
    Answer post(const std::string& path, const json::object& body, const Headers& headers = {}) const;
    Answer patch(const std::string& path, const json::object& body, const Headers& headers = {}) const;
    Answer erase(const std::string& path, const json::object& body = {}, const Headers& headers = {}) const;

    std::uint16_t port() const { return port_; }

private:
    std::uint16_t port_;
};

// Runs `count` calls at the same moment, each on its own thread.
std::vector<Answer> at_once(std::size_t count, const std::function<Answer(std::size_t)>& call);
std::map<unsigned, std::size_t> statuses(const std::vector<Answer>& answers);

}  // namespace consentry::tests
