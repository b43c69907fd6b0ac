#include "features/sessions/token_memory.hpp"

#include <cstring>

namespace consentry {

std::size_t TokenMemory::DigestHash::operator()(const crypto::Sha256& digest) const noexcept {
    std::size_t out = 0;
    std::memcpy(&out, digest.data(), sizeof(out));  // a digest is uniformly distributed already
    return out;
}

std::optional<TokenClaims> TokenMemory::find(const crypto::Sha256& digest, std::uint64_t generation, TimePoint now) {
    auto verdict = verdicts_.find(digest);
    if (!verdict) return std::nullopt;
    if (verdict->generation == generation && verdict->claims.expires_at > epoch_seconds(now))
        return std::move(verdict->claims);
    verdicts_.erase(digest);
    return std::nullopt;
}

void TokenMemory::remember(const crypto::Sha256& digest, std::uint64_t generation, const TokenClaims& claims) {
    verdicts_.put(digest, {generation, claims});
}

}  // namespace consentry
