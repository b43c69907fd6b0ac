#include "pages/provider_trips.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "crypto/digest.hpp"
#include "crypto/random.hpp"
#include "crypto/sealed_text.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

constexpr std::size_t secret_bytes = 32;

std::string new_secret() { return to_base64url(crypto::random_bytes(secret_bytes)); }

}  // namespace

ProviderTrip ProviderTrips::begin(const Visit& visit) {
    return {.state = new_secret(),
            .nonce = new_secret(),
            .left = {.browser = visit.browser(),
                     .return_to = visit.return_to() ? visit.return_to()->text() : std::string(),
                     .language = visit.language()}};
}

std::string ProviderTrips::keep(const ProviderTrip& trip, SocialProvider provider) const {
    const json::object content{{"state", trip.state},
                               {"nonce", trip.nonce},
                               {"browser", trip.left.browser},
                               {"return", trip.left.return_to},
                               {"language", name_of(trip.left.language)},
                               {"until", epoch_ms(clock_.now() + provider_trip_max)}};
    return cookies_.set(PageCookie::provider,
                        crypto::sealed_text(sealing_, json::serialize(content), facts_of(provider).name),
                        provider_trip_max);
}

std::optional<ProviderTrip> ProviderTrips::find(const http::Request& request, SocialProvider provider,
                                                std::string_view state) const {
    const auto cookie = cookies_.find(request, PageCookie::provider);
    const auto opened = cookie ? crypto::opened_text(sealing_, *cookie, facts_of(provider).name) : std::nullopt;
    if (!opened) return std::nullopt;
    const json::value content = json::parse(*opened);  // only we can have sealed it
    const auto text = [&](std::string_view name) { return std::string(content.at(name).as_string()); };
    ProviderTrip trip{.state = text("state"),
                      .nonce = text("nonce"),
                      .left = {.browser = text("browser"),
                               .return_to = text("return"),
                               .language = find_language(text("language")).value_or(Language::en)}};
    const bool is_ours = crypto::equal_constant_time(as_bytes(trip.state), as_bytes(state));
    if (!is_ours || from_epoch_ms(content.at("until").as_int64()) <= clock_.now()) return std::nullopt;
    return trip;
}

}  // namespace consentry
