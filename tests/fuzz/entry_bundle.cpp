// Bundles of entries: one that is read has one spelling. The first byte is the width, 0 stands for 256.
#include "tests/fuzz/fuzz.hpp"
#include "tlog/tiles.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    if (size == 0) return 0;
    const unsigned width = data[0] == 0 ? tlog::tile_width : data[0];
    const BytesView bundle(data + 1, size - 1);
    const auto entries = tlog::parse_entry_bundle(bundle, width);
    if (!entries) return 0;
    fuzz::require(entries->size() == width, "as many entries as the width says");
    std::vector<Bytes> copies;
    for (const BytesView entry : *entries) copies.emplace_back(entry.begin(), entry.end());
    const auto again = tlog::entry_bundle(copies);
    fuzz::require(again && as_text(*again) == as_text(bundle), "a bundle has one spelling");
    return 0;
}
