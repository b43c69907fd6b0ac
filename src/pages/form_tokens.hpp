// Tokens that bind a form to the browser for which it was made. Without one, another site could send the form in the
// name of its visitor (CSRF).
//
// A token is a random value and an HMAC of it and of the cookie that identifies the browser: nothing is stored, all
// instances know it, and it ends with the cookie. As each page has another token, one that is sent twice tells that a
// form was sent twice, and compressed answers tell nothing about it (BREACH).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "pages/cookies.hpp"

namespace consentry {

class FormTokens {
public:
    // Tokens are made with the first secret and accepted with all of them.
    explicit FormTokens(const std::vector<std::string>& secrets);

    std::string make(PageCookie cookie, std::string_view value) const;
    bool is_of(std::string_view token, PageCookie cookie, std::string_view value) const;

private:
    std::vector<Bytes> keys_;
};

}  // namespace consentry
