// Proofs of who visits a page, and that a form was sent from one of our pages. A page takes one of these types as its
// parameter; only PagesGuard can construct them, so that no page can forget a check.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/locales.hpp"
#include "features/users/caller.hpp"
#include "http/context.hpp"
#include "pages/address.hpp"
#include "pages/cookies.hpp"

namespace consentry {

class PagesGuard;

// Anybody's visit.
class Visit {
public:
    const http::RequestContext& context() const { return *context_; }
    Language language() const { return context_->language; }
    // Whether the browser has a session of an account that may act, if only to replace a temporary password.
    bool is_signed_in() const { return is_signed_in_; }
    // Whether it has a session whose account must first replace a password that has expired.
    bool has_expired_password() const { return has_expired_password_; }
    // For the hidden field `csrf` of every form.
    const std::string& form_token() const { return form_token_; }
    // What identifies the browser: the value of a cookie, to bind things to it. A secret.
    const std::string& browser() const { return browser_; }
    // A value of the query; empty if it is absent.
    std::string query(std::string_view name) const;
    // A placeholder of the path; empty if there is none of this name.
    std::string path(std::string_view name) const;
    // Where to go afterwards: the field `return` of the query or the form, or, at the end of a mailed link, where who
    // asked for it wanted to go. Only if it is safe.
    const std::optional<Address>& return_to() const { return return_to_; }
    // The value of a cookie; see PageCookies::find().
    std::optional<std::string> cookie(PageCookie cookie) const { return cookies_.find(context_->request, cookie); }
    const PageCookies& cookies() const { return cookies_; }

protected:
    friend class PagesGuard;
    Visit(http::RequestContext& context, PageCookies cookies) : context_(&context), cookies_(cookies) {}

private:
    http::RequestContext* context_;
    PageCookies cookies_;
    std::vector<http::NamedText> query_;
    bool is_signed_in_ = false;
    bool has_expired_password_ = false;
    std::string browser_;
    std::string form_token_;
    std::optional<Address> return_to_;
};

// The visit of a user who has given a proof of features/users/caller.hpp: SignedIn, Fresh<SignedIn>, Consenting<>. A
// browser that has not is sent to where it can be given, and back.
template <class Proof>
class VisitOf : public Visit {
public:
    const Proof& caller() const { return caller_; }

private:
    friend class PagesGuard;
    VisitOf(Visit visit, Proof caller) : Visit(std::move(visit)), caller_(std::move(caller)) {}
    Proof caller_;
};

// A form that was sent from a page of ours, by the browser that the page was made for, with valid fields. `Form` is a
// DTO; `From` is the visit that its page requires.
template <class Form, class From = Visit>
class Sent {
public:
    const From& visit() const { return *visit_; }
    const Form& form() const { return form_; }

private:
    friend class PagesGuard;
    Sent(const From& visit, Form form) : visit_(&visit), form_(std::move(form)) {}
    const From* visit_;
    Form form_;
};

namespace detail {

// The visit that a page's function takes.
template <class Function>
struct PageParameter;
template <class Class, class R, class Parameter>
struct PageParameter<R (Class::*)(Parameter) const> {
    using type = std::remove_cvref_t<Parameter>;
};
template <class Function>
using ParameterOf = typename PageParameter<decltype(&Function::operator())>::type;

template <class T>
struct ProofOf {
    static constexpr bool is_visit = std::is_same_v<T, Visit>;
    using type = void;  // none
};
template <class Proof>
struct ProofOf<VisitOf<Proof>> {
    static constexpr bool is_visit = true;
    using type = Proof;
};

template <class T>
struct SentParts {
    static constexpr bool is_sent = false;
};
template <class Form, class From>
struct SentParts<Sent<Form, From>> {
    static constexpr bool is_sent = true;
    using FormType = Form;
    using FromType = From;
};

}  // namespace detail
}  // namespace consentry
