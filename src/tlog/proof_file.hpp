// Proofs that an entry is in a log, for verification offline: c2sp.org/tlog-proof. The usual file extension is
// .tlog-proof. Errors are sentences that say what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "tlog/merkle.hpp"
#include "tlog/policy.hpp"

namespace consentry::tlog {

inline constexpr std::size_t proof_file_bytes_max = 2 * note_bytes_max;

struct ProofFile {
    Bytes extra;  // opaque and not authenticated; empty if there is none
    std::uint64_t index = 0;
    std::vector<Hash> hashes;  // from the leaf's sibling to the root's child
    std::string checkpoint;    // the signed note, verbatim
};

std::string format_proof_file(const ProofFile& proof);
// Strict, so that format_proof_file() returns the same bytes. Does not parse the checkpoint.
std::expected<ProofFile, std::string> parse_proof_file(std::string_view text);

struct ProvenEntry {
    std::uint64_t index;
    AcceptedCheckpoint accepted;
};
// Whether the proof shows that the entry is in a log that the policy trusts. For an entry of which only the leaf hash
// is at hand, verify_leaf_proof().
std::expected<ProvenEntry, std::string> verify_proof(BytesView entry, const ProofFile& proof, const Policy& policy);
std::expected<ProvenEntry, std::string> verify_leaf_proof(const Hash& leaf, const ProofFile& proof,
                                                          const Policy& policy);

}  // namespace consentry::tlog
