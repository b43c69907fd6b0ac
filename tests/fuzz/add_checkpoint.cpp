// What a witness receives: a request that is read has one spelling.
#include "tests/fuzz/fuzz.hpp"
#include "tlog/witness_protocol.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view body = fuzz::text_of(data, size);
    if (const auto request = tlog::parse_add_checkpoint(body)) {
        fuzz::require(tlog::format_add_checkpoint(*request) == body, "a request has one spelling");
        fuzz::require(request->proof.size() <= tlog::witness_hashes_max, "the limit holds");
    }
    if (const auto known = tlog::parse_tree_size(body))
        fuzz::require(tlog::format_tree_size(*known) == body, "a size has one spelling");
    return 0;
}
