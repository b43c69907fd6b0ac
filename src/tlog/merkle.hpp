// The Merkle tree of a transparency log, over SHA-256: RFC 6962 section 2.1, which RFC 9162 section 2.1 repeats. Pure
// functions; sizes and indices are 64 bits, and no function recurses. Errors are sentences that say what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"

namespace consentry::tlog {

using Hash = crypto::Sha256;

inline constexpr std::size_t inclusion_hashes_max = 64;  // of a tree of 2^64 - 1 leaves

Hash leaf_hash(BytesView entry);                      // SHA-256(0x00 || entry)
Hash node_hash(const Hash& left, const Hash& right);  // SHA-256(0x01 || left || right)
Hash empty_root();                                    // SHA-256 of nothing

// RFC 9162 section 2.1.3.2: the leaf is the one with this index in the tree of `size` leaves that has this root.
std::expected<void, std::string> verify_inclusion(const Hash& leaf, std::uint64_t index, std::uint64_t size,
                                                  std::span<const Hash> proof, const Hash& root);

// RFC 9162 section 2.1.4.2: the first `size1` leaves of the second tree are the leaves of the first one. The proof for
// two trees of one size is empty. A first tree without leaves is refused: every tree begins with it, so its root would
// not be looked at.
std::expected<void, std::string> verify_consistency(std::uint64_t size1, const Hash& root1, std::uint64_t size2,
                                                    const Hash& root2, std::span<const Hash> proof);

}  // namespace consentry::tlog
