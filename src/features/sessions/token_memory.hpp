// Tokens whose signature was found good, by their digest: the same signature is not computed twice.
//
// Only a positive verdict is remembered, and it says nothing but "this text was signed by us with these claims": the
// session is matched every time. Nothing is refused or spent by digest (TOK-3). Bounded; an entry is dropped at exp.
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

    // `generation` is that of the accepted keys. A verdict is worth nothing under another one: a key that was cut takes
    // its tokens with it (CRY-4). Copies are cheap: the claims hold ids and one short text. nullopt: unknown, past exp,
    // or found under other keys.
    std::optional<TokenClaims> find(const crypto::Sha256& digest, std::uint64_t generation, TimePoint now);
    // `generation` as it was before the signature was looked at, or made.
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
