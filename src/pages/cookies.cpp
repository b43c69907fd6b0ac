#include "pages/cookies.hpp"

#include "http/cookie.hpp"

namespace consentry {

std::string PageCookies::name_of(PageCookie cookie) const {
    const std::string base = secure_ ? "__Host-consentry" : "consentry";
    switch (cookie) {
        case PageCookie::session:
            return base;
        case PageCookie::visitor:
            return base + "-visitor";
        case PageCookie::step:
            return base + "-step";
        case PageCookie::language:
            return base + "-language";
        case PageCookie::note:
            return base + "-note";
        case PageCookie::way_back:
            return base + "-way-back";
        case PageCookie::provider:
            return base + "-provider";
    }
    return base;
}

std::optional<std::string> PageCookies::find(const http::Request& request, PageCookie cookie) const {
    return http::only_cookie(request, name_of(cookie));
}

std::string PageCookies::line(PageCookie cookie, std::string_view value) const {
    const bool comes_back = cookie == PageCookie::provider;
    std::string out = "Set-Cookie: " + name_of(cookie) + "=" + std::string(value) + "; Path=/; HttpOnly; SameSite=";
    out += comes_back ? "None" : "Lax";
    // Browsers take no SameSite=None without Secure, and set it over plain http on this machine as well.
    if (secure_ || comes_back) out += "; Secure";
    return out;
}

std::string PageCookies::set(PageCookie cookie, std::string_view value,
                             std::optional<std::chrono::seconds> lifetime) const {
    std::string out = line(cookie, value);
    if (lifetime) out += "; Max-Age=" + std::to_string(lifetime->count());
    return out + "\r\n";
}

std::string PageCookies::clear(PageCookie cookie) const { return line(cookie, "") + "; Max-Age=0\r\n"; }

}  // namespace consentry
