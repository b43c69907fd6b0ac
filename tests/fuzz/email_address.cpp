// The rule for e-mail addresses (INP-7): what is accepted can stand in a header, a link and a log as it is.
#include <algorithm>

#include "fuzz/fuzz.hpp"
#include "http/schema/rules.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    if (!http::email.holds(text)) return 0;
    fuzz::require(size <= 254, "RFC 5321 section 4.5.3.1.3");
    fuzz::require(std::ranges::count(text, '@') == 1, "one at sign");
    fuzz::require(std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; }), "printable ASCII");
    fuzz::require(text.find_first_of("<>()[]\\,;:\"'`%/?#&= ") == std::string_view::npos, "nothing that means more");
    fuzz::require(text.find('.', text.find('@')) != std::string_view::npos, "the domain has a dot");
    fuzz::require(http::email.holds(to_lower_ascii(text)), "lower case makes no difference");
    return 0;
}
