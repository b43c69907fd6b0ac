// Checkpoints: one that is read has one spelling.
#include "tlog/checkpoint.hpp"

#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    if (const auto checkpoint = tlog::parse_checkpoint(text))
        fuzz::require(tlog::format_checkpoint(*checkpoint) == text, "a checkpoint has one spelling");
    if (const auto opened = tlog::parse_signed_checkpoint(text)) {
        fuzz::require(tlog::format_checkpoint(opened->checkpoint) == opened->note.text, "it is the text of the note");
        fuzz::require(tlog::format_note(opened->note) == text, "a signed checkpoint has one spelling");
    }
    return 0;
}
