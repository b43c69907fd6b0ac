// Addresses to which a page may send a browser.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/html.hpp"

namespace consentry {

// The origins besides our own to which a login may return, such as https://app.example.com.
class ReturnHosts {
public:
    ReturnHosts() = default;
    // Each entry is a host, which is reached over https, or an origin. The error is a sentence for the operator.
    static std::expected<ReturnHosts, std::string> parse(const std::vector<std::string>& entries);

    bool contain(std::string_view origin) const;
    const std::vector<std::string>& origins() const { return origins_; }

private:
    std::vector<std::string> origins_;  // in lower case, without the usual port
};

// An address that leads to a place that we chose. There are no others, so no page can redirect to a stranger.
class Address {
public:
    // A path of ours, from the program.
    explicit Address(HtmlLiteral path) : text_(path.text()) {}

    // Returns the address that a client named, if it is a path of ours or leads to one of `hosts`; nullopt for
    // everything that a browser might read in another way.
    static std::optional<Address> safe_return(std::string_view text, const ReturnHosts& hosts);

    // Adds a value to the query, percent-encoded.
    Address with(HtmlLiteral name, std::string_view value) &&;
    const std::string& text() const { return text_; }

private:
    static Address checked(std::string text) {
        Address out("");
        out.text_ = std::move(text);
        return out;
    }
    std::string text_;
};

}  // namespace consentry
