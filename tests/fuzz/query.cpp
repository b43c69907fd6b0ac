// The query of a target: decoded names and values are valid UTF-8, and their number is bounded.
#include <algorithm>

#include "http/endpoint.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view query = fuzz::text_of(data, size);
    const auto pairs = http::parse_query(query);
    if (!pairs) return 0;
    fuzz::require(pairs->size() <= 256, "the number of pairs is bounded");
    std::size_t decoded = 0;
    for (const auto& [name, value] : *pairs) {
        fuzz::require(code_points(name) && code_points(value), "names and values are UTF-8");
        decoded += name.size() + value.size();
    }
    fuzz::require(decoded <= size, "decoding adds nothing");
    if (std::ranges::none_of(query, [](char c) { return c == '%' || c == '+' || c == '&'; }) && !query.empty())
        fuzz::require(pairs->size() == 1 && query.starts_with(pairs->front().name), "plain text is itself");
    return 0;
}
