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
    // Each entry is a host, which is reached over https, or an origin. The error says what they must be.
    static std::expected<ReturnHosts, std::string> parse(const std::vector<std::string>& entries);

    bool contain(std::string_view origin) const;
    const std::vector<std::string>& origins() const { return origins_; }

private:
    std::vector<std::string> origins_;  // in lower case, without the usual port
};

// An https address from the settings, such as a provider's.
class ConfiguredUrl {
public:
    // Returns nullopt for one with credentials or a fragment, or one that readers might understand in different ways.
    static std::optional<ConfiguredUrl> parse(std::string_view text);

    const std::string& text() const { return text_; }
    const std::string& origin() const { return origin_; }  // as security policies name it

private:
    ConfiguredUrl(std::string text, std::string origin) : text_(std::move(text)), origin_(std::move(origin)) {}
    std::string text_;
    std::string origin_;
};

// Whether every reader resolves `text`, a path with its query, in the same way: it has characters of RFC 3986 only,
// whole escapes, no dot segment, no empty one, and its path hides none of them. A query may encode everything.
bool has_one_reading(std::string_view text);

// An address that leads to a place that we chose. There are no others, so no page can redirect to a stranger.
class Address {
public:
    static constexpr std::size_t bytes_max = 2'048;  // of one that a client names

    // A path of ours, from the program.
    explicit Address(HtmlLiteral path) : text_(path.text()) {}
    explicit Address(const ConfiguredUrl& url) : text_(url.text()) {}

    // Returns the address that a client named, if it is a path of ours or leads to one of `hosts`; nullopt for
    // everything that a browser might read in another way.
    static std::optional<Address> safe_return(std::string_view text, const ReturnHosts& hosts);

    // Adds a value to the query, percent-encoded.
    Address with(HtmlLiteral name, std::string_view value) &&;
    // Takes the values of this name out of the query.
    Address without(std::string_view name) &&;
    const std::string& text() const { return text_; }
    // Whether it leads to one of the hosts of safe_return().
    bool is_of_host() const { return is_of_host_; }

private:
    static Address checked(std::string text, bool is_of_host) {
        Address out("");
        out.text_ = std::move(text);
        out.is_of_host_ = is_of_host;
        return out;
    }
    std::string text_;
    bool is_of_host_ = false;
};

}  // namespace consentry
