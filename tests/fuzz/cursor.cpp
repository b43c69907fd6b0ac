// The content of a cursor: bytes that decode to a position are the only encoding of that position (INP-9).
#include "http/paging/cursor.hpp"

#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view content = fuzz::text_of(data, size);
    for (std::size_t terms = 0; terms < 4; ++terms) {
        const auto place = http::from_cursor_content(content, terms);
        if (!place) continue;
        fuzz::require(place->values.size() == terms, "a value for each term");
        fuzz::require(http::to_cursor_content(*place) == content, "there and back");
    }
    return 0;
}
