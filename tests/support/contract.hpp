// Checks every answer of every test against the service's own OpenAPI document.
//
// Checks the status, the service's own headers, the media type and the body; for successful requests also their query
// and body. Anything undocumented is a complaint: a status, a header, a property.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/http_client.hpp"
#include "tests/support/json_schema.hpp"

namespace consentry::tests {

class Contract {
public:
    // Returns the contract for a document's text. Parsed once and shared by all services with the same document.
    // Thread-safe.
    static std::shared_ptr<const Contract> of(const std::string& document);

    // Returns the violations; empty if there are none.
    std::vector<std::string> complaints(std::string_view method, std::string_view target, std::string_view body,
                                        const Answer& answer) const;

    explicit Contract(json::value document);
    Contract(const Contract&) = delete;
    Contract& operator=(const Contract&) = delete;

private:
    using Complaints = std::vector<std::string>;
    struct Route {
        std::vector<std::string> segments;  // "{userId}" matches any
        const json::object* item;
    };
    const json::object* find_operation(std::string_view method, std::string_view path) const;
    const json::object& resolve(const json::value& value) const;
    const json::object& resolve(const json::object& value) const;
    void check_request(const json::object& operation, std::string_view query, std::string_view body,
                       Complaints& out) const;
    void check_headers(const json::object& documented, const Answer& answer, Complaints& out) const;
    void check_body(const json::object& response, const Answer& answer, Complaints& out) const;
    void check_unrouted(const Answer& answer, Complaints& out) const;

    json::value document_;
    SchemaChecker checker_;
    std::vector<Route> routes_;
};

}  // namespace consentry::tests
