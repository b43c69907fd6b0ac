// Support for tests of the S3 engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "net/http_client.hpp"
#include "storage/s3/s3_client.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/s3_server.hpp"

namespace consentry::tests {

// Sends a request as a client without the secret.
inline net::HttpResponse ask(std::string method, std::string url, std::string body = {},
                             std::vector<std::pair<std::string, std::string>> headers = {}) {
    return net::HttpClient({.plain_http = true})
        .fetch({.method = std::move(method),
                .url = std::move(url),
                .headers = std::move(headers),
                .body = std::move(body)});
}

inline std::vector<std::string> keys_in(const storage::S3Options& options, const std::string& bucket) {
    const SystemClock clock;
    storage::s3::Client client(options, clock);
    const auto list =
        client.send({.request = {.host = options.server.host, .path = '/' + bucket, .query = {{"list-type", "2"}}}},
                    std::chrono::steady_clock::now() + std::chrono::seconds{20});
    if (list.status != 200) throw std::runtime_error(storage::s3::description(list));
    std::vector<std::string> keys;
    constexpr std::string_view open = "<Key>";
    for (auto at = list.body.find(open); at != std::string::npos; at = list.body.find(open, at)) {
        at += open.size();
        keys.push_back(list.body.substr(at, list.body.find('<', at) - at));
    }
    return keys;
}

}  // namespace consentry::tests
