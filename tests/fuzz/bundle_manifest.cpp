// Manifests of bundles: an accepted manifest has one spelling, and one without the log's signature is refused.
#include "features/consent_proof/bundle_manifest.hpp"

#include "tests/fuzz/fuzz.hpp"
#include "tlog/note.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    static const auto signer =
        tlog::NoteSigner::from_seed("log.example.org", tlog::KeyType::ed25519, Bytes(32, 7)).value();
    const std::string_view text = fuzz::text_of(data, size);
    fuzz::require(!open_manifest(text, {&signer.verifier(), 1}), "no input contains a signature of the key");
    if (!tlog::is_note_text(text)) return 0;
    const std::string note = tlog::format_note({.text = std::string(text), .signatures = {signer.sign(text)}});
    const auto manifest = open_manifest(note, {&signer.verifier(), 1});
    if (!manifest) {
        fuzz::require(!manifest.error().empty(), "a refusal has a reason");
        return 0;
    }
    fuzz::require(format_manifest(*manifest) == text, "a manifest has one spelling");
    fuzz::require(!manifest->filter.user || manifest->filter.subject, "an account is named with its tag");
    return 0;
}
