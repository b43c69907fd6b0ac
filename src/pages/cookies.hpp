// The cookies of the pages. All are of this host alone and unreadable for scripts. Browsers send them along with a
// request from another site only if it opens a page of ours; `provider` comes with a form from another site as well.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/request.hpp"

namespace consentry {

enum class PageCookie {
    session,  // of who is logged in: SessionCookie
    visitor,  // binds the forms of those who are not
    step,     // the second step of a login
    language,
    note,      // what the next page says about the form that led to it
    way_back,  // where a visitor who waits for a mailed link wants to go, percent-encoded
    provider,  // while the visitor is at an identity provider, which sends them back with a form
};

class PageCookies {
public:
    // `secure`: browsers reach the pages over https. The names then begin with __Host-, so no other host can set them;
    // over plain http they do not, because browsers would refuse them.
    explicit PageCookies(bool secure) : secure_(secure) {}

    std::string name_of(PageCookie cookie) const;
    // Returns nullopt if the cookie is absent or empty, or if a request carries it more than once: then another party
    // has set one of them, and it is impossible to tell which.
    std::optional<std::string> find(const http::Request& request, PageCookie cookie) const;
    // Each returns a complete header line. `value` consists of letters, digits, '-', '_', '.', '~' and '%'. Without a
    // lifetime the browser forgets the cookie when it ends.
    std::string set(PageCookie cookie, std::string_view value, std::optional<std::chrono::seconds> lifetime = {}) const;
    std::string clear(PageCookie cookie) const;

private:
    std::string line(PageCookie cookie, std::string_view value) const;
    bool secure_;
};

}  // namespace consentry
