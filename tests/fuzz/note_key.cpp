// The keys of signed notes: a key that is read has one spelling.
#include "tests/fuzz/fuzz.hpp"
#include "tlog/note_keys.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    if (const auto key = tlog::VerifierKey::parse(text)) {
        fuzz::require(key->text() == text, "a verifier key has one spelling");
        fuzz::require(tlog::is_key_name(key->name()), "its name is a name");
    }
    if (const auto signer = tlog::NoteSigner::parse(text))
        fuzz::require(signer->text() == text, "a private key has one spelling");
    if (tlog::is_key_name(text)) fuzz::require(text.find_first_of(" +\n") == std::string_view::npos, "it ends a field");
    return 0;
}
