// Tokens whose signature was found good, by their digest: the same signature is not computed twice.
//
// Only a positive verdict is remembered, and it says nothing but "this text was signed by us with these claims": the
// session is matched every time. Nothing is refused or spent by digest (TOK-3). Bounded; an entry is dropped at exp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "features/sessions/tokens.hpp"

namespace consentry {

class TokenMemory {
public:
    explicit TokenMemory(std::size_t entries_max) : shard_max_(entries_max / shard_count + 1) {}

    // `generation` is that of the accepted keys. A verdict is worth nothing under another one: a key that was cut takes
    // its tokens with it (CRY-4). Copies are cheap: the claims hold ids and one short text. nullopt: unknown, past exp,
    // or found under other keys.
    std::optional<TokenClaims> find(const crypto::Sha256& digest, std::uint64_t generation, TimePoint now);
    // `generation` as it was before the signature was looked at, or made.
    void remember(const crypto::Sha256& digest, std::uint64_t generation, const TokenClaims& claims);

private:
    static constexpr std::size_t shard_count = 16;
    struct DigestHash {
        std::size_t operator()(const crypto::Sha256& digest) const noexcept;
    };
    struct Entry {
        crypto::Sha256 digest;
        std::uint64_t generation;
        TokenClaims claims;
    };
    struct Shard {
        std::mutex mutex;
        std::list<Entry> order;  // newest first
        std::unordered_map<crypto::Sha256, std::list<Entry>::iterator, DigestHash> entries;
    };
    Shard& shard_of(const crypto::Sha256& digest) { return shards_[digest[31] % shard_count]; }

    const std::size_t shard_max_;
    std::array<Shard, shard_count> shards_;
};

}  // namespace consentry
