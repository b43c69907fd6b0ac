// HTTP client over libcurl: verifies TLS, does not follow redirects, bounds time and size.
//
// Blocking: for worker threads, never for an I/O thread. A client keeps its connections open; only one thread at a time
// may use it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace consentry::net {

struct HttpRequest {
    std::string method = "GET";
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    milliseconds timeout{10'000};  // for the whole request, including name resolution
    std::size_t answer_bytes_max = std::size_t{1} << 20;
};

struct HttpResponse {
    unsigned status = 0;
    std::vector<std::pair<std::string, std::string>> headers{};  // names in lower case
    std::string body{};

    std::optional<std::string_view> header(std::string_view lower_case_name) const;
};

class HttpClient {
public:
    struct Options {
        std::string user_agent = "Consentry";
        std::string ca_file{};    // trusted instead of the system's certificates
        bool plain_http = false;  // also allow http://, for servers on the same machine or network
        bool is_direct = false;   // without the proxies that the environment names, for this machine itself
    };
    explicit HttpClient(Options options);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // Returns the server's response, including HTTP errors. Throws Unavailable if no complete response arrives:
    // connection or certificate failure, timeout, response too large, or `stop` was requested.
    HttpResponse fetch(const HttpRequest& request, const std::stop_token& stop = {});

private:
    struct Impl;
    const std::unique_ptr<Impl> impl_;
};

}  // namespace consentry::net
