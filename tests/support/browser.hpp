// A browser without JavaScript: keeps cookies, and sends forms with the hidden fields of the page it opened last.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/service.hpp"

namespace consentry::tests {

class Browser {
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;
    explicit Browser(const Service& service) : port_([&service] { return service.port(); }) {}
    // At a fixed port, or at another one each time.
    explicit Browser(std::function<std::uint16_t()> port) : port_(std::move(port)) {}

    // Follows a link of ours. Does not follow redirects.
    Answer open(const std::string& path, Headers more = {});
    // Sends a form of the page opened last. `more` replaces the headers that a browser sends.
    Answer send(const std::string& path, Fields fields, Headers more = {});
    // The same without the hidden field.
    Answer send_bare(const std::string& path, const Fields& fields, Headers more = {});
    // Sends a form of another site's page, along with the cookies that browsers then send: those that ask for it.
    Answer send_from(const std::string& origin, const std::string& path, const Fields& fields);
    // Logs in with the password. Returns the last answer.
    Answer log_in(const Person& person) { return log_in(person.email, person.password); }
    Answer log_in(const std::string& email, const std::string& password);
    // Logs in an account with two-factor authentication: password, then the code. Returns the last answer.
    Answer log_in_with_code(const Person& person, const std::string& code);
    // Whether the account's page opens.
    bool is_logged_in() { return open("/account").status == 200; }

    std::map<std::string, std::string> cookies;
    std::string token;  // the hidden field of the page opened last

private:
    Answer call(const std::string& method, const std::string& path, const std::string& body, Headers headers);
    std::function<std::uint16_t()> port_;
};

// The value of a hidden field; empty if the page has none of this name.
std::string hidden_field(const std::string& page, const std::string& name);

// The attributes of the cookie as it was set: "value; Path=/; HttpOnly; …". Empty if the answer does not set it.
std::string set_cookie_of(const Answer& answer, const std::string& name);

inline const std::string session_cookie = "consentry";
inline const std::string visitor_cookie = "consentry-visitor";
inline const std::string step_cookie = "consentry-step";
inline const std::string language_cookie = "consentry-language";
inline const std::string note_cookie = "consentry-note";
inline const std::string provider_cookie = "consentry-provider";

}  // namespace consentry::tests
