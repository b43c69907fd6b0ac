// Proofs of who the caller is. A handler whose first parameter is one of these types runs only after that proof was
// given, because only CallerGuard can construct them.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/errors.hpp"
#include "features/users/abilities.hpp"
#include "features/users/actor.hpp"
#include "features/users/consent.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

class CallerGuard;

// The message of `password_expired` for a caller whose password is temporary. Pages tell it from an expired password by
// this.
inline constexpr std::string_view password_temporary_message = "auth.error.passwordTemporary";

// How long after a login or a confirmation the caller's proof of identity counts as fresh.
inline constexpr std::chrono::minutes fresh_for{5};

// Proof that the access token belongs to a live session of an account that may act.
class SignedIn {
public:
    using Guard = CallerGuard;
    UserId user() const { return caller_.user; }
    SessionId session() const { return caller_.session; }
    const std::string& jti() const { return caller_.jti; }
    std::int64_t security_version() const { return caller_.security_version; }
    const std::string& email() const { return caller_.email; }
    Role role() const { return caller_.role; }
    // For checking which policies this session has accepted.
    ConsentGrounds grounds() const {
        return {caller_.user, caller_.session, caller_.security_version, caller_.policy_state};
    }
    // Returns whether the caller proved their identity within `fresh_for`, by logging in or by confirming the session.
    bool is_fresh(TimePoint now) const { return happened_within(fresh_for, caller_.proven_at, now); }
    Actor actor() const { return Actor(caller_); }

protected:
    friend class CallerGuard;
    explicit SignedIn(Caller caller) : caller_(std::move(caller)) {}
    const Caller& caller() const { return caller_; }

private:
    Caller caller_;
};

// Like SignedIn, but also admits a caller whose password is temporary: for changing it, and for logging out. Not
// derived from SignedIn, so a function that requires SignedIn does not accept it.
class SignedInProvisionally {
public:
    using Guard = CallerGuard;
    UserId user() const { return caller_.user; }
    SessionId session() const { return caller_.session; }
    const std::string& email() const { return caller_.email; }
    Actor actor() const { return Actor(caller_); }

private:
    friend class CallerGuard;
    explicit SignedInProvisionally(Caller caller) : caller_(std::move(caller)) {}
    Caller caller_;
};

// Signed in, and has accepted the required version of each of these policies. Without arguments: the terms of service
// and the privacy policy.
template <PolicyType... Types>
class Consenting : public SignedIn {
public:
    static constexpr auto policies = [] {
        if constexpr (sizeof...(Types) == 0)
            return std::array{PolicyType::terms_of_service, PolicyType::privacy};
        else
            return std::array{Types...};
    }();

private:
    friend class CallerGuard;
    explicit Consenting(SignedIn caller) : SignedIn(std::move(caller)) {}
};

// Signed in, as an admin or super admin.
class SignedInAdmin : public SignedIn {
protected:
    friend class CallerGuard;
    explicit SignedInAdmin(Caller caller) : SignedIn(std::move(caller)) {}
};

namespace detail {

// Turns a sequence of subjects, each followed by its actions, into pairs. Does not compile if a subject has no action,
// an action has no subject, or the sequence is empty.
template <auto... Required>
consteval auto read_abilities() {
    constexpr auto actions = (std::size_t{0} + ... + std::size_t{std::is_same_v<decltype(Required), Action>});
    static_assert(actions > 0, "say which actions on which subjects are needed");
    std::array<Ability, actions> out{};
    std::size_t read = 0;
    Subject subject{};
    bool complete = false;  // the latest subject has an action, or there is no subject yet
    bool first = true;
    const auto take = [&](auto item) {
        if constexpr (std::is_same_v<decltype(item), Subject>) {
            if (!first && !complete) throw "a subject without actions";
            subject = item;
            complete = false;
        } else {
            if (first) throw "an action without a subject";
            out[read++] = {subject, item};
            complete = true;
        }
        first = false;
    };
    (take(Required), ...);
    if (!complete) throw "a subject without actions";
    return out;
}

}  // namespace detail

// An admin whose role allows each of these actions on the subject before them:
//
//     Permitted<Subject::user, Action::read, Subject::device, Action::read, Action::erase>
template <auto... Required>
class Permitted : public SignedInAdmin {
public:
    static constexpr auto abilities = detail::read_abilities<Required...>();
    // The rights as they were when the request began.
    const Rights& rights() const { return seen_.rights; }
    Actor actor() const { return Actor(caller(), seen_); }

private:
    friend class CallerGuard;
    Permitted(Caller caller, SeenRole seen) : SignedInAdmin(std::move(caller)), seen_(std::move(seen)) {}
    SeenRole seen_;
};

// The same proof from a caller whose identity proof is fresh, for operations that a stolen session alone must not
// allow. After `fresh_for`, the caller must confirm the session first (POST /shared/user/session/confirm).
template <class Proof>
class Fresh : public Proof {
private:
    friend class CallerGuard;
    explicit Fresh(Proof proof) : Proof(std::move(proof)) {}
};
using FreshlySignedIn = Fresh<SignedIn>;
template <auto... Required>
using FreshlyPermitted = Fresh<Permitted<Required...>>;

