// Decides what a browser may see and send. Makes the proofs of visit.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/errors.hpp"
#include "pages/address.hpp"
#include "pages/cookie_guard.hpp"
#include "pages/form_fields.hpp"
#include "pages/form_tokens.hpp"
#include "pages/visit.hpp"

namespace consentry {

struct PagesGuardSettings {
    std::string origin;  // ours, as browsers name it; empty: that of the listener, under each name of this machine
    PageCookies cookies{true};
    ReturnHosts return_hosts;
    std::vector<std::string> secrets;  // of the forms
    std::vector<Language> languages;   // that visitors can choose
    Language default_language = Language::en;
};

// A visit that goes on after another site.
struct LeftVisit {
    std::string browser;    // Visit::browser()
    std::string return_to;  // the address, or empty
    Language language = Language::en;
};

class PagesGuard {
public:
    PagesGuard(CookieGuard& callers, PagesGuardSettings settings);

    // Admits a visit, or the refusal of the proof that it lacks. Adds the cookies that the browser needs to the
    // answer's headers.
    // The visit is a From.
    template <class From>
    awaitable<Result<std::shared_ptr<Visit>>> admit(http::RequestContext& context) {
        Visit visit = arrive(context);
        using Proof = typename detail::ProofOf<From>::type;
        if constexpr (std::is_void_v<Proof>) {
            auto caller = co_await callers_.admit(context, std::type_identity<SignedInProvisionally>{});
            visit.is_signed_in_ = caller.has_value();
            visit.has_expired_password_ = !caller && caller.error().is(errors::password_expired);
            // The user who is signed in to this browser is not the author of what a public form does, such as a login
            // or a reset of another account.
            context.caller.user.reset();
            context.caller.session.reset();
            co_return std::make_shared<Visit>(std::move(visit));
        } else {
            auto caller = co_await callers_.admit(context, std::type_identity<Proof>{});
            if (!caller) co_return fail(std::move(caller.error()));
            visit.is_signed_in_ = true;
            co_return std::make_shared<From>(From{std::move(visit), std::move(*caller)});
        }
    }

    // Refuses a form that another site has sent: errors::cross_site_form. To be called before its body is read.
    Result<void> check_origin(const http::Request& request) const;

    // What became of a form that was sent.
    enum class FormState { valid, expired, no_cookie };
    // Takes the token and the return address out of the fields.
    FormState check_token(Visit& visit, std::vector<http::NamedText>& fields) const;
    // Whether the fields have a token of a page that was made for the session cookie of the request, whatever that is
    // worth.
    bool is_of_this_browser(const http::Request& request, const std::vector<http::NamedText>& fields) const;
    template <class Form, class From>
    Sent<Form, From> sent(const From& visit, Form form) const {
        return {visit, std::move(form)};
    }

    // The visit of a browser that another site sends back with a form, for which browsers withhold our other cookies.
    // `left` is what it took along; without it, nothing is known of the browser. Its forms have no token.
    Visit resume(http::RequestContext& context, const std::optional<LeftVisit>& left) const;

    // Where a refused visitor can give what is missing, and comes back from; nullopt if there is no such place.
    // `has_page`: the path of the request can be opened as a page.
    // `return_to`: where that page leads back to; a form has it among its fields.
    std::optional<Address> way_out(const http::RequestContext& context, const Error& refusal, bool has_page,
                                   const std::optional<Address>& return_to) const;
    // The return address among the fields of a form; nullopt if there is none that is safe.
    std::optional<Address> return_among(const std::vector<http::NamedText>& fields) const;
    // Sets the language that the browser wants.
    Language language_of(const http::RequestContext& context) const;
    // The header by which the browser keeps the language that the address chooses; empty if it chooses none.
    std::string language_cookie(const http::RequestContext& context) const;

    const PagesGuardSettings& settings() const { return settings_; }

private:
    Visit arrive(http::RequestContext& context) const;

    CookieGuard& callers_;
    PagesGuardSettings settings_;
    FormTokens tokens_;
};

}  // namespace consentry
