// Proof files: one that is read has one spelling, and none proves an entry of a log whose private key is unknown.
#include "tlog/proof_file.hpp"

#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    static const auto policy =
        tlog::Policy::of_log(
            tlog::VerifierKey::parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k").value())
            .value();
    const std::string_view text = fuzz::text_of(data, size);
    const auto proof = tlog::parse_proof_file(text);
    if (!proof) return 0;
    fuzz::require(tlog::format_proof_file(*proof) == text, "a proof file has one spelling");
    fuzz::require(proof->hashes.size() <= tlog::inclusion_hashes_max, "the limit holds");
    fuzz::require(!tlog::verify_proof(as_bytes("entry"), *proof, policy), "a made-up proof proves nothing");
    return 0;
}
