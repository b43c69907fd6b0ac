// Authenticates callers who send an identity token instead of a password: checks the token against the keys of the
// provider named by the operation. The keys come from the configured address only, never from one named in a token.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/sliding_windows.hpp"
#include "base/worker_pool.hpp"
#include "features/login/identity_token.hpp"
#include "features/login/provider_keys.hpp"
#include "http/bearer.hpp"
#include "http/context.hpp"
#include "http/operation.hpp"

namespace consentry {

class SocialGuard;

// The caller's identity as the provider vouches for it. The token has not been spent yet.
template <SocialProvider Provider>
class VouchedBy {
public:
    using Guard = SocialGuard;
    const Identity& identity() const { return identity_; }

private:
    friend class SocialGuard;
    explicit VouchedBy(Identity identity) : identity_(std::move(identity)) {}
    Identity identity_;
};

class SocialGuard {
public:
    static constexpr bool knows_no_user = true;  // the feature flag comes first (http/endpoint.hpp)

    struct Provider {
        IdentityRules rules;
        std::string keys_address;
    };
    // `signing` is the worker pool for signatures. It and `clock` must outlive this object.
    SocialGuard(const Clock& clock, WorkerPool& signing, Audit audit, Provider google, Provider apple,
                std::string ca_file);

    template <SocialProvider P>
    awaitable<Result<VouchedBy<P>>> admit(http::RequestContext& context, std::type_identity<VouchedBy<P>>) {
        auto identity = co_await identify(P, http::bearer_token(context.request), cause_of(context));
        if (!identity) co_return fail(std::move(identity.error()));
        co_return VouchedBy<P>{std::move(*identity)};
    }
    template <SocialProvider P>
    static http::Access access(std::type_identity<VouchedBy<P>>) {
        const auto& facts = facts_of(P);
        return {.name = std::string(facts.name),
                .security_scheme = std::string(facts.name),
                .demand = "Requires an ID token of " + std::string(facts.owner) + " as the bearer token.",
                .errors = {&facts.required, &facts.invalid}};
    }

    // The same for a token that came otherwise than as the bearer's: in the form with which a provider sends a browser
    // back. The token has not been spent yet; it must live until the answer. Errors: the provider's `required` and
    // `invalid`.
    awaitable<Result<Identity>> identify(SocialProvider provider, std::optional<std::string_view> token, Cause cause);
    // Tells the operator why a login with an identity failed, although the caller does not learn it. `account` is the
    // one that the identity would have opened, if known. Strangers cannot flood the stream: it takes a few of each
    // reason per minute.
    void tell_of_refusal(SocialProvider provider, std::string_view reason, const Cause& cause,
                         std::optional<UserId> account = std::nullopt);

private:
    struct Known {
        IdentityRules rules;
        std::unique_ptr<ProviderKeys> keys;  // null: login with this provider is disabled
    };
    Known know(SocialProvider provider, Provider settings, const std::string& ca_file) const;
    awaitable<std::expected<Identity, std::string_view>> check(SocialProvider provider, std::string_view token);

    const Clock& clock_;
    WorkerPool& signing_;
    const Audit audit_;
    SlidingWindows reasons_;
    const std::array<Known, 2> known_;  // indexed by SocialProvider
};

}  // namespace consentry
