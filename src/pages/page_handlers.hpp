// What happens to the request of a page, and to a form that was sent: the part of pages.hpp that is the same for all of
// them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/feature_flags/feature_flags.hpp"
#include "http/envelope.hpp"
#include "http/gate.hpp"
#include "pages/form_fields.hpp"
#include "pages/pages_guard.hpp"
#include "pages/repeated_forms.hpp"
#include "pages/site.hpp"
#include "pages/ways.hpp"

namespace consentry {

// A way that a feature flag can close: while it does, the template gets `name`.
struct Way {
    std::string name;
    std::string flag;
};

// What the handlers of pages share.
class PageKit {
public:
    PageKit(const Site& the_site, PagesGuard& the_guard, RepeatedForms& the_repeated, FeatureFlags& the_flags)
        : site(the_site), guard(the_guard), repeated(the_repeated), flags(the_flags) {}
    const Site& site;
    PagesGuard& guard;
    RepeatedForms& repeated;
    FeatureFlags& flags;

    // Sends a refused visitor to where they can give what is missing. Otherwise the refusal is the answer.
    // `return_to`: where the page leads back to.
    Result<http::Reply> refuse(const http::RequestContext& context, Error refusal, bool has_page = true,
                               const std::optional<Address>& return_to = {}) const;
    // Reads the form of a request from our own pages.
    awaitable<Result<std::vector<http::NamedText>>> read_form(http::RequestContext& context) const;
    // The answer to a form that this browser has sent before, if there was one recently.
    awaitable<RepeatedForms::Earlier> repeat(const http::RequestContext& context,
                                             const std::vector<http::NamedText>& sent) const;
    // The names of those ways whose forms would be refused. `user`: whom the guard has admitted.
    awaitable<View> closed(const std::vector<Way>& ways, std::optional<Uuid> user) const;
    FormFaults faults(const Visit& visit) const { return {site.locales(), visit.language()}; }
    // Whether a form whose function refused is shown again. A session that has just ended is asked for anew.
    static bool is_for_the_form(const Error& refusal) {
        return refusal.kind().http_status < 500 && !refusal.is(errors::jwt_access_token_invalid);
    }
};

class PageHandler : public http::OperationHandler {
public:
    awaitable<Result<http::Reply>> run(http::RequestContext& context) final;

protected:
    PageHandler(PageKit kit, std::shared_ptr<const SitePage> page, std::vector<Way> ways);
    const PageKit& kit() const { return kit_; }

private:
    virtual awaitable<Result<std::shared_ptr<Visit>>> admit(http::RequestContext& context) = 0;
    // `visit`: what admit() returned. It lives until the answer is complete.
    virtual awaitable<Result<PageAnswer>> show(const Visit& visit) = 0;

    const PageKit kit_;
    const std::shared_ptr<const SitePage> page_;
    const std::vector<Way> ways_;
};

// What a form states about itself; see form_fields.hpp.
struct FormTraits {
    std::span<const std::string_view> shown_again;
    std::vector<std::string> fields;
    std::span<const FieldOptions> options;
};

class FormHandler : public http::OperationHandler {
public:
    awaitable<Result<http::Reply>> run(http::RequestContext& context) final;

protected:
    // `page` is null for an action.
    FormHandler(PageKit kit, std::shared_ptr<const SitePage> page, std::vector<Way> ways, FormTraits traits,
                std::optional<Address> if_expired);
    const PageKit& kit() const { return kit_; }

private:
    virtual awaitable<Result<std::shared_ptr<Visit>>> admit(http::RequestContext& context) = 0;
    // `visit`: what admit() returned. It lives until the answer is complete.
    virtual awaitable<Result<PageAnswer>> show(const Visit& visit) = 0;
    // Errors: errors::validation with all violations of the form, or the refusal of its function.
    virtual awaitable<Result<PageAnswer>> submit(const Visit& visit, std::vector<http::NamedText> typed) = 0;

    bool has_page() const { return page_ != nullptr; }
    // Answers a visitor who lacks what the form demands.
    awaitable<Result<http::Reply>> turn_away(http::RequestContext& context, Error refusal);
    // Answers a form of ours.
    awaitable<Result<http::Reply>> take(const Visit& visit, std::vector<http::NamedText> typed, FormFaults faults);
    // Shows the page again, with what was typed and what is wrong.
    awaitable<Result<http::Reply>> again(const Visit& visit, Error refusal, FormFaults faults);
    // Shows the form's page with the values of `answer` over its own. What is shown once needs none of them; the page
    // itself may lead elsewhere by now.
    awaitable<Result<http::Reply>> shown(const Visit& visit, PageAnswer answer);

    const PageKit kit_;
    const std::shared_ptr<const SitePage> page_;
    const std::vector<Way> ways_;
    const FormTraits traits_;
    const std::optional<Address> if_expired_;
};

}  // namespace consentry
