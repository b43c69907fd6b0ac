#include "features/sessions/token_memory.hpp"

#include <algorithm>
#include <cstring>

namespace consentry {

std::size_t TokenMemory::DigestHash::operator()(const crypto::Sha256& digest) const noexcept {
    std::size_t out = 0;
    std::memcpy(&out, digest.data(), sizeof(out));  // a digest is uniform already
    return out;
}

std::optional<TokenClaims> TokenMemory::find(const crypto::Sha256& digest, std::uint64_t generation, TimePoint now) {
    Shard& shard = shard_of(digest);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.entries.find(digest);
    if (found == shard.entries.end()) return std::nullopt;
    const auto entry = found->second;
    if (entry->generation != generation || entry->claims.expires_at <= epoch_seconds(now)) {
        shard.order.erase(entry);
        shard.entries.erase(found);
        return std::nullopt;
    }
    shard.order.splice(shard.order.begin(), shard.order, entry);
    return entry->claims;
}

void TokenMemory::remember(const crypto::Sha256& digest, std::uint64_t generation, const TokenClaims& claims) {
    Shard& shard = shard_of(digest);
    const std::lock_guard lock(shard.mutex);
    if (const auto found = shard.entries.find(digest); found != shard.entries.end()) {
        found->second->generation = std::max(found->second->generation, generation);
        return;
    }
    shard.order.push_front({digest, generation, claims});
    shard.entries.emplace(digest, shard.order.begin());
    if (shard.entries.size() > shard_max_) {
        shard.entries.erase(shard.order.back().digest);
        shard.order.pop_back();
    }
}

}  // namespace consentry
