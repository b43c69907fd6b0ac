#include "features/sessions/token_memory.hpp"

#include <cstring>

namespace consentry {

std::size_t TokenMemory::DigestHash::operator()(const crypto::Sha256& digest) const noexcept {
    std::size_t out = 0;
    std::memcpy(&out, digest.data(), sizeof(out));  // a digest is uniform already
    return out;
}

std::optional<TokenClaims> TokenMemory::find(const crypto::Sha256& digest, TimePoint now) {
    Shard& shard = shard_of(digest);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.entries.find(digest);
    if (found == shard.entries.end()) return std::nullopt;
    if (found->second->second.expires_at <= epoch_seconds(now)) {
        shard.order.erase(found->second);
        shard.entries.erase(found);
        return std::nullopt;
    }
    shard.order.splice(shard.order.begin(), shard.order, found->second);
    return found->second->second;
}

void TokenMemory::remember(const crypto::Sha256& digest, const TokenClaims& claims) {
    Shard& shard = shard_of(digest);
    const std::lock_guard lock(shard.mutex);
    if (shard.entries.contains(digest)) return;
    shard.order.emplace_front(digest, claims);
    shard.entries.emplace(digest, shard.order.begin());
    if (shard.entries.size() > shard_max_) {
        shard.entries.erase(shard.order.back().first);
        shard.order.pop_back();
    }
}

void TokenMemory::forget_all() {
    for (Shard& shard : shards_) {
        const std::lock_guard lock(shard.mutex);
        shard.entries.clear();
        shard.order.clear();
    }
}

}  // namespace consentry
