// The Origin header: an answer admits a page of another origin only if the allow-list contains its host (WEB-6).
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "http/steps/cors.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

// Parses the origin independently of the program: the host is the text after the scheme, up to the port.
bool stands_in_list(std::string_view origin) {
    std::string text = consentry::to_lower_ascii(origin);
    for (const std::string_view scheme : {"http://", "https://"})
        if (text.starts_with(scheme)) {
            const std::string_view host = std::string_view(text).substr(scheme.size());
            const std::string_view name = host.substr(0, host.find(':'));
            return host == "shop.example.net:8443" || name == "example.com" || name == "example.org" ||
                   name.ends_with(".example.org");
        }
    return false;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    static const http::Cors cors = http::Cors::parse({"example.com", "*.example.org", "shop.example.net:8443"}).value();
    const std::string_view origin = fuzz::text_of(data, size);
    if (std::ranges::any_of(origin, [](char c) { return c == '\r' || c == '\n' || c == '\0'; })) return 0;
    http::Request request;
    request.headers = {{"Origin", origin}};
    for (const bool preflight : {false, true}) {
        http::Response response;
        cors.add_headers(request, preflight, response);
        if (!to_lower_ascii(response.headers).contains("access-control-allow-origin")) continue;
        fuzz::require(stands_in_list(origin), "only listed hosts are let in");
        fuzz::require(response.headers.contains(": " + std::string(origin) + "\r\n"), "and told by their own name");
    }
    return 0;
}
