#include "tests/support/browser.hpp"

#include <algorithm>
#include <utility>

#include "base/percent_encoding.hpp"
#include "tests/support/http_client.hpp"

namespace consentry::tests {
namespace {

void add(Headers& headers, std::string name, std::string value) {
    const auto same = [&](const auto& header) { return header.first == name; };
    if (std::ranges::none_of(headers, same)) headers.emplace_back(std::move(name), std::move(value));
}

std::string between(const std::string& text, const std::string& before, char after) {
    const auto begin = text.find(before);
    if (begin == std::string::npos) return {};
    const auto from = begin + before.size();
    return text.substr(from, text.find(after, from) - from);
}

}  // namespace

std::string hidden_field(const std::string& page, const std::string& name) {
    return between(page, "name=\"" + name + "\" value=\"", '"');
}

std::string set_cookie_of(const Answer& answer, const std::string& name) {
    for (const std::string& cookie : answer.cookies)
        if (cookie.starts_with(name + "=")) return cookie.substr(name.size() + 1);
    return {};
}

Answer Browser::call(const std::string& method, const std::string& path, const std::string& body, Headers headers) {
    std::string sent;
    for (const auto& [name, value] : cookies) sent.append(sent.empty() ? "" : "; ").append(name + "=" + value);
    if (!sent.empty()) add(headers, "Cookie", sent);
    add(headers, "Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    std::erase_if(headers, [](const auto& header) { return header.second.empty(); });
    Answer answer = HttpClient(port_()).call(method, path, body, headers);
    for (const std::string& cookie : answer.cookies) {
        const std::string name = cookie.substr(0, cookie.find('='));
        const std::string value = between(cookie, "=", ';');
        if (cookie.contains("Max-Age=0"))
            cookies.erase(name);
        else
            cookies[name] = value;
    }
    if (const std::string shown = between(answer.body, R"(name="csrf" value=")", '"'); !shown.empty()) token = shown;
    return answer;
}

Answer Browser::open(const std::string& path, Headers more) {
    add(more, "Sec-Fetch-Site", "same-origin");
    add(more, "Sec-Fetch-Mode", "navigate");
    return call("GET", path, {}, std::move(more));
}

Answer Browser::send_bare(const std::string& path, const Fields& fields, Headers more) {
    std::string body;
    for (const auto& [name, value] : fields)
        body.append(body.empty() ? "" : "&").append(percent_encoded(name) + "=" + percent_encoded(value));
    add(more, "Content-Type", "application/x-www-form-urlencoded");
    add(more, "Sec-Fetch-Site", "same-origin");
    add(more, "Sec-Fetch-Mode", "navigate");
    add(more, "Origin", "null");  // what browsers send from a page with the policy no-referrer
    return call("POST", path, body, std::move(more));
}

Answer Browser::send(const std::string& path, Fields fields, Headers more) {
    fields.emplace_back("csrf", token);
    return send_bare(path, fields, std::move(more));
}

Answer Browser::send_from(const std::string& origin, const std::string& path, const Fields& fields) {
    auto withheld = std::exchange(cookies, {});
    if (auto provider = withheld.extract(provider_cookie)) cookies.insert(std::move(provider));
    Answer answer = send_bare(path, fields, {{"Origin", origin}, {"Sec-Fetch-Site", "cross-site"}});
    cookies.merge(withheld);
    return answer;
}

Answer Browser::log_in(const std::string& email, const std::string& password) {
    open("/login");
    return send("/login", {{"email", email}, {"password", password}});
}

Answer Browser::log_in_with_code(const Person& person, const std::string& code) {
    log_in(person);
    open("/login/verify");
    return send("/login/verify", {{"code", code}});
}

}  // namespace consentry::tests
