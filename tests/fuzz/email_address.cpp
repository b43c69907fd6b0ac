// The rule for email addresses (INP-7): an accepted address is safe in headers, links and logs without escaping.
#include "base/email_address.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    const auto canonical = canonical_email(text);
    if (!canonical) return 0;
    fuzz::require(canonical->size() <= 254, "RFC 5321 section 4.5.3.1.3");
    fuzz::require(std::ranges::count(*canonical, '@') == 1, "one at sign");
    fuzz::require(std::ranges::all_of(*canonical, [](char c) { return c > ' ' && c < 0x7F; }), "printable ASCII");
    fuzz::require(canonical->find_first_of("<>()[]\\,;:\"'`%/?#&= ") == std::string::npos, "nothing that means more");
    fuzz::require(canonical->find('.', canonical->find('@')) != std::string::npos, "the domain has a dot");
    fuzz::require(canonical_email(*canonical) == canonical, "it is its own canonical spelling");
    fuzz::require(canonical_email(to_lower_ascii(text)) == canonical, "lower case makes no difference");
    return 0;
}
