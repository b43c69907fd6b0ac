#include "tlog/proof_file.hpp"

#include <fmt/format.h>

#include "tlog/lines.hpp"

namespace consentry::tlog {
namespace {

constexpr std::string_view first_line = "c2sp.org/tlog-proof@v1";
constexpr std::string_view extra_mark = "extra ";
constexpr std::string_view index_mark = "index ";

}  // namespace

std::string format_proof_file(const ProofFile& proof) {
    std::string text = fmt::format("{}\n", first_line);
    if (!proof.extra.empty()) text += fmt::format("{}{}\n", extra_mark, to_base64(proof.extra));
    text += fmt::format("{}{}\n{}\n", index_mark, proof.index, hash_lines(proof.hashes));
    return text + proof.checkpoint;
}

std::expected<ProofFile, std::string> parse_proof_file(std::string_view text) {
    if (text.size() > proof_file_bytes_max) return std::unexpected("the proof is too long");
    LineReader lines(text);
    if (lines.next() != first_line) return std::unexpected(fmt::format("the first line is not {}", first_line));
    ProofFile proof;
    auto line = lines.next();
    if (line && line->starts_with(extra_mark)) {
        auto extra = from_base64(line->substr(extra_mark.size()));
        if (!extra || extra->empty()) return std::unexpected("the extra data are not in base64");
        proof.extra = std::move(*extra);
        line = lines.next();
    }
    if (!line || !line->starts_with(index_mark)) return std::unexpected("the line with the index is missing");
    const auto index = parse_decimal(line->substr(index_mark.size()));
    if (!index) return std::unexpected("the index is not a decimal number in its usual form");
    proof.index = *index;
    auto hashes = read_hash_lines(lines, inclusion_hashes_max);
    if (!hashes) return std::unexpected(std::move(hashes.error()));
    proof.hashes = std::move(*hashes);
    proof.checkpoint = lines.rest();
    return proof;
}

std::expected<ProvenEntry, std::string> verify_leaf_proof(const Hash& leaf, const ProofFile& proof,
                                                          const Policy& policy) {
    auto accepted = policy.accept(proof.checkpoint);
    if (!accepted) return std::unexpected(std::move(accepted.error()));
    const Checkpoint& checkpoint = accepted->checkpoint;
    if (auto verified = verify_inclusion(leaf, proof.index, checkpoint.size, proof.hashes, checkpoint.root); !verified)
        return std::unexpected(
            fmt::format("the entry is not number {} of {}: {}", proof.index, checkpoint.origin, verified.error()));
    return ProvenEntry{proof.index, std::move(*accepted)};
}

std::expected<ProvenEntry, std::string> verify_proof(BytesView entry, const ProofFile& proof, const Policy& policy) {
    return verify_leaf_proof(leaf_hash(entry), proof, policy);
}

}  // namespace consentry::tlog
