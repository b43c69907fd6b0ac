#include "pages/login_steps.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "features/login/challenges.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

constexpr std::size_t iv_bytes = 12;

}  // namespace

std::string LoginSteps::keep(const LoginStep& step, const Visit& visit,
                             std::optional<std::chrono::seconds> lifetime) const {
    json::object text{{"challenge", step.challenge}};
    if (step.setup) {
        text["secret"] = step.setup->secret;
        text["address"] = step.setup->otpauth_url;
    }
    const auto sealed = sealing_.seal(as_bytes(json::serialize(text)), as_bytes(visit.browser()));
    Bytes bytes = sealed.iv;
    bytes.insert(bytes.end(), sealed.bytes.begin(), sealed.bytes.end());
    return cookies_.set(PageCookie::step, to_base64url(bytes),
                        lifetime.value_or(std::chrono::duration_cast<std::chrono::seconds>(challenge_ttl)));
}

std::optional<LoginStep> LoginSteps::find(const Visit& visit) const {
    const auto cookie = visit.cookie(PageCookie::step);
    const auto bytes = cookie ? from_base64url(*cookie) : std::nullopt;
    if (!bytes || bytes->size() < iv_bytes) return std::nullopt;
    const auto iv = BytesView(*bytes).first(iv_bytes);
    const auto rest = BytesView(*bytes).subspan(iv_bytes);
    const auto opened = sealing_.open({{iv.begin(), iv.end()}, {rest.begin(), rest.end()}}, as_bytes(visit.browser()));
    if (!opened) return std::nullopt;
    const json::value text = json::parse(as_text(*opened));  // only we can have sealed it
    LoginStep step{.challenge = std::string(text.at("challenge").as_string())};
    if (const auto* secret = text.as_object().if_contains("secret"))
        step.setup = NewSecret{std::string(secret->as_string()), std::string(text.at("address").as_string())};
    return step;
}

}  // namespace consentry
