// Cross-origin requests: which pages of other origins may read the answers (the Fetch standard; WEB-6).
//
// Entries are hosts with an optional port: "example.com", "example.com:8443", "*.example.com" (the domain and all below
// it), or "*" alone. An entry without a port means the scheme's own. http and https are treated alike, unless the entry
// begins with one of them ("https://example.com"): then it means that one. Origins are taken apart and compared label
// by label, never as text.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.hpp"
#include "http/response.hpp"

namespace consentry::http {

class Cors {
public:
    // The error says what is wrong with an entry, without repeating it.
    static std::expected<Cors, std::string> parse(const std::vector<std::string>& entries);

    // For every answer, refusals included. `preflight`: the answer to OPTIONS with Access-Control-Request-Method.
    void add_headers(const Request& request, bool preflight, Response& response) const;

    bool allows_any() const { return any_; }

private:
    struct Entry {
        std::string host;  // lower case, without "*."
        bool below = false;
        std::optional<std::uint16_t> port;
        std::optional<bool> secure;  // https alone, or http alone
    };
    struct Origin {
        std::string host;
        std::uint16_t port = 0;
        bool default_port = false;
        bool secure = false;
    };
    static std::optional<Origin> parse_origin(std::string_view text);
    bool allows(std::string_view origin) const;

    std::vector<Entry> entries_;
    bool any_ = false;
};

}  // namespace consentry::http
