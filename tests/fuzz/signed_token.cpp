// Parsing of tokens before their signature is verified: each parsed token has one encoding (TOK-4).
#include "base/bytes.hpp"
#include "crypto/jws.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view token = fuzz::text_of(data, size);
    const auto message = crypto::parse_signed_message(token);
    if (message) {
        fuzz::require(token.size() <= crypto::token_size_max, "the size keeps its limit");
        fuzz::require(!message->alg.empty(), "the algorithm is named");
        const std::string again = std::string(message->signing_input) + "." + to_base64url(message->signature);
        fuzz::require(again == token, "a token has one spelling");
    }
    if (const auto jws = crypto::parse_jws(token)) {
        fuzz::require(message.has_value(), "a token is a signed message");
        fuzz::require(!jws->kid.empty(), "the key is named");
        fuzz::require(jws->signature == message->signature, "both readings agree");
    }
    return 0;
}
