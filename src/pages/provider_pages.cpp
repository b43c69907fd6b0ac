#include "pages/provider_pages.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.hpp"
#include "base/json_values.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "base/text_rules.hpp"
#include "features/activity/audit.hpp"
#include "pages/function_handler.hpp"
#include "pages/request_parts.hpp"
#include "pages/ways.hpp"

namespace consentry {
namespace {

constexpr std::size_t user_bytes_max = 2'048;
constexpr std::size_t name_length_max = 100;  // of an account

std::string path_of(SocialProvider provider) { return "/login/" + std::string(facts_of(provider).name); }
std::string callback_of(SocialProvider provider) { return path_of(provider) + "/callback"; }

// What each provider is asked for. Apple sends no identity token without a code, which is of no use here and ends
// unused. It tells names only with the first login, so they are requested; users who prefer to keep theirs can say
// so there.
std::string_view response_type_of(SocialProvider provider) {
    return provider == SocialProvider::apple ? "code id_token" : "id_token";
}
std::string_view scope_of(SocialProvider provider) {
    return provider == SocialProvider::apple ? "openid name email" : "openid email";
}

bool is_canceled(std::string_view error) { return error == "access_denied" || error == "user_cancelled_authorize"; }

// The note for a refusal that concerns the person; nullopt if it is not a refusal of a login.
std::optional<ProviderNote> note_of(const Error& refusal, SocialProvider provider) {
    if (refusal.is(facts_of(provider).invalid) || refusal.is(facts_of(provider).required)) return ProviderNote::refused;
    if (refusal.is(errors::sign_up_forbidden)) return ProviderNote::no_sign_up;
    if (refusal.is(errors::inactive_forbidden)) return ProviderNote::inactive;
    if (refusal.is(errors::email_not_verified)) return ProviderNote::not_verified;
    if (refusal.is(errors::two_factor_setup_expired)) return ProviderNote::set_up_expired;
    return std::nullopt;
}

// The name of a person in the field `user` that Apple sends once, with the first login: JSON without a signature.
// Returns nullopt unless it can be the name of an account.
std::optional<std::string> name_from_apple(std::string_view user, Language language) {
    if (user.empty() || user.size() > user_bytes_max) return std::nullopt;
    const auto json = parse_strict_json(user, {.depth_max = 4, .members_max = 16});
    const auto* whole = json ? json->if_object() : nullptr;
    const auto* parts = whole != nullptr ? object_member(*whole, "name") : nullptr;
    if (parts == nullptr) return std::nullopt;
    std::array<std::string_view, 2> order{"firstName", "lastName"};
    if (language == Language::ja) std::ranges::reverse(order);
    std::string out;
    for (const std::string_view key : order) {
        const std::string_view trimmed = trim(text_or_empty(*parts, key));
        if (!trimmed.empty()) out.append(out.empty() ? "" : " ").append(trimmed);
    }
    const auto length = code_points(out);
    if (out.empty() || !length || *length > name_length_max || !is_one_line_name(out)) return std::nullopt;
    return out;
}

}  // namespace

void ProviderPages::add_to(Pages& pages, http::Router& router) {
    for (const WebProvider& one : parts_.buttons.providers()) {
        const SocialProviderFacts& facts = facts_of(one.provider);
        const std::string id = "continueWith" + std::string(facts.owner);
        pages.action(path_of(one.provider), id,
                     [this, one](const Sent<ContinueForm>& sent) { return leave(one, sent); },
                     {.flag = facts.login_flag, .if_expired = Address("/login")});
        // The one form that another site may send: what makes it safe is the trip, not where it comes from.
        router.page(http::Method::post, callback_of(one.provider))
            .id(id + "Callback")
            .tag("pages")
            .behind_flag(facts.login_flag)
            .handled_with(handler_of(
                [this, from = one.provider](http::RequestContext& context) { return come_back(from, context); }));
    }
}

awaitable<Result<PageAnswer>> ProviderPages::leave(const WebProvider& to, const Sent<ContinueForm>& sent) const {
    const Visit& visit = sent.visit();
    if (visit.is_signed_in()) co_return PageAnswer::to(goal_of(visit));
    const ProviderTrip trip = ProviderTrips::begin(visit);
    Address address = Address(to.authorization)
                          .with("response_type", response_type_of(to.provider))
                          .with("response_mode", "form_post")
                          .with("client_id", to.client_id)
                          .with("redirect_uri", url_ + callback_of(to.provider))
                          .with("scope", scope_of(to.provider))
                          .with("state", trip.state)
                          .with("nonce", trip.nonce);
    co_return PageAnswer::to(std::move(address), trips_.keep(trip, to.provider));
}

ProviderPages::Returned ProviderPages::read(std::vector<http::NamedText> fields) {
    return {.state = take_only(fields, "state").value_or(""),
            .token = take_only(fields, "id_token"),
            .error = take_only(fields, "error").value_or(""),
            .user = take_only(fields, "user").value_or("")};
}

awaitable<Result<http::Reply>> ProviderPages::come_back(SocialProvider from, http::RequestContext& context) {
    auto fields = co_await kit_.read_form(context);
    if (!fields) co_return fail(std::move(fields.error()));
    const Returned returned = read(std::move(*fields));
    const auto trip = trips_.find(context.request, from, returned.state);
    const Visit visit = kit_.guard.resume(context, trip ? std::optional(trip->left) : std::nullopt);
    if (!trip) {
        parts_.guard.tell_of_refusal(from, "state", cause_of(context));
        // The cookie stays: a site that sends forms from elsewhere must not be able to end a trip that is under way.
        co_return kit_.site.redirect(login_with_note(ProviderNote::over, from, visit), {}, &facts_of(from).invalid);
    }
    auto answer = co_await log_in(from, returned, *trip, visit);
    if (!answer) co_return fail(std::move(answer.error()));
    co_return kit_.site.redirect(answer->redirect.value(), answer->headers + trips_.end(), answer->refusal);
}

awaitable<Result<PageAnswer>> ProviderPages::log_in(SocialProvider from, const Returned& returned,
                                                    const ProviderTrip& trip, const Visit& visit) {
    const auto refused_with = [&](const ErrorKind& refusal, ProviderNote note) {
        return PageAnswer::refused(refusal, login_with_note(note, from, visit));
    };
    if (is_canceled(returned.error)) co_return PageAnswer::to(login_with_note(ProviderNote::canceled, from, visit));
    const Cause cause = cause_of(visit.context());
    if (!returned.error.empty()) {
        parts_.guard.tell_of_refusal(from, "error", cause);
        co_return refused_with(facts_of(from).invalid, ProviderNote::refused);
    }
    auto identity = co_await parts_.guard.identify(from, returned.token, cause);
    if (!identity) co_return refused_with(identity.error().kind(), ProviderNote::refused);
    SocialRequest request{
        .nonce = trip.nonce,
        .name = from == SocialProvider::apple ? name_from_apple(returned.user, visit.language()) : std::nullopt,
        .accepted = {},
        .language = visit.language()};
    auto answer = co_await parts_.login.with_social(std::move(*identity), std::move(request),
                                                    origin_of(visit, facts_of(from).with), cause);
    if (answer) co_return parts_.login_pages.after(*answer, visit);
    const auto note = note_of(answer.error(), from);
    if (!note) co_return fail(std::move(answer.error()));
    co_return refused_with(answer.error().kind(), *note);
}

}  // namespace consentry
