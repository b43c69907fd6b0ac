// Signed notes: a note that is read has one spelling, and a text cannot be changed without the key.
#include "tests/fuzz/fuzz.hpp"
#include "tlog/note.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    // The key and the text of the specification's example, which is among the seeds.
    static const auto key =
        tlog::VerifierKey::parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k").value();
    const std::string_view text = fuzz::text_of(data, size);
    if (const auto lines = tlog::parse_signature_lines(text))
        fuzz::require(tlog::format_signature_lines(*lines) == text, "signature lines have one spelling");
    const auto note = tlog::parse_note(text);
    if (!note) return 0;
    fuzz::require(tlog::format_note(*note) == text, "a note has one spelling");
    fuzz::require(tlog::is_note_text(note->text), "the text is one that could be signed");
    fuzz::require(!note->signatures.empty() && note->signatures.size() <= tlog::note_signatures_max, "the limits hold");
    if (tlog::verify_note(*note, {&key, 1}))
        fuzz::require(note->text == "This is an example message.\n", "no other text is genuine");
    return 0;
}
