#include "pages/pages_guard.hpp"

#include <algorithm>

#include "base/host_port.hpp"
#include "base/percent_encoding.hpp"
#include "crypto/random.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint/inputs.hpp"
#include "pages/accept_language.hpp"
#include "pages/refusal_page.hpp"
#include "pages/request_parts.hpp"

namespace consentry {
namespace {

constexpr std::size_t visitor_bytes = 32;
constexpr std::string_view token_field = "csrf";
constexpr std::string_view return_field = "return";
constexpr std::string_view link_token = "token";  // in the path of a mailed link

const std::string* find_text(const std::vector<http::NamedText>& texts, std::string_view name) {
    const auto found = std::ranges::find(texts, name, &http::NamedText::name);
    return found == texts.end() ? nullptr : &found->value;
}

// Whether an origin is http on a name that only this machine has.
bool is_loopback(std::string_view origin) {
    constexpr std::string_view scheme = "http://";
    if (!origin.starts_with(scheme)) return false;
    const auto parts = split_host_port(origin.substr(scheme.size()));
    return parts && (parts->host == "localhost" || parts->host == "127.0.0.1" || parts->host == "[::1]");
}

// Where a visitor may return to; nullopt if `text` is not safe.
std::optional<Address> way_back(std::string_view text, const ReturnHosts& hosts) {
    auto back = Address::safe_return(text, hosts);
    // The visitor may choose another language before they return. A language of an application is its own.
    if (back && !back->is_of_host()) back = std::move(*back).without(language_field);
    return back;
}

}  // namespace

std::string Visit::query(std::string_view name) const {
    const std::string* found = find_text(query_, name);
    return found == nullptr ? std::string() : *found;
}

std::string Visit::path(std::string_view name) const {
    const std::string* found = find_text(context_->path_params, name);
    return found == nullptr ? std::string() : *found;
}

PagesGuard::PagesGuard(CookieGuard& callers, PagesGuardSettings settings)
    : callers_(callers), settings_(std::move(settings)), tokens_(settings_.secrets) {}

Language PagesGuard::language_of(const http::RequestContext& context) const {
    const auto is_spoken = [&](std::optional<Language> language) {
        return language && std::ranges::find(settings_.languages, *language) != settings_.languages.end();
    };
    if (const auto query = http::parse_query(context.request.query))
        if (const std::string* chosen = find_text(*query, language_field))
            if (const auto language = find_language(*chosen); is_spoken(language)) return *language;
    if (const auto kept = settings_.cookies.find(context.request, PageCookie::language))
        if (const auto language = find_language(*kept); is_spoken(language)) return *language;
    if (const auto accepted = context.request.header("accept-language"))
        if (const auto language = preferred_language(*accepted, settings_.languages)) return *language;
    return is_spoken(Language::en) ? Language::en : settings_.default_language;
}

std::string PagesGuard::language_cookie(const http::RequestContext& context) const {
    const auto query = http::parse_query(context.request.query);
    const std::string* chosen = query ? find_text(*query, language_field) : nullptr;
    // Another one would keep what the visitor has not chosen.
    if (chosen == nullptr || find_language(*chosen) != context.language) return {};
    return settings_.cookies.set(PageCookie::language, name_of(context.language), std::chrono::days{365});
}

Visit PagesGuard::arrive(http::RequestContext& context) const {
    context.language = language_of(context);
    Visit visit(context, settings_.cookies);
    visit.query_ = http::parse_query(context.request.query).value_or(std::vector<http::NamedText>{});
    context.answer_headers += language_cookie(context);
    if (const std::string* back = find_text(visit.query_, return_field))
        visit.return_to_ = way_back(*back, settings_.return_hosts);
    else if (!visit.path(link_token).empty())
        if (const auto kept = visit.cookie(PageCookie::way_back))
            visit.return_to_ = way_back(loosely_form_decoded(*kept), settings_.return_hosts);
    if (const auto session = visit.cookie(PageCookie::session)) {
        visit.form_token_ = tokens_.make(PageCookie::session, *session);
        visit.browser_ = *session;
        return visit;
    }
    auto visitor = visit.cookie(PageCookie::visitor);
    if (!visitor) {
        visitor = to_base64url(crypto::random_bytes(visitor_bytes));
        context.answer_headers += settings_.cookies.set(PageCookie::visitor, *visitor);
    }
    visit.form_token_ = tokens_.make(PageCookie::visitor, *visitor);
    visit.browser_ = std::move(*visitor);
    return visit;
}

Visit PagesGuard::resume(http::RequestContext& context, const std::optional<LeftVisit>& left) const {
    context.language = left ? left->language : language_of(context);
    Visit visit(context, settings_.cookies);
    if (!left) return visit;
    visit.browser_ = left->browser;
    visit.return_to_ = way_back(left->return_to, settings_.return_hosts);
    return visit;
}

Result<void> PagesGuard::check_origin(const http::Request& request) const {
    const auto site = request.header("sec-fetch-site");
    const auto origin = request.header("origin");
    if (request.count("sec-fetch-site") > 1 || request.count("origin") > 1) return fail(errors::cross_site_form);
    if (site && *site != "same-origin") return fail(errors::cross_site_form);
    // Browsers hide the origin from a form whose page has the policy no-referrer, as ours have. Then Sec-Fetch-Site,
    // which all browsers have sent since 2023, decides alone.
    const bool is_hidden = !origin || *origin == "null";
    if (is_hidden) return site ? Result<void>{} : fail(errors::cross_site_form);
    const auto host = request.header("host");
    const bool is_ours = settings_.origin.empty()
                             ? is_loopback(*origin) && host && *origin == "http://" + std::string(*host)
                             : *origin == settings_.origin;
    if (!is_ours) return fail(errors::cross_site_form);
    return {};
}

PagesGuard::FormState PagesGuard::check_token(Visit& visit, std::vector<http::NamedText>& fields) const {
    if (const auto back = take_only(fields, return_field)) visit.return_to_ = way_back(*back, settings_.return_hosts);
    const auto token = take_only(fields, token_field).value_or("");
    if (const auto session = visit.cookie(PageCookie::session))
        return tokens_.is_of(token, PageCookie::session, *session) ? FormState::valid : FormState::expired;
    if (const auto visitor = visit.cookie(PageCookie::visitor))
        return tokens_.is_of(token, PageCookie::visitor, *visitor) ? FormState::valid : FormState::expired;
    return FormState::no_cookie;
}

bool PagesGuard::is_of_this_browser(const http::Request& request, const std::vector<http::NamedText>& fields) const {
    const auto session = settings_.cookies.find(request, PageCookie::session);
    const std::string* token = find_text(fields, token_field);
    return session && token != nullptr && tokens_.is_of(*token, PageCookie::session, *session);
}

std::optional<Address> PagesGuard::way_out(const http::RequestContext& context, const Error& refusal, bool has_page,
                                           const std::optional<Address>& return_to) const {
    const auto page = page_for(refusal);
    if (!page) return std::nullopt;
    Address address(*page);
    // A form comes back to its page, which has its path and its query, but not its fields.
    auto back = way_back(context.request.target, {});
    if (!has_page || !back) return address;
    if (return_to && !is_reading(context.request)) {
        auto with_return = Address(*back).with("return", return_to->text());
        // Too long together: the page matters more.
        if (Address::safe_return(with_return.text(), {})) back = std::move(with_return);
    }
    return std::move(address).with("return", back->text());
}

std::optional<Address> PagesGuard::return_among(const std::vector<http::NamedText>& fields) const {
    const std::string* back = find_text(fields, return_field);
    return back == nullptr ? std::nullopt : way_back(*back, settings_.return_hosts);
}

}  // namespace consentry
