// Remembers the digests of tokens whose signature was valid, so that each signature is verified only once.
//
// Only positive verdicts are kept, and they mean only "we signed this text with these claims": the session is still
// matched on every request. Nothing is refused or spent by digest (TOK-3). Bounded; an entry is dropped at exp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/recent_map.hpp"
#include "features/sessions/tokens.hpp"

namespace consentry {

class TokenMemory {
public:
    explicit TokenMemory(std::size_t entries_max) : verdicts_(entries_max) {}

    // `generation` is that of the accepted keys. Verdicts of another generation are ignored, because removing a key
    // invalidates its tokens (CRY-4). Returns nullopt if the digest is unknown, past exp, or of another generation.
    // Returning a copy is cheap: the claims hold ids and one short text.
    std::optional<TokenClaims> find(const crypto::Sha256& digest, std::uint64_t generation, TimePoint now);
    // `generation` is the value read before the signature was verified or made.
    void remember(const crypto::Sha256& digest, std::uint64_t generation, const TokenClaims& claims);

private:
    struct DigestHash {
        std::size_t operator()(const crypto::Sha256& digest) const noexcept;
    };
    struct Verdict {
        std::uint64_t generation;
        TokenClaims claims;
    };
    RecentMap<crypto::Sha256, Verdict, DigestHash> verdicts_;
};

}  // namespace consentry
