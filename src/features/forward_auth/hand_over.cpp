#include "features/forward_auth/hand_over.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/percent_encoding.hpp"
#include "crypto/sealed_text.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

// Proxies refuse long addresses, and the code of a long path is long, too.
constexpr std::size_t path_beside_code_max = 2'048;

std::string bound_to(std::string_view origin, std::string_view browser_digest) {
    return std::string(origin) + "\n" + std::string(browser_digest);
}

std::string query_of(const Destination& destination) {
    return "return=" + percent_encoded(destination.path) + (destination.is_second_time ? "&again=1" : "");
}

// If two tabs begin before an answer has brought a secret, each gets its own, and the browser keeps the one that comes
// last. The other tab begins again with that one. Once only, so that no browser goes round in circles.
Result<Onward> begin_again(Destination destination) {
    if (destination.path.empty() || destination.is_second_time) return fail(errors::hand_over_invalid);
    destination.is_second_time = true;
    return Onward{.address = "/.consentry/start?" + query_of(destination), .headers = {}};
}

}  // namespace

HandOver::HandOver(storage::Database& database, const Clock& clock, const HostCookies& cookies, std::string pages,
                   std::chrono::seconds cookie_lifetime, const std::vector<std::string>& secrets)
    : repository_(database),
      clock_(clock),
      cookies_(cookies),
      pages_(std::move(pages)),
      cookie_lifetime_(cookie_lifetime),
      keys_(secrets, "consentry forward auth code") {}

Onward HandOver::begin(const http::Request& request, std::string_view origin, const Destination& destination) const {
    // Tabs that begin one after the other share a secret, so that the codes of all of them work.
    const std::string browser = cookies_.find_browser(request, origin).value_or(HostCookies::new_browser());
    return {.address = pages_ + "/login/hand-over?origin=" + percent_encoded(origin) +
                       "&browser=" + HostCookies::digest_of(browser) + "&" + query_of(destination),
            .headers = cookies_.set_browser(browser, origin)};
}

Result<std::string> HandOver::issue(std::string_view session, std::string_view origin, std::string_view browser,
                                    const Destination& destination) const {
    if (!cookies_.hosts().contain(origin)) return fail(errors::route_not_found);
    const json::object content{
        {"session", session}, {"path", destination.path}, {"until", epoch_ms(clock_.now() + code_lifetime)}};
    const std::string code = crypto::sealed_text(keys_, json::serialize(content), bound_to(origin, browser));
    const std::string beside = query_of(destination);
    return std::string(origin) + "/.consentry/callback?code=" + code +
           (beside.size() > path_beside_code_max ? "" : "&" + beside);
}

awaitable<Result<Onward>> HandOver::redeem(const http::Request& request, std::string origin, std::string code,
                                           Destination destination) {
    const auto browser = cookies_.find_browser(request, origin);
    if (!cookies_.hosts().contain(origin) || !browser) co_return fail(errors::hand_over_invalid);
    const auto opened = crypto::opened_text(keys_, code, bound_to(origin, HostCookies::digest_of(*browser)));
    if (!opened) co_return begin_again(std::move(destination));
    const json::value content = json::parse(*opened);
    const json::object& in = content.as_object();
    const TimePoint until = from_epoch_ms(in.at("until").as_int64());
    if (!happened_within(code_lifetime, until - code_lifetime, clock_.now())) co_return fail(errors::hand_over_invalid);
    const bool is_first = co_await repository_.spend(crypto::sha256(code), until);
    if (!is_first) co_return fail(errors::hand_over_invalid);
    co_return Onward{.address = std::string(in.at("path").as_string()),
                     .headers = cookies_.set(in.at("session").as_string(), origin, cookie_lifetime_)};
}

awaitable<void> HandOver::forget_old() { return repository_.erase_expired(clock_.now() - clock_error_max); }

}  // namespace consentry
