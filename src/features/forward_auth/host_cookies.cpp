#include "features/forward_auth/host_cookies.hpp"

#include "base/ascii.hpp"
#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "crypto/random.hpp"
#include "crypto/sealed_text.hpp"
#include "http/cookie.hpp"

namespace consentry {
namespace {

constexpr std::size_t browser_bytes = 32;
constexpr std::chrono::minutes login_begun_for{10};

bool is_secure(std::string_view origin) { return origin.starts_with("https://"); }
bool is_domain(std::string_view realm) { return realm.starts_with('.'); }

// With __Host-, no other host can set the cookie. Browsers refuse the prefix over plain http, and for a domain.
std::string session_name(std::string_view origin, std::string_view realm) {
    std::string name = is_secure(origin) ? "__Host-consentry-host" : "consentry-host";
    if (is_domain(realm)) return is_secure(origin) ? "__Secure-consentry-domain" : name;
    // Browsers do not separate cookies by port: under one name, the cookies of two ports would replace each other.
    const auto port = origin.rfind(':');
    if (port > origin.find("://")) name.append("-").append(origin.substr(port + 1));
    return name;
}
// All ports of a host share it, because it is worth nothing without a code, which is made for one origin.
std::string browser_name(std::string_view origin) {
    return is_secure(origin) ? "__Host-consentry-browser" : "consentry-browser";
}

std::string line(const std::string& name, std::string_view value, std::string_view origin,
                 std::chrono::seconds lifetime) {
    return "Set-Cookie: " + name + "=" + std::string(value) + "; Path=/; HttpOnly; SameSite=Lax" +
           (is_secure(origin) ? "; Secure" : "") + "; Max-Age=" + std::to_string(lifetime.count());
}

}  // namespace

HostCookies::HostCookies(GuardedHosts hosts, const std::vector<std::string>& secrets)
    : hosts_(std::move(hosts)), keys_(secrets, "consentry cookie of a guarded host") {}

std::optional<std::string> HostCookies::find(const http::Request& request, std::string_view origin) const {
    if (!hosts_.contain(origin)) return std::nullopt;
    const std::string realm = hosts_.realm_of(origin);
    // Of a domain's cookie there may be others: of a former setting, or set by any host of the domain. They do not
    // open. If two do, one was planted, and it is impossible to tell which.
    std::optional<std::string> found;
    for (const std::string_view value : http::cookies(request, session_name(origin, realm))) {
        auto session = crypto::opened_text(keys_, std::string(value), realm);
        if (!session) continue;
        if (found) return std::nullopt;
        found = std::move(session);
    }
    return found;
}

std::string HostCookies::set(std::string_view session, std::string_view origin, std::chrono::seconds lifetime) const {
    const std::string realm = hosts_.realm_of(origin);
    const std::string value = crypto::sealed_text(keys_, session, realm);
    std::string out = line(session_name(origin, realm), value, origin, lifetime);
    if (is_domain(realm)) out += "; Domain=" + realm.substr(1);
    return out + "\r\n";
}

std::optional<std::string> HostCookies::find_browser(const http::Request& request, std::string_view origin) const {
    auto value = http::only_cookie(request, browser_name(origin));
    if (!value) return std::nullopt;
    const auto bytes = from_base64url(*value);
    if (!bytes || bytes->size() != browser_bytes) return std::nullopt;
    return value;
}

std::string HostCookies::set_browser(std::string_view browser, std::string_view origin) const {
    return line(browser_name(origin), browser, origin, login_begun_for) + "\r\n";
}

std::string HostCookies::new_browser() { return to_base64url(crypto::random_bytes(browser_bytes)); }

std::string HostCookies::digest_of(std::string_view browser) {
    return to_base64url(crypto::sha256("browser at a guarded host\n" + std::string(browser)));
}

}  // namespace consentry
