// Entries of the consent log: one that is read has one spelling.
#include "features/consent_log/entry.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const BytesView bytes(data, size);
    const auto entry = parse_log_entry(bytes);
    if (!entry) {
        fuzz::require(!entry.error().empty(), "a refusal says why");
        return 0;
    }
    const Bytes again = std::visit([](const auto& read) { return format_entry(read); }, *entry);
    fuzz::require(as_text(again) == as_text(bytes), "an entry has one spelling");
    return 0;
}
