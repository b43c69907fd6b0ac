// A browser that meets guarded hosts, and what a proxy tells Consentry of its requests.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "base/percent_encoding.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/http_client.hpp"

namespace consentry::tests {

inline constexpr const char* door = "/api/forward-auth";
inline const std::string pages = "https://accounts.example.com";
inline const std::string app = "app.example.com";
inline const std::string wiki = "wiki.example.com";
inline const std::string host_cookie = "__Host-consentry-host";

inline const Environment guarded{
    {"PUBLIC_URL", pages}, {"FORWARD_AUTH_HOSTS", app + "," + wiki}, {"HTTP_TRUSTED_PROXIES", "127.0.0.1"}};

inline std::string header(const Answer& answer, const std::string& name) {
    const auto found = answer.headers.find(name);
    return found == answer.headers.end() ? "" : found->second;
}

// Where a page leads by itself.
inline std::string refreshed(const Answer& page) {
    const std::string refresh = header(page, "refresh");
    const std::string at_once = "0;url=";
    return refresh.starts_with(at_once) ? refresh.substr(at_once.size()) : "";
}

// What a proxy adds to the request of a browser.
inline Headers forwarded(const std::string& host, const std::string& uri = "/") {
    return {{"Host", host},
            {"X-Forwarded-For", "203.0.113.7"},
            {"X-Forwarded-Proto", "https"},
            {"X-Forwarded-Host", host},
            {"X-Forwarded-Method", "GET"},
            {"X-Forwarded-Uri", uri}};
}
inline Headers navigation(const std::string& host, const std::string& uri = "/") {
    Headers out = forwarded(host, uri);
    out.emplace_back("Sec-Fetch-Mode", "navigate");
    out.emplace_back("Accept", "text/html,*/*;q=0.8");
    return out;
}
inline void replace(Headers& headers, const std::string& name, const std::string& value) {
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    if (!value.empty()) headers.emplace_back(name, value);
}

// A browser that visits guarded hosts and the pages, each with its own cookies.
class GuardedVisitor {
public:
    explicit GuardedVisitor(Service& service) : service_(&service), pages_(service) {}

    Answer at(const std::string& host, const std::string& path, Headers headers) {
        auto& jar = hosts[host.substr(0, host.find(':'))];  // browsers do not separate cookies by port
        std::string sent;
        for (const auto& [name, value] : jar) sent.append(sent.empty() ? "" : "; ").append(name + "=" + value);
        if (!sent.empty()) headers.emplace_back("Cookie", sent);
        Answer answer = HttpClient(service_->port()).call("GET", path, {}, headers);
        for (const std::string& cookie : answer.cookies)
            jar[cookie.substr(0, cookie.find('='))] =
                cookie.substr(cookie.find('=') + 1, cookie.find(';') - cookie.find('=') - 1);
        return answer;
    }
    Answer ask(const std::string& host, const std::string& uri = "/", const std::string& check = door) {
        return at(host, check, navigation(host, uri));
    }
    bool is_admitted(const std::string& host) { return at(host, door, forwarded(host)).status == 200; }

    // The address of the callback, with a code, for a browser that begins at the host.
    std::string begin(const std::string& host, const std::string& path = "/orders?x=1") {
        return begin_at(host, "/.consentry/start?return=" + percent_encoded(path));
    }
    // The same, for a browser that is sent to the first step.
    std::string begin_at(const std::string& host, const std::string& first_step) {
        const std::string to_pages = header(at(host, first_step, navigation(host)), "location");
        EXPECT_THAT(to_pages, ::testing::StartsWith(pages + "/login/hand-over?"));
        return refreshed(pages_.open(to_pages.substr(pages.size())));
    }
    // From the host to the host, with a session.
    Answer enter(const std::string& host, const std::string& path = "/orders?x=1") {
        return call_back(host, begin(host, path));
    }
    Answer call_back(const std::string& host, const std::string& address) {
        const std::string path = address.substr(std::min(address.size(), address.find('/', 8)));
        return at(host, path, navigation(host, path));
    }
    Browser& pages_browser() { return pages_; }

    std::map<std::string, std::map<std::string, std::string>> hosts;

private:
    Service* service_;
    Browser pages_;
};

}  // namespace consentry::tests
