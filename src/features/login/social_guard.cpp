#include "features/login/social_guard.hpp"

namespace consentry {
namespace {

constexpr std::int64_t reasons_max = 10;  // per reason and minute: strangers must not flood the stream

// The algorithms that providers use (TOK-1). The key determines which one applies; the token must only agree.
bool is_accepted(std::string_view algorithm) { return algorithm == "RS256" || algorithm == "ES256"; }

}  // namespace

SocialGuard::SocialGuard(const Clock& clock, WorkerPool& signing, Audit audit, Provider google, Provider apple,
                         std::string ca_file)
    : clock_(clock),
      signing_(signing),
      audit_(audit),
      known_{know(SocialProvider::google, std::move(google), ca_file),
             know(SocialProvider::apple, std::move(apple), ca_file)} {}

SocialGuard::Known SocialGuard::know(SocialProvider provider, Provider settings, const std::string& ca_file) const {
    Known out{.rules = std::move(settings.rules), .keys = {}};
    if (!out.rules.client_ids.empty())
        out.keys =
            std::make_unique<ProviderKeys>(clock_, audit_,
                                           ProviderKeys::Settings{.provider = std::string(facts_of(provider).name),
                                                                  .address = std::move(settings.keys_address),
                                                                  .ca_file = ca_file});
    return out;
}

awaitable<Result<Identity>> SocialGuard::identify(SocialProvider provider, std::optional<std::string_view> token,
                                                  Cause cause) {
    const auto& facts = facts_of(provider);
    if (!token) co_return fail(facts.required);
    auto identity = co_await check(provider, *token);
    if (identity) co_return std::move(*identity);
    // The refusal itself is reported in one place for all operations; the reason is not.
    tell_of_refusal(provider, identity.error(), cause);
    co_return fail(facts.invalid);
}

void SocialGuard::tell_of_refusal(SocialProvider provider, std::string_view reason, const Cause& cause,
                                  std::optional<UserId> account) {
    const std::string name(facts_of(provider).name);
    if (!reasons_.admit(name + std::string(reason), reasons_max, std::chrono::minutes{1}, clock_.lock_time()).admitted)
        return;
    audit_.tell("identity_token.refused", Outcome::refused, account, cause,
                {{"provider", name}, {"reason", std::string(reason)}});
}

awaitable<std::expected<Identity, std::string_view>> SocialGuard::check(SocialProvider provider,
                                                                        std::string_view token) {
    const Known& known = known_.at(static_cast<std::size_t>(provider));
    if (!known.keys) co_return std::unexpected("not configured");
    const auto jws = crypto::parse_jws(token);
    if (!jws) co_return std::unexpected("form");
    if (!is_accepted(jws->alg)) co_return std::unexpected("alg");
    // Runs before the keys are requested, so a token that is invalid whatever its signature costs no fetch.
    auto identity = read_identity(provider, *jws, known.rules, clock_.now());
    if (!identity) co_return std::unexpected(identity.error());
    const auto key = co_await known.keys->find(jws->kid);
    if (!key) co_return std::unexpected("kid");
    if (jws->alg != crypto::name_of(key->algorithm())) co_return std::unexpected("alg");
    const bool holds = co_await signing_.run([key = *key, input = std::string(jws->signing_input),
                                              signature = jws->signature] { return key.verify(input, signature); });
    if (!holds) co_return std::unexpected("signature");
    co_return std::move(*identity);
}

}  // namespace consentry
