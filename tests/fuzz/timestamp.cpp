// Answers of timestamp authorities: none is one of a text that was never stamped.
#include "crypto/timestamp.hpp"

#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const BytesView answer(data, size);
    const auto verified = crypto::verify_timestamp(answer, crypto::sha256("text"), {});
    fuzz::require(verified || !verified.error().empty(), "a refusal has a reason");
    fuzz::require(!crypto::verify_timestamp(answer, crypto::sha256("another text"), {}), "a stamp is of one text");
    return 0;
}
