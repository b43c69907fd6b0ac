// A visitor who logs in by the buttons "Continue with Google" and "Continue with Apple".
#pragma once

#include <map>
#include <string>
#include <utility>

#include "http/endpoint/inputs.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/identity_provider.hpp"

namespace consentry::tests {

inline constexpr const char* ada = "ada@example.org";

struct ProviderVisitor {
    using Fields = Browser::Fields;
    using Query = std::map<std::string, std::string>;

    IdentityProviders& providers;
    Service& service;
    Browser browser{service};
    std::string left_for{};  // the address of the provider, without its query
    Query asked{};           // the query

    // Presses the button of the login page, as far as the provider.
    Answer leave(const std::string& provider = google, const std::string& back = "") {
        browser.open("/login");
        Fields fields;
        if (!back.empty()) fields.emplace_back("return", back);
        Answer answer = browser.send("/login/" + provider, fields);
        if (answer.status != 303) return answer;
        const std::string address = answer.headers.at("location");
        const auto mark = std::min(address.find('?'), address.size() - 1);
        left_for = address.substr(0, mark);
        asked.clear();
        const auto query = http::parse_query(address.substr(mark + 1));
        for (const auto& [name, value] : query.value()) asked[name] = value;
        return answer;
    }
    // The claims of the token that the provider makes for this visit.
    json::object claims(const std::string& email, const std::string& subject = "s-1",
                        const std::string& provider = google) {
        json::object out = providers.claims(service, provider, subject, email);
        out["aud"] = provider + "-web";
        out["nonce"] = asked.at("nonce");
        return out;
    }
    std::string token(const std::string& email, const std::string& subject = "s-1",
                      const std::string& provider = google) {
        return providers.token({{"provider", provider}, {"claims", claims(email, subject, provider)}});
    }
    // Comes back with what the provider has the browser send.
    Answer come_back(const Fields& fields, const std::string& provider = google) {
        return browser.send_from("https://accounts.example.org", "/login/" + provider + "/callback", fields);
    }
    Answer come_back_as(const std::string& email, const std::string& subject = "s-1") {
        return come_back({{"state", asked.at("state")}, {"id_token", token(email, subject)}});
    }
    Answer log_in(const std::string& email, const std::string& subject = "s-1") {
        leave();
        return come_back_as(email, subject);
    }
};

// Where an answer leads.
inline std::string place(const Answer& answer) {
    const auto found = answer.headers.find("location");
    return found == answer.headers.end() ? std::to_string(answer.status) : found->second;
}

}  // namespace consentry::tests
