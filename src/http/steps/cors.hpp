// Cross-origin requests: decides which origins' pages may read the answers (the Fetch standard; WEB-6).
//
// Entries are hosts with an optional port: "example.com", "example.com:8443", "*.example.com" (the domain and its
// subdomains), or "*" alone. Without a port, an entry means the default port of the scheme. An entry applies to http
// and https, unless it begins with a scheme ("https://example.com"). Origins are parsed and compared label by label,
// never as text.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/request.hpp"
#include "http/response.hpp"

namespace consentry::http {

class Cors {
public:
    // The error describes the fault of an entry without repeating the entry.
    static std::expected<Cors, std::string> parse(const std::vector<std::string>& entries);

    // Adds the CORS headers. Call for every answer, refusals included. `preflight` marks the answer to OPTIONS with
    // Access-Control-Request-Method.
    void add_headers(const Request& request, bool preflight, Response& response) const;

    // Makes everything below these paths public to the pages of every origin, whatever the entries say: for documents
    // that anyone may verify. Such answers never admit credentials.
    void open_below(std::vector<std::string> paths) { open_paths_ = std::move(paths); }

private:
    struct Entry {
        std::string host;  // lower case, without "*."
        bool below = false;
        std::optional<std::uint16_t> port;
        std::optional<bool> secure;  // nullopt: both schemes; true: https only; false: http only
    };
    struct Origin {
        std::string host;
        std::uint16_t port = 0;
        bool default_port = false;
        bool secure = false;
    };
    static std::optional<Origin> parse_origin(std::string_view text);
    bool allows(std::string_view origin) const;
    bool is_open(std::string_view path) const;

    std::vector<Entry> entries_;
    bool any_ = false;
    std::vector<std::string> open_paths_;
};

}  // namespace consentry::http
