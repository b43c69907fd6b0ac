#include "pages/login_steps.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "crypto/sealed_text.hpp"
#include "features/login/challenges.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

}  // namespace

std::string LoginSteps::keep(const LoginStep& step, const Visit& visit,
                             std::optional<std::chrono::seconds> lifetime) const {
    json::object text{{"challenge", step.challenge}};
    if (step.setup) {
        text["secret"] = step.setup->secret;
        text["address"] = step.setup->otpauth_url;
        text["iv"] = to_base64url(step.setup->iv);
    }
    return cookies_.set(PageCookie::step, crypto::sealed_text(sealing_, json::serialize(text), visit.browser()),
                        lifetime.value_or(std::chrono::duration_cast<std::chrono::seconds>(challenge_ttl)));
}

std::optional<LoginStep> LoginSteps::find(const Visit& visit) const {
    const auto cookie = visit.cookie(PageCookie::step);
    const auto opened = cookie ? crypto::opened_text(sealing_, *cookie, visit.browser()) : std::nullopt;
    if (!opened) return std::nullopt;
    const json::value text = json::parse(*opened);  // only we can have sealed it
    LoginStep step{.challenge = std::string(text.at("challenge").as_string())};
    // A cookie of the previous version lacks the iv: its set-up counts as replaced.
    if (const auto* secret = text.as_object().if_contains("secret")) {
        const auto* iv = text.as_object().if_contains("iv");
        step.setup = NewSecret{.secret = std::string(secret->as_string()),
                               .otpauth_url = std::string(text.at("address").as_string()),
                               .iv = iv ? from_base64url(iv->as_string()).value_or(Bytes{}) : Bytes{}};
    }
    return step;
}

}  // namespace consentry
