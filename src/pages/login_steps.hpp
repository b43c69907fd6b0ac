// What a browser keeps between the steps of a login, or of a set-up by a signed-in user: a cookie that opens in no
// other browser.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "crypto/aead.hpp"
#include "features/two_factor/two_factor.hpp"
#include "pages/cookies.hpp"
#include "pages/visit.hpp"

namespace consentry {

struct LoginStep {
    std::string challenge;                // empty for a set-up outside a login
    std::optional<NewSecret> setup = {};  // of a set-up, forced or voluntary
};

class LoginSteps {
public:
    // The first of `secrets` seals; all of them open.
    LoginSteps(const std::vector<std::string>& secrets, PageCookies cookies)
        : sealing_(secrets, "consentry login step of pages"), cookies_(cookies) {}

    // Returns the header line that sets the cookie, by default for as long as the challenge lives.
    std::string keep(const LoginStep& step, const Visit& visit,
                     std::optional<std::chrono::seconds> lifetime = {}) const;
    // Returns nullopt if there is no step, or another browser began it.
    std::optional<LoginStep> find(const Visit& visit) const;

private:
    crypto::SealingKeys sealing_;
    PageCookies cookies_;
};

}  // namespace consentry