// Any caller, for resources of which anonymous callers may see a part. If a token is sent it is checked; an invalid one
// is refused, not ignored.
class Visitor {
public:
    using Guard = CallerGuard;
    // Returns whether the caller is an admin whose role allows it; false for anonymous callers.
    bool may(Ability ability) const { return rights_ && rights_->allow(ability); }

private:
    friend class CallerGuard;
    explicit Visitor(std::optional<Rights> rights) : rights_(rights) {}
    std::optional<Rights> rights_;
};

// Constructs the proofs. The feature that knows sessions and roles implements how callers are identified.
class CallerGuard {
public:
    virtual ~CallerGuard() = default;

    awaitable<Result<SignedIn>> admit(http::RequestContext& context, std::type_identity<SignedIn>);
    awaitable<Result<SignedInProvisionally>> admit(http::RequestContext& context,
                                                   std::type_identity<SignedInProvisionally>);
    awaitable<Result<SignedInAdmin>> admit(http::RequestContext& context, std::type_identity<SignedInAdmin>);
    awaitable<Result<Visitor>> admit(http::RequestContext& context, std::type_identity<Visitor>);
    template <PolicyType... Types>
    awaitable<Result<Consenting<Types...>>> admit(http::RequestContext& context,
                                                  std::type_identity<Consenting<Types...>>) {
        auto caller = co_await sign_in(context, AlongWithSession::policy_state);
        if (!caller) co_return fail(std::move(caller.error()));
        auto accepted = co_await consents().admit(caller->grounds(), Consenting<Types...>::policies);
        if (!accepted) co_return fail(std::move(accepted.error()));
        context.answer_headers += grace_line(*accepted);
        co_return Consenting<Types...>{std::move(*caller)};
    }
    template <auto... Required>
    awaitable<Result<Permitted<Required...>>> admit(http::RequestContext& context,
                                                    std::type_identity<Permitted<Required...>>) {
        auto permitted = co_await permit(context, Permitted<Required...>::abilities);
        if (!permitted) co_return fail(std::move(permitted.error()));
        co_return Permitted<Required...>{std::move(permitted->first), std::move(permitted->second)};
    }
    template <class Proof>
    awaitable<Result<Fresh<Proof>>> admit(http::RequestContext& context, std::type_identity<Fresh<Proof>>) {
        auto caller = co_await admit(context, std::type_identity<Proof>{});
        if (!caller) co_return fail(std::move(caller.error()));
        if (!caller->is_fresh(context.now)) co_return fail(errors::fresh_login_required);
        co_return Fresh<Proof>{std::move(*caller)};
    }

    static http::Access access(std::type_identity<SignedIn>);
    static http::Access access(std::type_identity<SignedInProvisionally>);
    static http::Access access(std::type_identity<SignedInAdmin>);
    static http::Access access(std::type_identity<Visitor>);
    template <PolicyType... Types>
    static http::Access access(std::type_identity<Consenting<Types...>>) {
        http::Access out = access(std::type_identity<SignedIn>{});
        out.name = "consenting";
        out.demand = demand_of(Consenting<Types...>::policies);
        out.errors.push_back(&errors::term_policy_required);
        return out;
    }
    template <auto... Required>
    static http::Access access(std::type_identity<Permitted<Required...>>) {
        http::Access out = access(std::type_identity<SignedInAdmin>{});
        out.name = "permitted";
        out.demand = demand_of(Permitted<Required...>::abilities);
        out.errors.push_back(&errors::policy_forbidden);
        return out;
    }
    template <class Proof>
    static http::Access access(std::type_identity<Fresh<Proof>>) {
        http::Access out = access(std::type_identity<Proof>{});
        out.demand.append(" The login, or its confirmation, must be at most five minutes old.");
        static_assert(fresh_for == std::chrono::minutes{5}, "the sentence says so");
        out.errors.push_back(&errors::fresh_login_required);
        return out;
    }

protected:
    awaitable<Result<SignedIn>> sign_in(http::RequestContext& context, AlongWithSession along);

private:
    static std::string demand_of(std::span<const PolicyType> accepted);
    static std::string demand_of(std::span<const Ability> required);
    // Identifies the caller by the token, even if the password is temporary.
    virtual awaitable<Result<Caller>> identify(http::RequestContext& context, AlongWithSession along) = 0;
    virtual Consents& consents() = 0;
    awaitable<Result<Caller>> identify_fully(http::RequestContext& context,
                                             AlongWithSession along = AlongWithSession::nothing);
    // Returns nullopt if the role does not exist.
    virtual awaitable<std::optional<SeenRole>> see_role(RoleId role) = 0;
    awaitable<Result<std::pair<Caller, SeenRole>>> permit(http::RequestContext& context,
                                                          std::span<const Ability> required);
};

}  // namespace consentry
